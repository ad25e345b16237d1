-- What people wrote in order to become educators, one a person. holder and lease_until are of who is deciding;
-- expertise is a JSON array.
CREATE TABLE IF NOT EXISTS applications (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	professional_title VARCHAR(200) NOT NULL,
	linkedin_url VARCHAR(2000) NOT NULL,
	status VARCHAR(16) NOT NULL,
	rejection_reason VARCHAR(1000) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	holder VARCHAR(64) NULL,
	lease_until DATETIME(6) NULL,
	previous_role VARCHAR(32) NOT NULL,
	expertise MEDIUMTEXT NOT NULL,
	bio MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY applications_by_user (user_id),
	KEY applications_by_status (status, created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
