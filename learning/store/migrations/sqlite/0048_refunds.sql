-- Refunds of purchases. provider_id is the id at the gateway, NULL before it is known. pending_amount is the amount while
-- the outcome of a refund of ours is not known and NULL afterwards: the unique key over it allows one such refund of an
-- amount. created_by is NULL for a refund that was started at the gateway. ended_access is 1 while an enrolment is ended
-- because of the refund.
CREATE TABLE refunds (
	id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	payment_id VARCHAR(191) NOT NULL,
	provider_id VARCHAR(191) NULL,
	amount BIGINT NOT NULL,
	pending_amount BIGINT NULL,
	currency VARCHAR(3) NOT NULL,
	status VARCHAR(16) NOT NULL,
	ended_access TINYINT NOT NULL,
	created_by VARCHAR(191) NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	reason TEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX refunds_by_provider_id ON refunds (provider_id);
CREATE UNIQUE INDEX refunds_pending ON refunds (purchase_id, pending_amount);
CREATE INDEX refunds_by_status ON refunds (status, created_at, id);
