-- A course as lists show it. Prices and discounts are in hundredths; revision grows by one with every change that
-- the list shows. What is long comes last, so that reading the rest does not touch it.
CREATE TABLE IF NOT EXISTS courses (
	id VARCHAR(64) NOT NULL,
	title VARCHAR(200) NOT NULL,
	thumbnail VARCHAR(255) NOT NULL,
	price BIGINT NOT NULL,
	discount BIGINT NOT NULL,
	is_published TINYINT NOT NULL,
	educator_id VARCHAR(191) NOT NULL,
	rating_sum BIGINT NOT NULL,
	rating_count BIGINT NOT NULL,
	lectures BIGINT NOT NULL,
	minutes BIGINT NOT NULL,
	students BIGINT NOT NULL,
	revision BIGINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	description MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY courses_by_publication (is_published, created_at, id),
	KEY courses_by_educator (educator_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
