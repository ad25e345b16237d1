-- Until now no two purchases could name one payment.
UPDATE purchases SET is_first_use = 1 WHERE payment_id IS NOT NULL;
