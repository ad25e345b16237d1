-- Every attempt at a quiz, and the version that was marked. answers is a JSON array. The last index has all that the
-- educator's totals are made of.
CREATE TABLE IF NOT EXISTS quiz_results (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	version BIGINT NOT NULL,
	score BIGINT NOT NULL,
	total BIGINT NOT NULL,
	percentage BIGINT NOT NULL,
	mastery VARCHAR(16) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	answers VARCHAR(200) NOT NULL,
	recommendations MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY quiz_results_by_user (user_id, created_at),
	KEY quiz_results_by_user_and_chapter (user_id, course_id, chapter_id, created_at),
	KEY quiz_results_by_chapter (course_id, chapter_id, mastery, percentage)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
