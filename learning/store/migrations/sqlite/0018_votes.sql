-- Who found what useful. reply_id is empty where it is the post itself; the votes of a post and of its replies are
-- together, since they go together.
CREATE TABLE votes (
	post_id VARCHAR(64) NOT NULL,
	reply_id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (post_id, reply_id, user_id)
) WITHOUT ROWID;
