-- What was said in a conversation. number counts from 0: an even one is a question, the odd one after it is its answer,
-- and the two are stored together.
CREATE TABLE IF NOT EXISTS chat_messages (
	user_id VARCHAR(191) NOT NULL,
	chat_id VARCHAR(64) NOT NULL,
	number BIGINT NOT NULL,
	role VARCHAR(16) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (user_id, chat_id, number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
