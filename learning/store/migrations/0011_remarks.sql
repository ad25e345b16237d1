-- Attempts at quizzes that are marked anew: those of before version, by the present key. mode is
-- "up" if no percentage falls, or "all". after_user_id is the last user whose attempts are done.
CREATE TABLE {quiz_remarks} (
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	version BIGINT NOT NULL,
	mode VARCHAR(16) NOT NULL,
	is_waiting TINYINT NOT NULL,
	after_user_id VARCHAR(191) NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (course_id, chapter_id)
) WITHOUT ROWID;
CREATE INDEX {index quiz_remarks_waiting} ON {quiz_remarks} (is_waiting, created_at, course_id, chapter_id);
CREATE INDEX {index quiz_attempts_of_quiz} ON {quiz_attempts} (course_id, chapter_id, user_id, number);
