-- The orders of the list of courses. The engines compute the new columns, also for rows that an older program writes:
-- the price after the discount in millionths, and the average rating in tenths, as answers show it.
ALTER TABLE courses
	ADD COLUMN net_price BIGINT AS (price * (10000 - discount)),
	ADD COLUMN rating BIGINT AS (CASE WHEN rating_count > 0 THEN (20 * rating_sum + rating_count - (20 * rating_sum + rating_count) % (2 * rating_count)) / (2 * rating_count) ELSE 0 END),
	ADD KEY courses_by_students (is_published, students, id),
	ADD KEY courses_by_price (is_published, net_price, id),
	ADD KEY courses_by_rating (is_published, rating, id);
