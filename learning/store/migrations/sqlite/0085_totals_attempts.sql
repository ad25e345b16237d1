-- Attempts at quizzes and the sum of their percentages, by chapter and group.
INSERT INTO totals (course_id, kind, part, slot, number, amount)
SELECT course_id, CONCAT('attempts ', mastery), chapter_id, 0, COUNT(*), SUM(percentage) FROM quiz_results
WHERE NOT EXISTS (SELECT 1 FROM totals t WHERE t.kind LIKE 'attempts %')
GROUP BY course_id, mastery, chapter_id;
