-- Reports of users that a post or, with a reply_id, a reply breaks the rules. reporter_id is NULL for a deleted user, so
-- that the unique key keeps the complaints of several of them.
CREATE TABLE complaints (
	id VARCHAR(64) NOT NULL,
	post_id VARCHAR(64) NOT NULL,
	reply_id VARCHAR(64) NOT NULL,
	reporter_id VARCHAR(191) NULL,
	status VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	decided_by VARCHAR(191) NULL,
	decided_at DATETIME NULL,
	reason TEXT NOT NULL,
	excerpt TEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX complaints_of_reporter ON complaints (reporter_id, post_id, reply_id);
CREATE INDEX complaints_by_post ON complaints (post_id, reply_id);
CREATE INDEX complaints_by_creation ON complaints (created_at, id);
CREATE INDEX complaints_by_status ON complaints (status, created_at, id);
