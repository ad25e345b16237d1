-- Several payment providers: what an order needs at its provider, and the price of a purchase before
-- its discount and coupon, whose code is kept. checkout is JSON, while the order is open.
ALTER TABLE {purchases} ADD COLUMN attempt INT NOT NULL DEFAULT 0;
ALTER TABLE {purchases} ADD COLUMN checkout TEXT NULL;
ALTER TABLE {purchases} ADD COLUMN list_price BIGINT NOT NULL DEFAULT 0;
ALTER TABLE {purchases} ADD COLUMN coupon_code VARCHAR(40) NOT NULL DEFAULT '';
-- Prices in other currencies than that of the platform, as a JSON array in the order of the request.
ALTER TABLE {courses} ADD COLUMN prices TEXT NULL;
-- Objections of buyers' banks to payments. provider_id is the id at the provider of the purchase.
CREATE TABLE {disputes} (
	id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	provider_id VARCHAR(191) NOT NULL,
	amount BIGINT NOT NULL,
	currency VARCHAR(3) NOT NULL,
	reason VARCHAR(200) NOT NULL,
	status VARCHAR(16) NOT NULL,
	ended_access TINYINT NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index disputes_of_purchase} ON {disputes} (purchase_id, provider_id);
