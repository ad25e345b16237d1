-- The due times of assignments, of which students are told a day before: so many days after their
-- enrolment, or at a time. next_at is when scheduled work has something to tell, NULL for never.
-- told_at and told_user_id are the position of the last student who was told, in the order of the
-- enrolments of the course.
CREATE TABLE {assignment_dues} (
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	id VARCHAR(64) NOT NULL,
	after_days BIGINT NULL,
	due_at DATETIME NULL,
	next_at DATETIME NULL,
	told_at DATETIME NULL,
	told_user_id VARCHAR(191) NOT NULL DEFAULT '',
	PRIMARY KEY (course_id, lecture_id)
) WITHOUT ROWID;
CREATE INDEX {index assignment_dues_next} ON {assignment_dues} (next_at, course_id, lecture_id);
