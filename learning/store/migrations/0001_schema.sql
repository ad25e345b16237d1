-- The tables of the platform, in the order of its parts. The text is that for SQLite, and
-- internal/sqldb/migrate_text.go rewrites its lines for the other engines. In each table, long
-- columns come last, so that reading the others does not read them.

-- People
-- ------

-- Users as the identity provider sends them. deleted_at is set for a deleted user.
CREATE TABLE {users} (
	id VARCHAR(191) NOT NULL,
	name VARCHAR(200) NOT NULL,
	email VARCHAR(320) NOT NULL,
	image_url VARCHAR(2000) NOT NULL,
	created_at DATETIME NOT NULL,
	changed_at DATETIME NOT NULL,
	deleted_at DATETIME NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index users_by_creation} ON {users} (deleted_at, created_at, id); -- only sqlite, mysql
CREATE INDEX {index users_by_creation} ON {users} (created_at, id) WHERE deleted_at IS NULL; -- only postgres

-- The latest role that was decided here for a user, who may have no record yet. listed_at is
-- created_at of the user, so that the users of a role are read newest first from the index. A role
-- without a record of its user is the first in the list.
CREATE TABLE {roles} (
	user_id VARCHAR(191) NOT NULL,
	role VARCHAR(32) NOT NULL,
	decided_at DATETIME NOT NULL,
	listed_at DATETIME NOT NULL DEFAULT '9999-12-31 00:00:00.000000',
	PRIMARY KEY (user_id)
) WITHOUT ROWID;
CREATE INDEX {index roles_by_role} ON {roles} (role, listed_at, user_id);

-- Catalogue
-- ---------

-- Courses as lists show them. price and discount are in hundredths. revision grows by one with each
-- change that the list shows, and version with each change by an educator or an admin.
-- certificate_quizzes and certificate_assignments are 1 if a certificate needs, beside all
-- lectures, all quizzes that are written by hand passed, and all assignments graded. The engine
-- computes net_price, the price after the discount in millionths, and rating, the average rating in
-- tenths, as answers show it.
CREATE TABLE {courses} (
	id VARCHAR(64) NOT NULL,
	title VARCHAR(200) NOT NULL,
	thumbnail VARCHAR(255) NOT NULL,
	price BIGINT NOT NULL,
	discount BIGINT NOT NULL,
	is_published TINYINT NOT NULL,
	educator_id VARCHAR(191) NOT NULL,
	rating_sum BIGINT NOT NULL,
	rating_count BIGINT NOT NULL,
	lectures BIGINT NOT NULL,
	minutes BIGINT NOT NULL,
	students BIGINT NOT NULL,
	revision BIGINT NOT NULL,
	version BIGINT NOT NULL DEFAULT 1,
	certificate_quizzes TINYINT NOT NULL DEFAULT 0,
	certificate_assignments TINYINT NOT NULL DEFAULT 0,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	net_price BIGINT GENERATED ALWAYS AS (price * (10000 - discount)) VIRTUAL,
	rating BIGINT GENERATED ALWAYS AS (CASE
		WHEN rating_count > 0 THEN (20 * rating_sum + rating_count
			- (20 * rating_sum + rating_count) % (2 * rating_count)) / (2 * rating_count)
		ELSE 0 END) VIRTUAL,
	description MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index courses_by_publication} ON {courses} (is_published, created_at, id);
CREATE INDEX {index courses_by_educator} ON {courses} (educator_id);
CREATE INDEX {index courses_by_creation} ON {courses} (created_at, id);
CREATE INDEX {index courses_of_educator} ON {courses} (educator_id, created_at, id);
CREATE INDEX {index courses_by_students} ON {courses} (is_published, students, id);
CREATE INDEX {index courses_by_price} ON {courses} (is_published, net_price, id);
CREATE INDEX {index courses_by_rating} ON {courses} (is_published, rating, id);

-- The chapters of a course as JSON, in a table of their own because lists never read them.
-- has_assignment is 1 if a lecture of the course is an assignment.
CREATE TABLE {course_contents} (
	course_id VARCHAR(64) NOT NULL,
	has_assignment TINYINT NOT NULL DEFAULT 0,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (course_id)
);

-- The texts of lectures, in a table of their own because progress reads the content of a course
-- without them.
CREATE TABLE {lecture_texts} (
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	body MEDIUMTEXT NOT NULL,
	PRIMARY KEY (course_id, lecture_id)
);

