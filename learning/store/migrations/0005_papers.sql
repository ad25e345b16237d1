-- What a user wants to stand on receipts. It is copied into a paper when that is made.
CREATE TABLE {billing} (
	user_id VARCHAR(191) NOT NULL,
	name VARCHAR(200) NOT NULL,
	country VARCHAR(16) NOT NULL,
	tax_id VARCHAR(50) NOT NULL,
	updated_at DATETIME NOT NULL,
	address TEXT NOT NULL,
	PRIMARY KEY (user_id)
);

-- Receipts, credit notes, and reversals of credit notes. A row is inserted in the transaction of the
-- payment or the refund, and waits. cause is what it is made for, once for each kind: a purchase, a
-- refund, or a credit note. tax_amount and the other columns of the tax are NULL until the tax is
-- known. try_at is when the numbering is tried next, NULL once the paper is numbered; attempts is
-- how often the tax could not be found out. series_number is the last part of paper_number, such as
-- 1 of R-2026-000001; both are NULL until the paper is numbered. content is what the numbering
-- fixes, and sold_lines what was sold, as JSON. forgotten is 1 if the user was deleted, and 2 if
-- name, address and tax id of the buyer were removed too.
CREATE TABLE {papers} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	refund_id VARCHAR(64) NULL,
	kind VARCHAR(16) NOT NULL,
	cause VARCHAR(100) NOT NULL,
	amount BIGINT NOT NULL,
	currency VARCHAR(3) NOT NULL,
	sold_at DATETIME NOT NULL,
	created_at DATETIME NOT NULL,
	attempts BIGINT NOT NULL,
	try_at DATETIME NULL,
	tax_rate BIGINT NULL,
	tax_amount BIGINT NULL,
	tax_name VARCHAR(100) NULL,
	tax_note VARCHAR(500) NULL,
	series VARCHAR(16) NULL,
	series_year BIGINT NULL,
	series_number BIGINT NULL,
	paper_number VARCHAR(32) NULL,
	numbered_at DATETIME NULL,
	forgotten BIGINT NULL,
	buyer_name VARCHAR(200) NOT NULL,
	buyer_country VARCHAR(16) NOT NULL,
	buyer_tax_id VARCHAR(50) NOT NULL,
	buyer_address TEXT NOT NULL,
	sold_lines MEDIUMTEXT NOT NULL,
	content TEXT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index papers_by_cause} ON {papers} (kind, cause);
CREATE UNIQUE INDEX {index papers_by_series} ON {papers} (series, series_year, series_number);
CREATE UNIQUE INDEX {index papers_by_number} ON {papers} (paper_number);
CREATE INDEX {index papers_by_purchase} ON {papers} (purchase_id);
CREATE INDEX {index papers_by_user} ON {papers} (user_id, id);
CREATE INDEX {index papers_waiting} ON {papers} (try_at, id);
CREATE INDEX {index papers_forgotten} ON {papers} (forgotten, numbered_at, id);

-- The last number of each series and year. A transaction that numbers a paper increments it, so that
-- there is no gap and no repetition.
CREATE TABLE {paper_series} (
	series VARCHAR(16) NOT NULL,
	series_year BIGINT NOT NULL,
	last_number BIGINT NOT NULL,
	PRIMARY KEY (series, series_year)
);
