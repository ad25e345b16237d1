-- What people reply to posts.
CREATE TABLE replies (
	id VARCHAR(64) NOT NULL,
	post_id VARCHAR(64) NOT NULL,
	author_id VARCHAR(191) NOT NULL,
	upvotes BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX replies_by_post ON replies (post_id, created_at, id);