-- Courses that were deleted. Their revisions count in the revision of the catalogue, so that it
-- never decreases, and reports show the title of failed purchases. A course can be imported and
-- deleted again with the same id.
CREATE TABLE {deleted_courses} (
	id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	title VARCHAR(200) NOT NULL,
	revision BIGINT NOT NULL,
	deleted_at DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index deleted_courses_by_course} ON {deleted_courses} (course_id, id);

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

-- How many files an owner has, used ones too, and the sum of their sizes in bytes. An owner without
-- files has no row.
CREATE TABLE {file_totals} (
	owner_id VARCHAR(191) NOT NULL,
	files BIGINT NOT NULL,
	bytes BIGINT NOT NULL,
	PRIMARY KEY (owner_id)
);

-- Files that arrive in parts. received is size only when the file is there, with the id file_id,
-- which is '' before. parts are the names of the stored parts, in order.
CREATE TABLE {uploads} (
	id VARCHAR(64) NOT NULL,
	owner_id VARCHAR(191) NOT NULL,
	file_id VARCHAR(64) NOT NULL,
	size BIGINT NOT NULL,
	received BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	expires_at DATETIME NOT NULL,
	name VARCHAR(1000) NOT NULL,
	metadata VARCHAR(2000) NOT NULL,
	parts MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index uploads_unfinished_of_owner} ON {uploads} (owner_id, file_id, size);
CREATE INDEX {index uploads_expired} ON {uploads} (expires_at, id);

-- Files in the media store that no course uses. A file is removed in two steps, because the media
-- store takes part in no transaction: first is_removing is set, after which no course can use the
-- file, and then the file and the row are deleted. A failed deletion sets since to a later time, so
-- that the file comes after the others.
CREATE TABLE {unused_files} (
	name VARCHAR(255) NOT NULL,
	since DATETIME NOT NULL,
	is_removing TINYINT NOT NULL DEFAULT 0,
	PRIMARY KEY (name)
);
CREATE INDEX {index unused_files_by_since} ON {unused_files} (since, name);

-- Study
-- -----

-- Enrolments that give access. purchase_id is '' for a user who was enrolled by an admin, who is
-- granted_by, at granted_at. A user who bought the course may have a grant too, which stays when
-- the purchase is refunded. last_lecture_id is the lecture of the position that was saved last in
-- the course, and last_active_at is when; both are NULL before the first one. recent_at orders the
-- list of the courses in use: the engine computes it, so that a course without a position has the
-- time of its enrolment.
CREATE TABLE {enrollments} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	created_at DATETIME NOT NULL,
	granted_by VARCHAR(191) NULL,
	granted_at DATETIME NULL,
	last_lecture_id VARCHAR(100) NULL,
	last_active_at DATETIME NULL,
	recent_at DATETIME GENERATED ALWAYS AS (CASE
		WHEN last_active_at IS NULL THEN created_at
		ELSE last_active_at END) VIRTUAL,
	reason TEXT NULL,
	PRIMARY KEY (user_id, course_id)
) WITHOUT ROWID;
CREATE INDEX {index enrollments_by_course} ON {enrollments} (course_id, created_at);
CREATE INDEX {index enrollments_by_user} ON {enrollments} (user_id, created_at, course_id);
CREATE INDEX {index enrollments_by_creation} ON {enrollments} (created_at, user_id, course_id);
CREATE INDEX {index enrollments_by_activity} ON {enrollments} (user_id, recent_at, course_id);

-- Enrolments that ended. restored_at is when the enrolment was given back, because the refund that
-- ended it failed; the row stays, as the record of who ended the enrolment and when.
CREATE TABLE {past_enrollments} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	created_at DATETIME NOT NULL,
	granted_by VARCHAR(191) NULL,
	granted_at DATETIME NULL,
	ended_at DATETIME NOT NULL,
	ended_by VARCHAR(191) NULL,
	restored_at DATETIME NULL,
	reason TEXT NULL,
	end_reason TEXT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index past_enrollments_by_user} ON {past_enrollments} (user_id, created_at, course_id);
CREATE INDEX {index past_enrollments_by_course} ON {past_enrollments} (course_id, created_at, user_id);
CREATE INDEX {index past_enrollments_by_creation} ON {past_enrollments} (created_at, user_id, course_id);

-- Lectures that a user has completed. The row stays if the lecture is removed from its course, so
-- that it is completed if it is added again.
CREATE TABLE {completed_lectures} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	completed_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, course_id, lecture_id)
) WITHOUT ROWID;

