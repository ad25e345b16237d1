-- Who may learn what.
CREATE TABLE enrollments (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, course_id)
) WITHOUT ROWID;
CREATE INDEX enrollments_by_course ON enrollments (course_id, created_at);
