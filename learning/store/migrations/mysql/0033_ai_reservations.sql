-- What a call to the AI that is under way can use at most, in tokens. The row is deleted when the call is over and its
-- usage is in ai_usage. If the process dies, the row stays, and counts as used once its lease is over.
CREATE TABLE IF NOT EXISTS ai_reservations (
	day VARCHAR(10) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	holder VARCHAR(64) NOT NULL,
	tokens BIGINT NOT NULL,
	lease_until DATETIME(6) NOT NULL,
	PRIMARY KEY (day, user_id, holder)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
