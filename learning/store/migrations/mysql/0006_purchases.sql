-- Sales. is_open is 1 while somebody is about to pay and NULL afterwards: the unique key over it allows one open
-- purchase a person and course, and any number of others.
CREATE TABLE IF NOT EXISTS purchases (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	is_open TINYINT NULL,
	amount BIGINT NOT NULL,
	currency VARCHAR(3) NOT NULL,
	order_id VARCHAR(191) NULL,
	payment_id VARCHAR(191) NULL,
	status VARCHAR(16) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	completed_at DATETIME(6) NULL,
	holder VARCHAR(64) NULL,
	lease_until DATETIME(6) NULL,
	PRIMARY KEY (id),
	UNIQUE KEY purchases_open (user_id, course_id, is_open),
	UNIQUE KEY purchases_by_order (order_id),
	UNIQUE KEY purchases_by_payment (payment_id),
	KEY purchases_by_creation (created_at, id),
	KEY purchases_by_status (status, completed_at, currency, amount),
	KEY purchases_by_course (status, course_id, currency, amount)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
