-- What somebody has completed, one row a lecture. Rows of lectures that a course has no more stay: a lecture that comes
-- back is completed still.
CREATE TABLE IF NOT EXISTS completed_lectures (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	completed_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, course_id, lecture_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
