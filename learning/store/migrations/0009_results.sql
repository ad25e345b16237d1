-- What educators see of results. started_at and milliseconds, the time from the start to the
-- submission or the end, are NULL for a result without an attempt that was stored when it began.
-- questions is JSON, the mark of each question, and NULL for results of before.
ALTER TABLE {quiz_results} ADD COLUMN started_at DATETIME NULL;
ALTER TABLE {quiz_results} ADD COLUMN milliseconds BIGINT NULL;
ALTER TABLE {quiz_results} ADD COLUMN questions MEDIUMTEXT NULL;
CREATE INDEX {index quiz_results_of_chapter} ON {quiz_results} (course_id, chapter_id, created_at, id);

-- When answers were saved last, and the time that each question took until it had an answer, as
-- JSON.
ALTER TABLE {quiz_attempts} ADD COLUMN saved_at DATETIME NULL;
ALTER TABLE {quiz_attempts} ADD COLUMN times MEDIUMTEXT NULL;

-- Sums over the attempts that had a question, in slots as those of totals. kind and question are
-- those of the first attempt of the slot. rest is the percentage of an attempt in its other
-- questions, which the attempts in compared have.
CREATE TABLE {question_totals} (
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	question_id VARCHAR(100) NOT NULL,
	slot BIGINT NOT NULL,
	kind VARCHAR(16) NOT NULL,
	question VARCHAR(1000) NOT NULL,
	given BIGINT NOT NULL,
	correct BIGINT NOT NULL,
	compared BIGINT NOT NULL,
	compared_correct BIGINT NOT NULL,
	rest BIGINT NOT NULL,
	rest_squares BIGINT NOT NULL,
	rest_correct BIGINT NOT NULL,
	timed BIGINT NOT NULL,
	milliseconds BIGINT NOT NULL,
	PRIMARY KEY (course_id, chapter_id, question_id, slot)
);
