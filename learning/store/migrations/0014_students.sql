-- Educators list the students of a course by when they have used it last: last_active_at is when a
-- position was saved or a lecture completed last.
CREATE INDEX {index enrollments_of_course_by_activity} ON {enrollments} (course_id, recent_at, user_id);

-- The order of the students of a course by their enrolments. The other engines add the primary key to
-- an index, so that enrollments_by_course has the user there.
CREATE INDEX {index enrollments_of_course} ON {enrollments} (course_id, created_at, user_id); -- only postgres

-- How many attempts at the quiz of a chapter a student has beyond those of the quiz, as an editor of
-- the course has decided last.
CREATE TABLE {quiz_extra_attempts} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	attempts BIGINT NOT NULL,
	decided_by VARCHAR(191) NOT NULL,
	decided_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, course_id, chapter_id)
) WITHOUT ROWID;
CREATE INDEX {index quiz_extra_attempts_by_course} ON {quiz_extra_attempts} (course_id);
