-- Who is in which group.
CREATE TABLE IF NOT EXISTS memberships (
	user_id VARCHAR(191) NOT NULL,
	group_id VARCHAR(64) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, group_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
