-- Refunds of purchases. provider_id is the id at the gateway, NULL before it is known. pending_amount is the amount while
-- the outcome of a refund of ours is not known and NULL afterwards: the unique key over it allows one such refund of an
-- amount. created_by is NULL for a refund that was started at the gateway. ended_access is 1 while an enrolment is ended
-- because of the refund.
CREATE TABLE IF NOT EXISTS refunds (
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
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	reason TEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY refunds_by_provider_id (provider_id),
	UNIQUE KEY refunds_pending (purchase_id, pending_amount),
	KEY refunds_by_status (status, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
