-- Positions of users in lectures
-- ------------------------------

-- last_lecture_id is the lecture of the position that was saved last in the course, and
-- last_active_at is when; both are NULL before the first one. recent_at orders the list of the
-- courses in use: the engine computes it, so that a course without a position has the time of its
-- enrolment.
ALTER TABLE {enrollments} ADD COLUMN last_lecture_id VARCHAR(100) NULL;
ALTER TABLE {enrollments} ADD COLUMN last_active_at DATETIME NULL;
ALTER TABLE {enrollments} ADD COLUMN recent_at DATETIME AS (CASE WHEN last_active_at IS NULL THEN created_at ELSE last_active_at END);
CREATE INDEX {index enrollments_by_activity} ON {enrollments} (user_id, recent_at, course_id);

-- Where a user was last in a lecture, in milliseconds from its beginning. The row stays if the
-- lecture is removed from its course.
CREATE TABLE {lecture_positions} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	milliseconds BIGINT NOT NULL,
	saved_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, course_id, lecture_id)
);
