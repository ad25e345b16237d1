-- Where people spent their time: a row for each person, page, path and UTC day, of all visits together. place stands for
-- page and path, which are longer than a key may be; course_id and chapter_id are what the path is about, or ''.
CREATE TABLE time_entries (
	user_id VARCHAR(191) NOT NULL,
	place VARCHAR(32) NOT NULL,
	day DATETIME NOT NULL,
	page VARCHAR(100) NOT NULL,
	path VARCHAR(500) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	milliseconds BIGINT NOT NULL,
	visits BIGINT NOT NULL,
	PRIMARY KEY (user_id, place, day)
) WITHOUT ROWID;
CREATE INDEX time_entries_by_day ON time_entries (user_id, day);
CREATE INDEX time_entries_by_course ON time_entries (user_id, course_id, chapter_id);
