-- Files in the media store that no course uses any more. A row is deleted after its file.
CREATE TABLE IF NOT EXISTS unused_files (
	name VARCHAR(255) NOT NULL,
	since DATETIME(6) NOT NULL,
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