-- Courses that a user has completed: the row is inserted together with the event course.completed,
-- so that there is one.
CREATE TABLE {course_completions} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	completed_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, course_id)
) WITHOUT ROWID;

-- Where a user was last in a lecture, in milliseconds from its beginning. The row stays if the
-- lecture is removed from its course.
CREATE TABLE {lecture_positions} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	milliseconds BIGINT NOT NULL,
	saved_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, course_id, lecture_id)
);

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

-- The time that users spent: a row for each user, page, path and UTC day, with the sum of all
-- visits. place is a hash of page and path, which are longer than a key may be. course_id and
-- chapter_id are those of the path, or ''. last_visit is the latest visit of the day: the
-- statistics of a page show its path.
CREATE TABLE {time_entries} (
	user_id VARCHAR(191) NOT NULL,
	place VARCHAR(32) NOT NULL,
	day DATETIME NOT NULL,
	page VARCHAR(100) NOT NULL,
	path VARCHAR(500) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	milliseconds BIGINT NOT NULL,
	visits BIGINT NOT NULL,
	last_visit DATETIME NULL,
	PRIMARY KEY (user_id, place, day)
) WITHOUT ROWID;
CREATE INDEX {index time_entries_by_day} ON {time_entries} (user_id, day);
CREATE INDEX {index time_entries_by_course} ON {time_entries} (user_id, course_id, chapter_id);

-- The days on which users spent time. A visit locks the row of its day, so that the time of one day
-- is bounded.
CREATE TABLE {time_days} (
	user_id VARCHAR(191) NOT NULL,
	day DATETIME NOT NULL,
	writes BIGINT NOT NULL,
	PRIMARY KEY (user_id, day)
) WITHOUT ROWID;

-- Assessment
-- ----------

-- The quiz of a chapter. questions is a JSON array; version grows by one when they are written
-- again. chapter_title is that of the time when they were written. is_removed is 1 if the chapter
-- was removed from its course: the row keeps the title for the results, and the version. is_by_hand
-- is 1 if the quiz was saved or deleted by hand: the AI then writes none in its place. settings is
-- JSON, and NULL for the settings of a quiz of the AI.
CREATE TABLE {quizzes} (
	id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	chapter_title VARCHAR(200) NOT NULL,
	version BIGINT NOT NULL,
	is_removed TINYINT NOT NULL DEFAULT 0,
	is_by_hand TINYINT NOT NULL DEFAULT 0,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	settings VARCHAR(500) NULL,
	questions MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index quizzes_by_chapter} ON {quizzes} (course_id, chapter_id);

-- Attempts at quizzes that were stored when they began, with the questions that were given.
-- saved_at is when answers were saved last. submitted_at is NULL while an attempt is open; its
-- result has its id. questions, answers and times are JSON; times has the time that each question
-- took until it had an answer.
CREATE TABLE {quiz_attempts} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	number BIGINT NOT NULL,
	version BIGINT NOT NULL,
	pass_percent BIGINT NOT NULL,
	review VARCHAR(16) NOT NULL,
	attempts_left BIGINT NULL,
	started_at DATETIME NOT NULL,
	saved_at DATETIME NULL,
	ends_at DATETIME NULL,
	submitted_at DATETIME NULL,
	questions MEDIUMTEXT NOT NULL,
	answers MEDIUMTEXT NOT NULL,
	times MEDIUMTEXT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index quiz_attempts_by_number} ON {quiz_attempts} (user_id, course_id, chapter_id, number);
CREATE INDEX {index quiz_attempts_over} ON {quiz_attempts} (submitted_at, ends_at, id);

-- Results of attempts at quizzes, with the version that was marked. is_passed is 1 if the
-- percentage reached that of the quiz. started_at and milliseconds, the time from the start to the
-- submission or the end, are NULL for a result without an attempt that was stored when it began.
-- answers is a JSON array. questions is JSON, the mark of each question, and may be NULL.
CREATE TABLE {quiz_results} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	version BIGINT NOT NULL,
	score BIGINT NOT NULL,
	total BIGINT NOT NULL,
	percentage BIGINT NOT NULL,
	is_passed TINYINT NOT NULL DEFAULT 0,
	mastery VARCHAR(16) NOT NULL,
	started_at DATETIME NULL,
	milliseconds BIGINT NULL,
	created_at DATETIME NOT NULL,
	answers VARCHAR(200) NOT NULL,
	recommendations MEDIUMTEXT NOT NULL,
	questions MEDIUMTEXT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index quiz_results_by_user} ON {quiz_results} (user_id, created_at);
