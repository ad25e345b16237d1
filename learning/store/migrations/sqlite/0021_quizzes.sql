-- The questions on a chapter of a course, one quiz each. questions is a JSON array, made anew as a whole; version steps
-- with it. chapter_title is of the day when they were written.
CREATE TABLE quizzes (
	id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	chapter_title VARCHAR(200) NOT NULL,
	version BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	questions MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX quizzes_by_chapter ON quizzes (course_id, chapter_id);
