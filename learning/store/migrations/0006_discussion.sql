-- Notes of students at lectures. slot is a number below the largest number of notes of a user in a
-- course, which bounds them. milliseconds is NULL for a note that is about no place in the lecture.
CREATE TABLE {notes} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	slot BIGINT NOT NULL,
	milliseconds BIGINT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	body MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index notes_by_slot} ON {notes} (user_id, course_id, slot);
CREATE INDEX {index notes_by_creation} ON {notes} (user_id, course_id, created_at, id);

-- Posts in a course, at a lecture or at none, which only its students, its educator and admins may
-- read. course_id and lecture_id are '' for posts that are in no course. is_by_admin says that the
-- author was an admin then.
ALTER TABLE {posts} ADD COLUMN course_id VARCHAR(64) NOT NULL DEFAULT '';
ALTER TABLE {posts} ADD COLUMN lecture_id VARCHAR(100) NOT NULL DEFAULT '';
ALTER TABLE {posts} ADD COLUMN is_by_admin TINYINT NOT NULL DEFAULT 0;
ALTER TABLE {posts} ADD COLUMN edited_at DATETIME NULL;
CREATE INDEX {index posts_of_course} ON {posts} (course_id, created_at, id);
CREATE INDEX {index posts_of_course_by_upvotes} ON {posts} (course_id, upvotes, created_at, id);
CREATE INDEX {index posts_of_lecture} ON {posts} (course_id, lecture_id, created_at, id);
CREATE INDEX {index posts_of_lecture_by_upvotes} ON {posts} (course_id, lecture_id, upvotes, created_at, id);
ALTER TABLE {replies} ADD COLUMN is_by_admin TINYINT NOT NULL DEFAULT 0;
ALTER TABLE {replies} ADD COLUMN edited_at DATETIME NULL;

-- Reviews, which are the texts of ratings, with the answer of the educator. review_id is NULL and
-- is_reviewed 0 for a rating without a text.
ALTER TABLE {ratings} ADD COLUMN review_id VARCHAR(64) NULL;
ALTER TABLE {ratings} ADD COLUMN is_reviewed BIGINT NOT NULL DEFAULT 0;
ALTER TABLE {ratings} ADD COLUMN review MEDIUMTEXT NULL;
ALTER TABLE {ratings} ADD COLUMN reviewed_at DATETIME NULL;
ALTER TABLE {ratings} ADD COLUMN answer MEDIUMTEXT NULL;
ALTER TABLE {ratings} ADD COLUMN answered_at DATETIME NULL;
CREATE UNIQUE INDEX {index ratings_by_review} ON {ratings} (review_id);
CREATE INDEX {index ratings_with_review} ON {ratings} (course_id, is_reviewed, reviewed_at, review_id);
CREATE INDEX {index ratings_with_review_by_stars} ON {ratings} (course_id, is_reviewed, stars, review_id);