CREATE INDEX {index quiz_results_by_user_and_chapter} ON {quiz_results} (user_id, course_id, chapter_id, created_at);
CREATE INDEX {index quiz_results_by_chapter} ON {quiz_results} (course_id, chapter_id, mastery, percentage);
CREATE INDEX {index quiz_results_of_chapter} ON {quiz_results} (course_id, chapter_id, created_at, id);

-- Sums over the attempts that had a question, in slots as those of totals. kind and question are
-- those of the first attempt of the slot. rest is the percentage of an attempt in its other
-- questions, which the attempts in compared have.
CREATE TABLE {question_totals} (
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	question_id VARCHAR(100) NOT NULL,
	slot BIGINT NOT NULL,
	kind VARCHAR(16) NOT NULL,
	question VARCHAR(1000) NOT NULL,
	given BIGINT NOT NULL,
	correct BIGINT NOT NULL,
	compared BIGINT NOT NULL,
	compared_correct BIGINT NOT NULL,
	rest BIGINT NOT NULL,
	rest_squares BIGINT NOT NULL,
	rest_correct BIGINT NOT NULL,
	timed BIGINT NOT NULL,
	milliseconds BIGINT NOT NULL,
	PRIMARY KEY (course_id, chapter_id, question_id, slot)
);

-- Work of students on assignments. The row is a draft until it is submitted; then text, files and
-- rubric stay as they are. number is 1 for the first one of a student in a lecture. submitted_at is
-- NULL for a draft, and graded_at until a decision. rubric is that of the submission, and points
-- has a number for each line of it; both are JSON. educator_id is the educator of the course, who
-- does not change.
CREATE TABLE {submissions} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	educator_id VARCHAR(191) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	number BIGINT NOT NULL,
	status VARCHAR(16) NOT NULL,
	version BIGINT NOT NULL,
	is_late TINYINT NOT NULL,
	saved_at DATETIME NOT NULL,
	submitted_at DATETIME NULL,
	graded_at DATETIME NULL,
	graded_by VARCHAR(191) NULL,
	points VARCHAR(500) NOT NULL,
	rubric MEDIUMTEXT NOT NULL,
	body MEDIUMTEXT NOT NULL,
	feedback MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index submissions_by_number} ON {submissions} (user_id, course_id, lecture_id, number);
CREATE INDEX {index submissions_of_course} ON {submissions} (course_id, submitted_at, id);
CREATE INDEX {index submissions_by_status} ON {submissions} (course_id, status, submitted_at, id);
CREATE INDEX {index submissions_of_educator} ON {submissions} (educator_id, submitted_at, id);
CREATE INDEX {index submissions_of_educator_by_status} ON {submissions} (educator_id, status, submitted_at, id);

-- The files of submissions, and those of the feedback on them, in order. files.uses counts them
-- too.
CREATE TABLE {submission_files} (
	submission_id VARCHAR(64) NOT NULL,
	is_feedback TINYINT NOT NULL,
	position BIGINT NOT NULL,
	file_id VARCHAR(64) NOT NULL,
	PRIMARY KEY (submission_id, is_feedback, position)
);

-- Certificates
-- ------------

-- Certificates of completed courses. The names are those of the time of issue. filed_at is when the
-- PDF was stored. is_revoked is 1 if revoked_at is set: a status list reads the few revoked numbers
-- of a range by key. pdf_unused is 1 when the PDF of a revoked certificate is in unused_files, so
-- that the revoked ones with 0 are those whose PDF may still be in the media store.
CREATE TABLE {certificates} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	number BIGINT NOT NULL,
	student_name VARCHAR(200) NOT NULL,
	course_title VARCHAR(200) NOT NULL,
	educator_name VARCHAR(200) NOT NULL,
	issuer_name VARCHAR(200) NOT NULL,
	completed_at DATETIME NOT NULL,
	issued_at DATETIME NOT NULL,
	filed_at DATETIME NULL,
	is_revoked TINYINT NOT NULL,
	pdf_unused TINYINT NOT NULL DEFAULT 0,
	revoked_at DATETIME NULL,
	revocation_reason VARCHAR(1000) NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index certificates_by_user} ON {certificates} (user_id, course_id);
CREATE UNIQUE INDEX {index certificates_by_number} ON {certificates} (number);
CREATE INDEX {index certificates_by_revocation} ON {certificates} (is_revoked, number);
CREATE INDEX {index certificates_by_unused_pdf} ON {certificates} (is_revoked, pdf_unused, revoked_at, id);

