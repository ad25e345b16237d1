-- Courses, drafts too, and enrolments, which the number of students of each course counts.
INSERT INTO totals (course_id, kind, part, slot, number, amount)
SELECT '', c.kind, '', 0, c.number, 0 FROM (
	SELECT 'courses' AS kind, COUNT(*) AS number FROM courses
	UNION ALL
	SELECT 'enrollments', COALESCE(SUM(students), 0) FROM courses
) c WHERE c.number > 0 AND NOT EXISTS (SELECT 1 FROM totals t WHERE t.kind IN ('courses', 'enrollments'));
