-- An admin who enrols a user is granted_by, and purchase_id is ''. The keys are for the pages of enrolments.
ALTER TABLE enrollments ADD COLUMN reason TEXT NULL;
ALTER TABLE enrollments ADD COLUMN granted_by VARCHAR(191) NULL;
CREATE INDEX enrollments_by_user ON enrollments (user_id, created_at, course_id);
CREATE INDEX enrollments_by_creation ON enrollments (created_at, user_id, course_id);