-- The last of the numbers that are given out in sequence without gaps, those of certificates.
CREATE TABLE {counters} (
	name VARCHAR(64) NOT NULL,
	counted BIGINT NOT NULL,
	PRIMARY KEY (name)
) WITHOUT ROWID;

-- Sales
-- -----

-- Purchases of courses. is_open is 1 while a user is about to pay and NULL afterwards: the unique
-- key over it allows one open purchase for a user and a course, and any number of others. Several
-- purchases may have one order, and several may name one payment: is_first_use is 1 in the purchase
-- that a payment completed first and NULL elsewhere, so that the unique key allows one first use of
-- a payment. refunded_amount is the sum of the processed refunds, and pending_refunds that of the
-- refunds whose outcome is not known yet. holds_coupon is 1 while the purchase is open or completed
-- with a coupon, and NULL when it has failed or was refunded: the unique key over it allows a user
-- one redemption of a coupon. The indexes of reports have the amounts, so that revenue is read from
-- them alone.
CREATE TABLE {purchases} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	is_open TINYINT NULL,
	amount BIGINT NOT NULL,
	currency VARCHAR(3) NOT NULL,
	order_id VARCHAR(191) NULL,
	payment_id VARCHAR(191) NULL,
	is_first_use TINYINT NULL,
	status VARCHAR(16) NOT NULL,
	refunded_amount BIGINT NOT NULL DEFAULT 0,
	pending_refunds BIGINT NOT NULL DEFAULT 0,
	coupon_id VARCHAR(64) NULL,
	holds_coupon TINYINT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	completed_at DATETIME NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index purchases_open} ON {purchases} (user_id, course_id, is_open);
CREATE INDEX {index purchases_by_order} ON {purchases} (order_id);
CREATE UNIQUE INDEX {index purchases_by_payment} ON {purchases} (payment_id, is_first_use);
CREATE UNIQUE INDEX {index purchases_by_coupon} ON {purchases} (coupon_id, user_id, holds_coupon);
CREATE INDEX {index purchases_by_creation} ON {purchases} (created_at, id);
CREATE INDEX {index purchases_by_user} ON {purchases} (user_id, id);
CREATE INDEX {index purchases_by_status} ON {purchases} (status, completed_at, currency, amount, refunded_amount);
CREATE INDEX {index purchases_by_course} ON {purchases} (status, course_id, currency, amount, refunded_amount);
CREATE INDEX {index purchases_of_status} ON {purchases} (status, created_at, id);
CREATE INDEX {index purchases_open_with_coupon} ON {purchases} (holds_coupon, is_open, created_at, id);

-- Refunds of purchases. provider_id is the id at the gateway, NULL before it is known.
-- pending_amount is the amount while the outcome of a refund of ours is not known and NULL
-- afterwards: the unique key over it allows one such refund of an amount. created_by is NULL for a
-- refund that was started at the gateway. ended_access is 1 while an enrolment is ended because of
-- the refund. kept_access is 1 if the host decided that the enrolment stays after this refund,
-- which was the last one of its purchase.
CREATE TABLE {refunds} (
	id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	payment_id VARCHAR(191) NOT NULL,
	provider_id VARCHAR(191) NULL,
	amount BIGINT NOT NULL,
	pending_amount BIGINT NULL,
	currency VARCHAR(3) NOT NULL,
	status VARCHAR(16) NOT NULL,
	ended_access TINYINT NOT NULL,
	kept_access TINYINT NOT NULL DEFAULT 0,
	created_by VARCHAR(191) NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	reason TEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index refunds_by_provider_id} ON {refunds} (provider_id);
CREATE UNIQUE INDEX {index refunds_pending} ON {refunds} (purchase_id, pending_amount);
CREATE INDEX {index refunds_by_status} ON {refunds} (status, created_at, id);

-- The keys of requests for refunds, with their answers, so that a repeated request gets the same
-- answer. outcome is '' until the request is answered. status and refunded_amount are those of the
-- purchase in the answer. A request with the same key and another body has another body_hash.
CREATE TABLE {refund_keys} (
	purchase_id VARCHAR(64) NOT NULL,
	request_key VARCHAR(255) NOT NULL,
	body_hash VARCHAR(64) NOT NULL,
	refund_id VARCHAR(64) NULL,
	outcome VARCHAR(16) NOT NULL,
	status VARCHAR(16) NOT NULL,
	refunded_amount BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (purchase_id, request_key)
);
CREATE INDEX {index refund_keys_by_creation} ON {refund_keys} (created_at);

