-- How many files an owner has, used ones too, and the sum of their sizes in bytes. An owner without
-- files has no row.
CREATE TABLE {file_totals} (
	owner_id VARCHAR(191) NOT NULL,
	files BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	PRIMARY KEY (owner_id)
);
