-- The posts that exist. An older version that runs beside this one does not keep totals: System.RunTotals corrects them.
-- In this and the next steps the condition lets a step run again that was interrupted before it was recorded.
INSERT INTO totals (course_id, kind, part, slot, number, amount)
SELECT '', 'posts', '', 0, COUNT(*), 0 FROM posts
HAVING COUNT(*) > 0 AND NOT EXISTS (SELECT 1 FROM totals t WHERE t.kind = 'posts');
