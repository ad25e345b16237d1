-- Uploaded files of educators. uses is the number of courses that use a file, and unused_since is
-- NULL while there is one. An owner has a content once.
CREATE TABLE IF NOT EXISTS {files} (
	id VARCHAR(64) NOT NULL,
	owner_id VARCHAR(191) NOT NULL,
	sha256 VARCHAR(64) NOT NULL,
	stored_name VARCHAR(64) NOT NULL,
	type VARCHAR(100) NOT NULL,
	size BIGINT NOT NULL,
	uses BIGINT NOT NULL,
	unused_since DATETIME(6) NULL,
	created_at DATETIME(6) NOT NULL,
	name VARCHAR(255) NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY {index files_by_hash} (owner_id, sha256),
	KEY {index files_by_owner} (owner_id, created_at, id),
	KEY {index files_unused_of_owner} (owner_id, uses, size),
	KEY {index files_unused} (unused_since, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The files that the lectures of a course use.
CREATE TABLE IF NOT EXISTS {course_files} (
	course_id VARCHAR(64) NOT NULL,
	file_id VARCHAR(64) NOT NULL,
	PRIMARY KEY (course_id, file_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The texts of lectures, in a table of their own because progress reads the content of a course
-- without them.
CREATE TABLE IF NOT EXISTS {lecture_texts} (
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	body MEDIUMTEXT NOT NULL,
	PRIMARY KEY (course_id, lecture_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
