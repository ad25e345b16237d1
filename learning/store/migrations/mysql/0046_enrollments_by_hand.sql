-- An admin who enrols a user is granted_by, and purchase_id is ''. The keys are for the pages of enrolments.
ALTER TABLE enrollments
	ADD COLUMN reason TEXT NULL,
	ADD COLUMN granted_by VARCHAR(191) NULL,
	ADD KEY enrollments_by_user (user_id, created_at, course_id),
	ADD KEY enrollments_by_creation (created_at, user_id, course_id);
