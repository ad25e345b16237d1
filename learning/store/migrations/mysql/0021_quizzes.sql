-- The questions on a chapter of a course, one quiz each. questions is a JSON array, made anew as a whole; version steps
-- with it. chapter_title is of the day when they were written.
CREATE TABLE IF NOT EXISTS quizzes (
	id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	chapter_title VARCHAR(200) NOT NULL,
	version BIGINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	questions MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY quizzes_by_chapter (course_id, chapter_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
