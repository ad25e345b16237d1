-- The latest role that was decided here for a person, who may have no record yet.
CREATE TABLE IF NOT EXISTS roles (
	user_id VARCHAR(191) NOT NULL,
	role VARCHAR(32) NOT NULL,
	decided_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id),
	KEY roles_by_role (role)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
