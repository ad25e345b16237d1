-- Courses that were deleted. Their revisions count in the revision of the catalogue, so that it never decreases, and reports
-- show the title of failed purchases. A course can be imported and deleted again with the same id.
CREATE TABLE IF NOT EXISTS deleted_courses (
	id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	title VARCHAR(200) NOT NULL,
	revision BIGINT NOT NULL,
	deleted_at DATETIME(6) NOT NULL,
	PRIMARY KEY (id),
	KEY deleted_courses_by_course (course_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
