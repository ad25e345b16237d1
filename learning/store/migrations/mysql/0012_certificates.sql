-- Completed courses. What is printed is of the day of issue; filed_at is when the PDF was kept. is_revoked says the
-- same as revoked_at, for the key: a status list asks for the few numbers in a range that were revoked.
CREATE TABLE IF NOT EXISTS certificates (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	number BIGINT NOT NULL,
	student_name VARCHAR(200) NOT NULL,
	course_title VARCHAR(200) NOT NULL,
	educator_name VARCHAR(200) NOT NULL,
	issuer_name VARCHAR(200) NOT NULL,
	completed_at DATETIME(6) NOT NULL,
	issued_at DATETIME(6) NOT NULL,
	filed_at DATETIME(6) NULL,
	is_revoked TINYINT NOT NULL,
	revoked_at DATETIME(6) NULL,
	revocation_reason VARCHAR(1000) NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY certificates_by_user (user_id, course_id),
	UNIQUE KEY certificates_by_number (number),
	KEY certificates_by_revocation (is_revoked, number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
