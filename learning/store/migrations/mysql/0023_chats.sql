-- Conversations with the tutor. Their owner comes first in every key: nobody else can find them.
CREATE TABLE IF NOT EXISTS chats (
	user_id VARCHAR(191) NOT NULL,
	id VARCHAR(64) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, id),
	KEY chats_by_user (user_id, updated_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