-- Coupons for a discount. percent_off and amount_off are in hundredths, and one of them is 0.
-- course_id is NULL if the coupon is for every course, and max_redemptions is NULL if there is no
-- limit. redemptions is the number of the purchases with the coupon that are open, completed or
-- refunded.
CREATE TABLE {coupons} (
	id VARCHAR(64) NOT NULL,
	code VARCHAR(40) NOT NULL,
	percent_off BIGINT NOT NULL,
	amount_off BIGINT NOT NULL,
	course_id VARCHAR(64) NULL,
	starts_at DATETIME NULL,
	ends_at DATETIME NULL,
	max_redemptions BIGINT NULL,
	redemptions BIGINT NOT NULL,
	is_active TINYINT NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index coupons_by_code} ON {coupons} (code);
CREATE INDEX {index coupons_by_course} ON {coupons} (course_id);
CREATE INDEX {index coupons_by_creation} ON {coupons} (created_at, id);

-- Community
-- ---------

-- Groups of the community. The table is not called groups, because that is a reserved word of
-- MySQL. name_key is a hash of the name that is the same for names which differ in case only.
CREATE TABLE {community_groups} (
	id VARCHAR(64) NOT NULL,
	name VARCHAR(60) NOT NULL,
	name_key VARCHAR(64) NOT NULL,
	slug VARCHAR(191) NOT NULL,
	description VARCHAR(200) NOT NULL,
	icon VARCHAR(16) NOT NULL,
	is_official TINYINT NOT NULL,
	members BIGINT NOT NULL,
	posts BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index community_groups_by_name} ON {community_groups} (name_key);
CREATE UNIQUE INDEX {index community_groups_by_slug} ON {community_groups} (slug);

-- Members of groups. community_groups.members is their number.
CREATE TABLE {memberships} (
	user_id VARCHAR(191) NOT NULL,
	group_id VARCHAR(64) NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, group_id)
) WITHOUT ROWID;

-- Posts in a group, in a course, or in neither. group_id is NULL for a post outside groups.
-- course_id and lecture_id are '' for a post outside courses, and lecture_id is '' for a post of a
-- course that is at no lecture. Only students of the course, its educator and admins may read its
-- posts. is_by_admin is 1 if the author was an admin then. tags is a JSON array. accepted_reply_id
-- is the reply that the author accepted as the answer. Each list of posts is read in pages by the
-- index in its order.
CREATE TABLE {posts} (
	id VARCHAR(64) NOT NULL,
	group_id VARCHAR(64) NULL,
	course_id VARCHAR(64) NOT NULL DEFAULT '',
	lecture_id VARCHAR(100) NOT NULL DEFAULT '',
	author_id VARCHAR(191) NOT NULL,
	is_by_admin TINYINT NOT NULL DEFAULT 0,
	title VARCHAR(200) NOT NULL,
	tags VARCHAR(1000) NOT NULL,
	upvotes BIGINT NOT NULL,
	replies BIGINT NOT NULL,
	is_resolved TINYINT NOT NULL,
	accepted_reply_id VARCHAR(64) NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	edited_at DATETIME NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index posts_by_group} ON {posts} (group_id, created_at, id);
CREATE INDEX {index posts_of_group_by_upvotes} ON {posts} (group_id, upvotes, created_at, id);
CREATE INDEX {index posts_by_creation} ON {posts} (created_at, id, group_id);
CREATE INDEX {index posts_by_upvotes} ON {posts} (upvotes, created_at, id);
CREATE INDEX {index posts_by_author} ON {posts} (author_id, id);
CREATE INDEX {index posts_of_course} ON {posts} (course_id, created_at, id);
CREATE INDEX {index posts_of_course_by_upvotes} ON {posts} (course_id, upvotes, created_at, id);
CREATE INDEX {index posts_of_lecture} ON {posts} (course_id, lecture_id, created_at, id);
CREATE INDEX {index posts_of_lecture_by_upvotes} ON {posts} (course_id, lecture_id, upvotes, created_at, id);

-- Replies to posts. is_by_admin is 1 if the author was an admin then.
CREATE TABLE {replies} (
	id VARCHAR(64) NOT NULL,
	post_id VARCHAR(64) NOT NULL,
	author_id VARCHAR(191) NOT NULL,
	is_by_admin TINYINT NOT NULL DEFAULT 0,
	upvotes BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	edited_at DATETIME NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index replies_by_post} ON {replies} (post_id, created_at, id);
