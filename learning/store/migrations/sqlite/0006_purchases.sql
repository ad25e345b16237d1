-- Sales. is_open is 1 while somebody is about to pay and NULL afterwards: the unique key over it allows one open
-- purchase a person and course, and any number of others.
CREATE TABLE purchases (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	is_open TINYINT NULL,
	amount BIGINT NOT NULL,
	currency VARCHAR(3) NOT NULL,
	order_id VARCHAR(191) NULL,
	payment_id VARCHAR(191) NULL,
	status VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	completed_at DATETIME NULL,
	holder VARCHAR(64) NULL,
	lease_until DATETIME NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX purchases_open ON purchases (user_id, course_id, is_open);
CREATE UNIQUE INDEX purchases_by_order ON purchases (order_id);
CREATE UNIQUE INDEX purchases_by_payment ON purchases (payment_id);
CREATE INDEX purchases_by_creation ON purchases (created_at, id);
CREATE INDEX purchases_by_status ON purchases (status, completed_at, currency, amount);
CREATE INDEX purchases_by_course ON purchases (status, course_id, currency, amount);
