-- People, as the identity provider sends them; with deleted_at a tombstone.
CREATE TABLE IF NOT EXISTS users (
	id VARCHAR(191) NOT NULL,
	name VARCHAR(200) NOT NULL,
	email VARCHAR(320) NOT NULL,
	image_url VARCHAR(2000) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	changed_at DATETIME(6) NOT NULL,
	deleted_at DATETIME(6) NULL,
	PRIMARY KEY (id),
	KEY users_by_creation (deleted_at, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
