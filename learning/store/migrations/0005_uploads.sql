-- Files that arrive in parts. received is size only when the file is there, with the id file_id,
-- which is '' before. parts are the names of the stored parts, in order.
CREATE TABLE {uploads} (
	id VARCHAR(64) NOT NULL,
	owner_id VARCHAR(191) NOT NULL,
	file_id VARCHAR(64) NOT NULL,
	size BIGINT NOT NULL,
	received BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	expires_at DATETIME NOT NULL,
	name VARCHAR(1000) NOT NULL,
	metadata VARCHAR(2000) NOT NULL,
	parts MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index uploads_unfinished_of_owner} ON {uploads} (owner_id, file_id, size);
CREATE INDEX {index uploads_expired} ON {uploads} (expires_at, id);
