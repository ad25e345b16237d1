-- What people think of courses, one row a person and course. courses.rating_sum and rating_count are made of these.
CREATE TABLE ratings (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	stars BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, course_id)
) WITHOUT ROWID;
