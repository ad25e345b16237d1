-- When a student was enrolled in the course first, if that was an enrolment that has ended: lectures
-- open so many days after the first one. The player asks it for each page.
ALTER TABLE {enrollments} ADD COLUMN first_at DATETIME NULL;
UPDATE {enrollments} SET first_at = (SELECT MIN(p.created_at) FROM {past_enrollments} p
	WHERE p.user_id = {enrollments}.user_id AND p.course_id = {enrollments}.course_id);
