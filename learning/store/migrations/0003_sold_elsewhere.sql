-- Sales that were made outside of the platform: their provider is "manual", and source and reference
-- say where they were made. The provider of another purchase is NULL: the payment gateway, or none if
-- the course was free.
ALTER TABLE {purchases} ADD COLUMN provider VARCHAR(20) NULL;
ALTER TABLE {purchases} ADD COLUMN source VARCHAR(40) NULL;
ALTER TABLE {purchases} ADD COLUMN reference VARCHAR(200) NULL;
CREATE UNIQUE INDEX {index purchases_by_reference} ON {purchases} (source, reference);
CREATE INDEX {index purchases_of_user} ON {purchases} (user_id, created_at, id);
