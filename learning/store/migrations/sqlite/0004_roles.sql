-- The latest role that was decided here for a person, who may have no record yet.
CREATE TABLE roles (
	user_id VARCHAR(191) NOT NULL,
	role VARCHAR(32) NOT NULL,
	decided_at DATETIME NOT NULL,
	PRIMARY KEY (user_id)
) WITHOUT ROWID;
CREATE INDEX roles_by_role ON roles (role);
