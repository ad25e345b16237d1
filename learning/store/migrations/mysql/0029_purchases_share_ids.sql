-- Several purchases may have one order, and several may name one payment. is_first_use is 1 in the purchase that a
-- payment completed first and NULL elsewhere: the unique key over it allows one first use of a payment, and any number
-- of others.
ALTER TABLE purchases
	ADD COLUMN is_first_use TINYINT NULL,
	DROP KEY purchases_by_order,
	ADD KEY purchases_by_order (order_id),
	DROP KEY purchases_by_payment,
	ADD UNIQUE KEY purchases_by_payment (payment_id, is_first_use);
