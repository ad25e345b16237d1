-- Uploaded files of educators. uses is the number of courses that use a file, and unused_since is
-- NULL while there is one. An owner has a content once.
CREATE TABLE {files} (
	id VARCHAR(64) NOT NULL,
	owner_id VARCHAR(191) NOT NULL,
	sha256 VARCHAR(64) NOT NULL,
	stored_name VARCHAR(64) NOT NULL,
	type VARCHAR(100) NOT NULL,
	size BIGINT NOT NULL,
	uses BIGINT NOT NULL,
	unused_since DATETIME NULL,
	created_at DATETIME NOT NULL,
	name VARCHAR(255) NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index files_by_hash} ON {files} (owner_id, sha256);
CREATE INDEX {index files_by_owner} ON {files} (owner_id, created_at, id);
CREATE INDEX {index files_unused_of_owner} ON {files} (owner_id, uses, size);
CREATE INDEX {index files_unused} ON {files} (unused_since, id);

-- The files that the lectures of a course use.
CREATE TABLE {course_files} (
	course_id VARCHAR(64) NOT NULL,
	file_id VARCHAR(64) NOT NULL,
	PRIMARY KEY (course_id, file_id)
);

-- The texts of lectures, in a table of their own because progress reads the content of a course
-- without them.
CREATE TABLE {lecture_texts} (
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	body MEDIUMTEXT NOT NULL,
	PRIMARY KEY (course_id, lecture_id)
);
