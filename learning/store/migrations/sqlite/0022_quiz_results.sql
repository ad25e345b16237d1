-- Every attempt at a quiz, and the version that was marked. answers is a JSON array. The last index has all that the
-- educator's totals are made of.
CREATE TABLE quiz_results (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	version BIGINT NOT NULL,
	score BIGINT NOT NULL,
	total BIGINT NOT NULL,
	percentage BIGINT NOT NULL,
	mastery VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	answers VARCHAR(200) NOT NULL,
	recommendations MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX quiz_results_by_user ON quiz_results (user_id, created_at);
CREATE INDEX quiz_results_by_user_and_chapter ON quiz_results (user_id, course_id, chapter_id, created_at);
CREATE INDEX quiz_results_by_chapter ON quiz_results (course_id, chapter_id, mastery, percentage);
