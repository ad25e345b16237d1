-- Who found what useful. reply_id is empty where it is the post itself; the votes of a post and of its replies are
-- together, since they go together.
CREATE TABLE IF NOT EXISTS votes (
	post_id VARCHAR(64) NOT NULL,
	reply_id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	PRIMARY KEY (post_id, reply_id, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
