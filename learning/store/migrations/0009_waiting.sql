-- What waits for an educator. educator_id is that of the course of a post, of those that ask the
-- educator: '' for a post in no course, for one of the educator, and for one of a deleted user.
-- staff_replies is the number of the replies of the educator and of admins.
ALTER TABLE {posts} ADD COLUMN educator_id VARCHAR(191) NOT NULL DEFAULT '';
ALTER TABLE {posts} ADD COLUMN staff_replies BIGINT NOT NULL DEFAULT 0;
ALTER TABLE {posts} ADD COLUMN is_answered BIGINT GENERATED ALWAYS AS (CASE WHEN is_resolved = 1 OR staff_replies > 0 THEN 1 ELSE 0 END) VIRTUAL;
CREATE INDEX {index questions_of_educator} ON {posts} (educator_id, created_at, id);
CREATE INDEX {index questions_of_educator_by_answer} ON {posts} (educator_id, is_answered, created_at, id);
CREATE INDEX {index questions_of_course} ON {posts} (educator_id, course_id, created_at, id);
CREATE INDEX {index questions_of_course_by_answer} ON {posts} (educator_id, course_id, is_answered, created_at, id);
-- educator_id is that of the course, of a rating with a review, and '' without one.
ALTER TABLE {ratings} ADD COLUMN educator_id VARCHAR(191) NOT NULL DEFAULT '';
ALTER TABLE {ratings} ADD COLUMN is_answered BIGINT GENERATED ALWAYS AS (CASE WHEN answered_at IS NULL THEN 0 ELSE 1 END) VIRTUAL;
CREATE INDEX {index reviews_of_educator} ON {ratings} (educator_id, reviewed_at, review_id);
CREATE INDEX {index reviews_of_educator_by_answer} ON {ratings} (educator_id, is_answered, reviewed_at, review_id);
CREATE INDEX {index reviews_of_course} ON {ratings} (educator_id, course_id, reviewed_at, review_id);
CREATE INDEX {index reviews_of_course_by_answer} ON {ratings} (educator_id, course_id, is_answered, reviewed_at, review_id);
