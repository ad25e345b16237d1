-- The days on which people spent time. A visit locks the row of its day, so that what one day can hold is bounded.
CREATE TABLE time_days (
	user_id VARCHAR(191) NOT NULL,
	day DATETIME NOT NULL,
	writes BIGINT NOT NULL,
	PRIMARY KEY (user_id, day)
) WITHOUT ROWID;
