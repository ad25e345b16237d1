-- People, as the identity provider sends them; with deleted_at a tombstone.
CREATE TABLE users (
	id VARCHAR(191) NOT NULL,
	name VARCHAR(200) NOT NULL,
	email VARCHAR(320) NOT NULL,
	image_url VARCHAR(2000) NOT NULL,
	created_at DATETIME NOT NULL,
	changed_at DATETIME NOT NULL,
	deleted_at DATETIME NULL,
	PRIMARY KEY (id)
);
CREATE INDEX users_by_creation ON users (deleted_at, created_at, id);
