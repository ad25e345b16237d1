-- Courses that were deleted. Their revisions count in the revision of the catalogue, so that it never decreases, and reports
-- show the title of failed purchases. A course can be imported and deleted again with the same id.
CREATE TABLE deleted_courses (
	id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	title VARCHAR(200) NOT NULL,
	revision BIGINT NOT NULL,
	deleted_at DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX deleted_courses_by_course ON deleted_courses (course_id, id);