CREATE INDEX {index replies_by_author} ON {replies} (author_id, id);

-- Upvotes of posts and replies. reply_id is '' for a vote for the post itself, so that the votes of
-- a post and of its replies are deleted together.
CREATE TABLE {votes} (
	post_id VARCHAR(64) NOT NULL,
	reply_id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (post_id, reply_id, user_id)
) WITHOUT ROWID;
CREATE INDEX {index votes_by_user} ON {votes} (user_id, post_id, reply_id);

-- Reports of users that a post or, with a reply_id, a reply breaks the rules. reporter_id is NULL
-- for a deleted user, so that the unique key keeps the complaints of several of them.
CREATE TABLE {complaints} (
	id VARCHAR(64) NOT NULL,
	post_id VARCHAR(64) NOT NULL,
	reply_id VARCHAR(64) NOT NULL,
	reporter_id VARCHAR(191) NULL,
	status VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	decided_by VARCHAR(191) NULL,
	decided_at DATETIME NULL,
	reason TEXT NOT NULL,
	excerpt TEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index complaints_of_reporter} ON {complaints} (reporter_id, post_id, reply_id);
CREATE INDEX {index complaints_by_post} ON {complaints} (post_id, reply_id);
CREATE INDEX {index complaints_by_creation} ON {complaints} (created_at, id);
CREATE INDEX {index complaints_by_status} ON {complaints} (status, created_at, id);

-- Ratings of courses, some with a review, which is a text, and with the answer of the educator to
-- it. courses.rating_sum and courses.rating_count are the sum and number of the stars. review_id is
-- NULL and is_reviewed 0 for a rating without a review.
CREATE TABLE {ratings} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	stars BIGINT NOT NULL,
	review_id VARCHAR(64) NULL,
	is_reviewed BIGINT NOT NULL DEFAULT 0,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	reviewed_at DATETIME NULL,
	answered_at DATETIME NULL,
	review MEDIUMTEXT NULL,
	answer MEDIUMTEXT NULL,
	PRIMARY KEY (user_id, course_id)
) WITHOUT ROWID;
CREATE UNIQUE INDEX {index ratings_by_review} ON {ratings} (review_id);
CREATE INDEX {index ratings_with_review} ON {ratings} (course_id, is_reviewed, reviewed_at, review_id);
CREATE INDEX {index ratings_with_review_by_stars} ON {ratings} (course_id, is_reviewed, stars, review_id);

-- Tutor
-- -----

-- Conversations with the tutor. The user comes first in each key, so that a statement that does not
-- name the user finds none.
CREATE TABLE {chats} (
	user_id VARCHAR(191) NOT NULL,
	id VARCHAR(64) NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	PRIMARY KEY (user_id, id)
) WITHOUT ROWID;
CREATE INDEX {index chats_by_user} ON {chats} (user_id, updated_at, id);
CREATE INDEX {index chats_by_creation} ON {chats} (user_id, created_at, id);

-- Messages of chats. number counts from 0: an even one is a question and the next one its answer,
-- and both are stored in one transaction.
CREATE TABLE {chat_messages} (
	user_id VARCHAR(191) NOT NULL,
	chat_id VARCHAR(64) NOT NULL,
	number BIGINT NOT NULL,
	role VARCHAR(16) NOT NULL,
	created_at DATETIME NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (user_id, chat_id, number)
);

-- The tokens that a user has spent on a UTC day, such as 2006-01-02.
CREATE TABLE {ai_usage} (
	day VARCHAR(10) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	prompt_tokens BIGINT NOT NULL,
	completion_tokens BIGINT NOT NULL,
	PRIMARY KEY (day, user_id)
) WITHOUT ROWID;
CREATE INDEX {index ai_usage_by_user} ON {ai_usage} (user_id, day);

-- The most tokens that a running call of the AI can spend. The row is deleted when the call has
-- ended and its usage is in ai_usage. If the process crashes, the row stays and counts as usage
-- when its lease has expired.
CREATE TABLE {ai_reservations} (
	day VARCHAR(10) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	holder VARCHAR(64) NOT NULL,
	tokens BIGINT NOT NULL,
	lease_until DATETIME NOT NULL,
	PRIMARY KEY (day, user_id, holder)
) WITHOUT ROWID;
CREATE INDEX {index ai_reservations_by_lease} ON {ai_reservations} (lease_until);

-- Staff
-- -----

