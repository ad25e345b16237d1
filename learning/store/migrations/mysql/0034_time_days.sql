-- The days on which people spent time. A visit locks the row of its day, so that what one day can hold is bounded.
CREATE TABLE IF NOT EXISTS time_days (
	user_id VARCHAR(191) NOT NULL,
	day DATETIME(6) NOT NULL,
	writes BIGINT NOT NULL,
	PRIMARY KEY (user_id, day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
