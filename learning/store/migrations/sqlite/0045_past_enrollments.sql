-- Enrolments that ended. A row of enrollments moves here, so that enrollments has those that give access.
CREATE TABLE past_enrollments (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	reason TEXT NULL,
	granted_by VARCHAR(191) NULL,
	created_at DATETIME NOT NULL,
	ended_at DATETIME NOT NULL,
	ended_by VARCHAR(191) NULL,
	end_reason TEXT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX past_enrollments_by_user ON past_enrollments (user_id, created_at, course_id);
CREATE INDEX past_enrollments_by_course ON past_enrollments (course_id, created_at, user_id);
CREATE INDEX past_enrollments_by_creation ON past_enrollments (created_at, user_id, course_id);
