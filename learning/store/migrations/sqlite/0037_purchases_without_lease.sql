-- The lease to open an order is in the table leases. A purchase whose order was being opened has none afterwards, as if
-- it had expired: the next call opens its order.
ALTER TABLE purchases DROP COLUMN holder;
ALTER TABLE purchases DROP COLUMN lease_until;
