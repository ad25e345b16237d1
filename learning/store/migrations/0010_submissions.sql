-- has_assignment is 1 if a lecture of the course is an assignment.
ALTER TABLE {course_contents} ADD COLUMN has_assignment TINYINT NOT NULL DEFAULT 0;

-- Work of students on assignments. The row is a draft until it is submitted; then text, files and
-- rubric stay as they are. number is 1 for the first one of a student in a lecture. submitted_at is
-- NULL for a draft, and graded_at until a decision. rubric is that of the submission, and points has
-- a number for each line of it; both are JSON. educator_id is the educator of the course, who does not
-- change.
CREATE TABLE {submissions} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	educator_id VARCHAR(191) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	number BIGINT NOT NULL,
	status VARCHAR(16) NOT NULL,
	version BIGINT NOT NULL,
	is_late TINYINT NOT NULL,
	saved_at DATETIME NOT NULL,
	submitted_at DATETIME NULL,
	graded_at DATETIME NULL,
	graded_by VARCHAR(191) NULL,
	points VARCHAR(500) NOT NULL,
	rubric MEDIUMTEXT NOT NULL,
	body MEDIUMTEXT NOT NULL,
	feedback MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index submissions_by_number} ON {submissions} (user_id, course_id, lecture_id, number);
CREATE INDEX {index submissions_of_course} ON {submissions} (course_id, submitted_at, id);
CREATE INDEX {index submissions_by_status} ON {submissions} (course_id, status, submitted_at, id);
CREATE INDEX {index submissions_of_educator} ON {submissions} (educator_id, submitted_at, id);
CREATE INDEX {index submissions_of_educator_by_status} ON {submissions} (educator_id, status, submitted_at, id);

-- The files of submissions, and those of the feedback on them, in order. files.uses counts them too.
CREATE TABLE {submission_files} (
	submission_id VARCHAR(64) NOT NULL,
	is_feedback TINYINT NOT NULL,
	position BIGINT NOT NULL,
	file_id VARCHAR(64) NOT NULL,
	PRIMARY KEY (submission_id, is_feedback, position)
);
