-- Terms of access. The terms of a course are JSON, without what a certificate asks, and with whether
-- a chapter opens later.
ALTER TABLE {courses} ADD COLUMN terms TEXT NULL;
-- expires_at is when access ends. expiry_step_at is when scheduled work has something to tell about
-- it; NULL if there is nothing. grant_expires_at is the end of the grant, of those that have one.
-- The override is what an admin has decided: it counts whatever paid the enrolment.
ALTER TABLE {enrollments} ADD COLUMN expires_at DATETIME NULL;
ALTER TABLE {enrollments} ADD COLUMN expiry_step_at DATETIME NULL;
ALTER TABLE {enrollments} ADD COLUMN grant_expires_at DATETIME NULL;
ALTER TABLE {enrollments} ADD COLUMN has_override TINYINT NOT NULL DEFAULT 0;
ALTER TABLE {enrollments} ADD COLUMN open_all TINYINT NOT NULL DEFAULT 0;
ALTER TABLE {enrollments} ADD COLUMN override_by VARCHAR(191) NULL;
ALTER TABLE {enrollments} ADD COLUMN override_at DATETIME NULL;
ALTER TABLE {enrollments} ADD COLUMN override_reason TEXT NULL;
CREATE INDEX {index enrollments_by_expiry} ON {enrollments} (expiry_step_at, user_id, course_id);
ALTER TABLE {past_enrollments} ADD COLUMN expires_at DATETIME NULL;
ALTER TABLE {past_enrollments} ADD COLUMN grant_expires_at DATETIME NULL;
ALTER TABLE {past_enrollments} ADD COLUMN has_override TINYINT NOT NULL DEFAULT 0;
ALTER TABLE {past_enrollments} ADD COLUMN open_all TINYINT NOT NULL DEFAULT 0;
ALTER TABLE {past_enrollments} ADD COLUMN override_by VARCHAR(191) NULL;
ALTER TABLE {past_enrollments} ADD COLUMN override_at DATETIME NULL;
ALTER TABLE {past_enrollments} ADD COLUMN override_reason TEXT NULL;
-- The terms of the moment when the order was opened, and the end of the access that the purchase
-- gives, since its completion.
ALTER TABLE {purchases} ADD COLUMN term_days INT NOT NULL DEFAULT 0;
ALTER TABLE {purchases} ADD COLUMN term_until DATETIME NULL;
ALTER TABLE {purchases} ADD COLUMN expires_at DATETIME NULL;
