-- Several purchases may have one order, and several may name one payment. is_first_use is 1 in the purchase that a
-- payment completed first and NULL elsewhere: the unique key over it allows one first use of a payment, and any number
-- of others.
ALTER TABLE purchases ADD COLUMN is_first_use TINYINT NULL;
DROP INDEX purchases_by_order;
CREATE INDEX purchases_by_order ON purchases (order_id);
DROP INDEX purchases_by_payment;
CREATE UNIQUE INDEX purchases_by_payment ON purchases (payment_id, is_first_use);
