-- What people wrote in order to become educators, one a person. holder and lease_until are of who is deciding;
-- expertise is a JSON array.
CREATE TABLE applications (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	professional_title VARCHAR(200) NOT NULL,
	linkedin_url VARCHAR(2000) NOT NULL,
	status VARCHAR(16) NOT NULL,
	rejection_reason VARCHAR(1000) NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	holder VARCHAR(64) NULL,
	lease_until DATETIME NULL,
	previous_role VARCHAR(32) NOT NULL,
	expertise MEDIUMTEXT NOT NULL,
	bio MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX applications_by_user ON applications (user_id);
CREATE INDEX applications_by_status ON applications (status, created_at);
