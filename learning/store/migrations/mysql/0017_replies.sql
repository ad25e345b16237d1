-- What people reply to posts.
CREATE TABLE IF NOT EXISTS replies (
	id VARCHAR(64) NOT NULL,
	post_id VARCHAR(64) NOT NULL,
	author_id VARCHAR(191) NOT NULL,
	upvotes BIGINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY replies_by_post (post_id, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
