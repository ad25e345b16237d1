-- What somebody has completed, one row a lecture. Rows of lectures that a course has no more stay: a lecture that comes
-- back is completed still.
CREATE TABLE completed_lectures (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	completed_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, course_id, lecture_id)
) WITHOUT ROWID;
