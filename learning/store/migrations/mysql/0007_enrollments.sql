-- Who may learn what.
CREATE TABLE IF NOT EXISTS enrollments (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, course_id),
	KEY enrollments_by_course (course_id, created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
