-- The chapters of a course as JSON, apart from the course because lists never need them.
CREATE TABLE IF NOT EXISTS course_contents (
	course_id VARCHAR(64) NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (course_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
