-- Several courses that are sold together. prices are as those of a course. educator_id is the
-- educator of all courses, '' if they are of several.
CREATE TABLE {bundles} (
	id VARCHAR(64) NOT NULL,
	title VARCHAR(200) NOT NULL,
	thumbnail VARCHAR(255) NOT NULL,
	price BIGINT NOT NULL,
	discount BIGINT NOT NULL,
	is_published TINYINT NOT NULL,
	educator_id VARCHAR(191) NOT NULL,
	version BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	prices TEXT NULL,
	description MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index bundles_by_publication} ON {bundles} (is_published, created_at, id);
CREATE INDEX {index bundles_by_creation} ON {bundles} (created_at, id);
CREATE INDEX {index bundles_of_educator} ON {bundles} (educator_id, created_at, id);

-- The courses of bundles. position is 0 for the first one.
CREATE TABLE {bundle_courses} (
	bundle_id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	position BIGINT NOT NULL,
	PRIMARY KEY (bundle_id, course_id)
) WITHOUT ROWID;
CREATE INDEX {index bundle_courses_by_course} ON {bundle_courses} (course_id);
