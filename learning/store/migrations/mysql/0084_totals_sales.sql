-- Completed purchases, and what was paid less what was refunded: by currency, by currency and UTC day of completion, and by
-- course and currency.
INSERT INTO totals (course_id, kind, part, slot, number, amount)
SELECT s.course_id, s.kind, s.part, 0, s.number, s.amount FROM (
	SELECT '' AS course_id, 'sales' AS kind, currency AS part, COUNT(*) AS number, SUM(amount - refunded_amount) AS amount
		FROM purchases WHERE status = 'completed' GROUP BY currency
	UNION ALL
	SELECT '', 'daily sales', CONCAT(currency, ' ', SUBSTR(completed_at, 1, 10)), COUNT(*), SUM(amount - refunded_amount)
		FROM purchases WHERE status = 'completed' AND completed_at IS NOT NULL GROUP BY currency, SUBSTR(completed_at, 1, 10)
	UNION ALL
	SELECT course_id, 'course sales', currency, COUNT(*), SUM(amount - refunded_amount)
		FROM purchases WHERE status = 'completed' GROUP BY course_id, currency
) s WHERE NOT EXISTS (SELECT 1 FROM totals t WHERE t.kind IN ('sales', 'daily sales', 'course sales'));
