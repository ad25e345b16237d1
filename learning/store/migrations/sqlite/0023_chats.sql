-- Conversations with the tutor. Their owner comes first in every key: nobody else can find them.
CREATE TABLE chats (
	user_id VARCHAR(191) NOT NULL,
	id VARCHAR(64) NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
CREATE INDEX chats_by_user ON chats (user_id, updated_at, id);
