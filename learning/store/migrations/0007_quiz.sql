-- is_by_hand is 1 if the quiz was saved or deleted by hand: the AI then writes none in its place.
-- settings is JSON, and NULL for the settings of a quiz of the AI.
ALTER TABLE {quizzes} ADD COLUMN is_by_hand TINYINT NOT NULL DEFAULT 0;
ALTER TABLE {quizzes} ADD COLUMN settings VARCHAR(500) NULL;

-- is_passed is 1 if the percentage reached that of the quiz. Results of before have 0.
ALTER TABLE {quiz_results} ADD COLUMN is_passed TINYINT NOT NULL DEFAULT 0;

-- Attempts at quizzes that were stored when they began, with the questions that were given.
-- submitted_at is NULL while an attempt is open; its result has its id. questions and answers are
-- JSON.
CREATE TABLE {quiz_attempts} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	number BIGINT NOT NULL,
	version BIGINT NOT NULL,
	pass_percent BIGINT NOT NULL,
	review VARCHAR(16) NOT NULL,
	attempts_left BIGINT NULL,
	started_at DATETIME NOT NULL,
	ends_at DATETIME NULL,
	submitted_at DATETIME NULL,
	questions MEDIUMTEXT NOT NULL,
	answers MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index quiz_attempts_by_number} ON {quiz_attempts} (user_id, course_id, chapter_id, number);
CREATE INDEX {index quiz_attempts_over} ON {quiz_attempts} (submitted_at, ends_at, id);
