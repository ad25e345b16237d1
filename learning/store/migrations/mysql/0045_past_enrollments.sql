-- Enrolments that ended. A row of enrollments moves here, so that enrollments has those that give access.
CREATE TABLE IF NOT EXISTS past_enrollments (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	reason TEXT NULL,
	granted_by VARCHAR(191) NULL,
	created_at DATETIME(6) NOT NULL,
	ended_at DATETIME(6) NOT NULL,
	ended_by VARCHAR(191) NULL,
	end_reason TEXT NULL,
	PRIMARY KEY (id),
	KEY past_enrollments_by_user (user_id, created_at, course_id),
	KEY past_enrollments_by_course (course_id, created_at, user_id),
	KEY past_enrollments_by_creation (created_at, user_id, course_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
