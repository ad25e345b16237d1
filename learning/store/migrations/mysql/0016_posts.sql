-- What people post, in a group or in none. tags is a JSON array; accepted_reply_id is of the one reply that answers it.
-- The lists of all posts read the whole table, so an index in their order would save nothing, and each vote would move it.
CREATE TABLE IF NOT EXISTS posts (
	id VARCHAR(64) NOT NULL,
	group_id VARCHAR(64) NULL,
	author_id VARCHAR(191) NOT NULL,
	title VARCHAR(200) NOT NULL,
	tags VARCHAR(1000) NOT NULL,
	upvotes BIGINT NOT NULL,
	replies BIGINT NOT NULL,
	is_resolved TINYINT NOT NULL,
	accepted_reply_id VARCHAR(64) NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY posts_by_group (group_id, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
