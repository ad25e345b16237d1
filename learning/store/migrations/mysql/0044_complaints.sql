-- Reports of users that a post or, with a reply_id, a reply breaks the rules. reporter_id is NULL for a deleted user, so
-- that the unique key keeps the complaints of several of them.
CREATE TABLE IF NOT EXISTS complaints (
	id VARCHAR(64) NOT NULL,
	post_id VARCHAR(64) NOT NULL,
	reply_id VARCHAR(64) NOT NULL,
	reporter_id VARCHAR(191) NULL,
	status VARCHAR(16) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	decided_by VARCHAR(191) NULL,
	decided_at DATETIME(6) NULL,
	reason TEXT NOT NULL,
	excerpt TEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY complaints_of_reporter (reporter_id, post_id, reply_id),
	KEY complaints_by_post (post_id, reply_id),
	KEY complaints_by_creation (created_at, id),
	KEY complaints_by_status (status, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
