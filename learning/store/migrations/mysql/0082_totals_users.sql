-- Users who are not deleted, those of them who are educators by their role or by an approved application, and applications
-- that wait for a decision.
INSERT INTO totals (course_id, kind, part, slot, number, amount)
SELECT '', c.kind, '', 0, c.number, 0 FROM (
	SELECT 'users' AS kind, COUNT(*) AS number FROM users WHERE deleted_at IS NULL
	UNION ALL
	SELECT 'educators', (SELECT COUNT(*) FROM roles r JOIN users u ON u.id = r.user_id WHERE r.role = 'educator' AND u.deleted_at IS NULL)
		+ (SELECT COUNT(*) FROM applications a JOIN users u ON u.id = a.user_id LEFT JOIN roles r ON r.user_id = a.user_id
			WHERE a.status = 'approved' AND u.deleted_at IS NULL AND COALESCE(r.role, '') <> 'educator')
	UNION ALL
	SELECT 'applications', COUNT(*) FROM applications WHERE status = 'pending'
) c WHERE c.number > 0 AND NOT EXISTS (SELECT 1 FROM totals t WHERE t.kind IN ('users', 'educators', 'applications'));
