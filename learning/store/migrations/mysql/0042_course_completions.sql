-- Courses that a user has completed: the row is inserted together with the event course.completed, so that there is one.
CREATE TABLE IF NOT EXISTS course_completions (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	completed_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, course_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
