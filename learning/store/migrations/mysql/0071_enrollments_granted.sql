-- granted_at is when the admin of granted_by enrolled the user. A user who bought the course may have a grant too, which
-- stays when the purchase is refunded. NULL for grants of an earlier version, which have that time in created_at.
ALTER TABLE enrollments ADD COLUMN granted_at DATETIME(6) NULL;
ALTER TABLE past_enrollments ADD COLUMN granted_at DATETIME(6) NULL;
