-- Messages of the identity provider that were seen, for some days.
CREATE TABLE IF NOT EXISTS webhook_messages (
	id VARCHAR(191) NOT NULL,
	received_at DATETIME(6) NOT NULL,
	PRIMARY KEY (id),
	KEY webhook_messages_by_time (received_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
