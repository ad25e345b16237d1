-- The chapters of a course as JSON, apart from the course because lists never need them.
CREATE TABLE course_contents (
	course_id VARCHAR(64) NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (course_id)
);
