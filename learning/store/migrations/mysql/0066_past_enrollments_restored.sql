-- restored_at is when a past enrolment was given back, because the refund that ended it failed. The row stays, as the
-- record of who ended the enrolment and when.
ALTER TABLE past_enrollments ADD COLUMN restored_at DATETIME(6) NULL;