-- Applications of users who want to be educators, one for each user. holder is the review that was
-- begun last and is not concluded: it may have changed the role at the identity provider. expertise
-- is a JSON array.
CREATE TABLE {applications} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	professional_title VARCHAR(200) NOT NULL,
	linkedin_url VARCHAR(2000) NOT NULL,
	status VARCHAR(16) NOT NULL,
	rejection_reason VARCHAR(1000) NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	holder VARCHAR(64) NULL,
	previous_role VARCHAR(32) NOT NULL,
	expertise MEDIUMTEXT NOT NULL,
	bio MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index applications_by_user} ON {applications} (user_id);
CREATE INDEX {index applications_by_status} ON {applications} (status, created_at);
CREATE INDEX {index applications_by_creation} ON {applications} (created_at, id);

-- What many nouns use
-- -------------------

-- Numbers that answers show and that are kept, because counting their rows takes longer as tables
-- grow. course_id is the course that a total is of, and '' for the whole platform. kind says what
-- is counted, and part is a currency, a currency and a day, or a chapter; '' if there is one total
-- of the kind. amount is the sum of the amounts, or of the percentages. A total is the sum of its
-- slots: it has several, so that transactions do not wait for each other.
CREATE TABLE {totals} (
	course_id VARCHAR(64) NOT NULL,
	kind VARCHAR(32) NOT NULL,
	part VARCHAR(100) NOT NULL,
	slot TINYINT NOT NULL,
	number BIGINT NOT NULL,
	amount BIGINT NOT NULL,
	PRIMARY KEY (course_id, kind, part, slot)
) WITHOUT ROWID;

-- The words of the texts that a search reads, in lower case and without accents. list is 1 for
-- words of published courses and 2 for those of users who are not deleted, and row_id is the course
-- or user. person_id is the user whose name has the word, and '' for a word of another text, so
-- that a user who is renamed changes few rows.
CREATE TABLE {search_words} (
	person_id VARCHAR(191) NOT NULL,
	list TINYINT NOT NULL,
	row_id VARCHAR(191) NOT NULL,
	word VARCHAR(64) NOT NULL,
	PRIMARY KEY (person_id, list, row_id, word)
) WITHOUT ROWID;
CREATE INDEX {index search_words_by_word} ON {search_words} (list, word, row_id);

-- Events and their deliveries: a row for each event and target. seq is the position of the event
-- among those of its subject. shard is the part of a target's events that one lease covers.
-- status_at is when a pending event is due, and the time of the change to any other status.
CREATE TABLE {event_deliveries} (
	id VARCHAR(64) NOT NULL,
	target VARCHAR(32) NOT NULL,
	shard VARCHAR(40) NOT NULL,
	subject VARCHAR(255) NOT NULL,
	seq BIGINT NOT NULL,
	type VARCHAR(40) NOT NULL,
	data TEXT NOT NULL,
	created_at DATETIME NOT NULL,
	status VARCHAR(16) NOT NULL,
	status_at DATETIME NOT NULL,
	attempts BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	PRIMARY KEY (id, target)
);
CREATE UNIQUE INDEX {index event_deliveries_order} ON {event_deliveries} (target, subject, seq);
CREATE INDEX {index event_deliveries_due} ON {event_deliveries} (shard, status, status_at, subject);

-- Exclusive rights that expire: an order that is being opened, an application that is being
-- reviewed, a slot at the AI. The row is deleted when its holder releases the lease. An expired
-- lease may be taken over.
CREATE TABLE {leases} (
	name VARCHAR(255) NOT NULL,
	holder VARCHAR(64) NOT NULL,
	expires_at DATETIME NOT NULL,
	PRIMARY KEY (name)
) WITHOUT ROWID;
CREATE INDEX {index leases_by_expiry} ON {leases} (expires_at);

-- The saved position of a scan that is spread over several runs, such as that over the payments
-- whose refunds the gateway is asked for.
CREATE TABLE {sweeps} (
	name VARCHAR(64) NOT NULL,
	started_at DATETIME NOT NULL,
	after_at DATETIME NOT NULL,
	after_id VARCHAR(64) NOT NULL,
	PRIMARY KEY (name)
) WITHOUT ROWID;

-- Markers of committed transactions: see internal/sqldb. The id is a UUIDv7, so that old rows are
-- found by the key. fenced is 1 in a row that keeps a transaction from being committed.
CREATE TABLE {learning_commits} (
	id VARCHAR(36) NOT NULL,
	fenced BIGINT NOT NULL,
	PRIMARY KEY (id)
) WITHOUT ROWID;
