-- Who is in which group.
CREATE TABLE memberships (
	user_id VARCHAR(191) NOT NULL,
	group_id VARCHAR(64) NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, group_id)
) WITHOUT ROWID;
