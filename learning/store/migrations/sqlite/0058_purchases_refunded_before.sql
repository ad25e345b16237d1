-- Before the table refunds a purchase was refunded as a whole.
UPDATE purchases SET refunded_amount = amount WHERE status = 'refunded' AND refunded_amount = 0;
