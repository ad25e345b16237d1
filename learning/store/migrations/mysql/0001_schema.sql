-- Courses
-- -------

-- A course as lists show it. price and discount are in hundredths. revision grows by one with each
-- change that the list shows, and version with each change by an educator or an admin. The engine
-- computes net_price, the price after the discount in millionths, and rating, the average rating
-- in tenths, as answers show it.
-- Long columns come last, so that reading the others does not read them.
CREATE TABLE IF NOT EXISTS {courses} (
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
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	net_price BIGINT AS (price * (10000 - discount)),
	rating BIGINT AS (CASE
		WHEN rating_count > 0 THEN (20 * rating_sum + rating_count
			- (20 * rating_sum + rating_count) % (2 * rating_count)) / (2 * rating_count)
		ELSE 0 END),
	description MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY {index courses_by_publication} (is_published, created_at, id),
	KEY {index courses_by_educator} (educator_id),
	KEY {index courses_by_creation} (created_at, id),
	KEY {index courses_of_educator} (educator_id, created_at, id),
	KEY {index courses_by_students} (is_published, students, id),
	KEY {index courses_by_price} (is_published, net_price, id),
	KEY {index courses_by_rating} (is_published, rating, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The chapters of a course as JSON, in a table of their own because lists never read them.
CREATE TABLE IF NOT EXISTS {course_contents} (
	course_id VARCHAR(64) NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (course_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Courses that were deleted. Their revisions count in the revision of the catalogue, so that it
-- never decreases, and reports show the title of failed purchases. A course can be imported and
-- deleted again with the same id.
CREATE TABLE IF NOT EXISTS {deleted_courses} (
	id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	title VARCHAR(200) NOT NULL,
	revision BIGINT NOT NULL,
	deleted_at DATETIME(6) NOT NULL,
	PRIMARY KEY (id),
	KEY {index deleted_courses_by_course} (course_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Ratings of courses. courses.rating_sum and courses.rating_count are their sum and number.
CREATE TABLE IF NOT EXISTS {ratings} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	stars BIGINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, course_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Files in the media store that no course uses. A row is deleted after its file. A failed deletion
-- sets since to a later time, so that the file comes after the others.
CREATE TABLE IF NOT EXISTS {unused_files} (
	name VARCHAR(255) NOT NULL,
	since DATETIME(6) NOT NULL,
	PRIMARY KEY (name),
	KEY {index unused_files_by_since} (since, name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Users
-- -----

-- Users as the identity provider sends them. deleted_at is set for a deleted user.
CREATE TABLE IF NOT EXISTS {users} (
	id VARCHAR(191) NOT NULL,
	name VARCHAR(200) NOT NULL,
	email VARCHAR(320) NOT NULL,
	image_url VARCHAR(2000) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	changed_at DATETIME(6) NOT NULL,
	deleted_at DATETIME(6) NULL,
	PRIMARY KEY (id),
	KEY {index users_by_creation} (deleted_at, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The latest role that was decided here for a user, who may have no record yet. listed_at is
-- created_at of the user, so that the users of a role are read newest first from the index. A role
-- without a record of its user is the first in the list.
CREATE TABLE IF NOT EXISTS {roles} (
	user_id VARCHAR(191) NOT NULL,
	role VARCHAR(32) NOT NULL,
	decided_at DATETIME(6) NOT NULL,
	listed_at DATETIME(6) NOT NULL DEFAULT '9999-12-31 00:00:00.000000',
	PRIMARY KEY (user_id),
	KEY {index roles_by_role} (role, listed_at, user_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Applications of users who want to be educators, one for each user. holder is the review that was
-- begun last and is not concluded: it may have changed the role at the identity provider.
-- expertise is a JSON array.
CREATE TABLE IF NOT EXISTS {applications} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	professional_title VARCHAR(200) NOT NULL,
	linkedin_url VARCHAR(2000) NOT NULL,
	status VARCHAR(16) NOT NULL,
	rejection_reason VARCHAR(1000) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	holder VARCHAR(64) NULL,
	previous_role VARCHAR(32) NOT NULL,
	expertise MEDIUMTEXT NOT NULL,
	bio MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY {index applications_by_user} (user_id),
	KEY {index applications_by_status} (status, created_at),
	KEY {index applications_by_creation} (created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Purchases
-- ---------

-- is_open is 1 while a user is about to pay and NULL afterwards: the unique key over it allows one
-- open purchase for a user and a course, and any number of others. Several purchases may have one
-- order, and several may name one payment: is_first_use is 1 in the purchase that a payment
-- completed first and NULL elsewhere, so that the unique key allows one first use of a payment.
-- refunded_amount is the sum of the processed refunds, and pending_refunds that of the refunds
-- whose outcome is not known yet. holds_coupon is 1 while the purchase is open or completed with a
-- coupon, and NULL when it has failed or was refunded: the unique key over it allows a user one
-- redemption of a coupon. The indexes of reports have the amounts, so that revenue is read from
-- them alone.
CREATE TABLE IF NOT EXISTS {purchases} (
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
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	completed_at DATETIME(6) NULL,
	PRIMARY KEY (id),
	UNIQUE KEY {index purchases_open} (user_id, course_id, is_open),
	KEY {index purchases_by_order} (order_id),
	UNIQUE KEY {index purchases_by_payment} (payment_id, is_first_use),
	UNIQUE KEY {index purchases_by_coupon} (coupon_id, user_id, holds_coupon),
	KEY {index purchases_by_creation} (created_at, id),
	KEY {index purchases_by_user} (user_id, id),
	KEY {index purchases_by_status} (status, completed_at, currency, amount, refunded_amount),
	KEY {index purchases_by_course} (status, course_id, currency, amount, refunded_amount),
	KEY {index purchases_of_status} (status, created_at, id),
	KEY {index purchases_open_with_coupon} (holds_coupon, is_open, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Refunds of purchases. provider_id is the id at the gateway, NULL before it is known.
-- pending_amount is the amount while the outcome of a refund of ours is not known and NULL
-- afterwards: the unique key over it allows one such refund of an amount. created_by is NULL for a
-- refund that was started at the gateway. ended_access is 1 while an enrolment is ended because of
-- the refund. kept_access is 1 if the host decided that the enrolment stays after this refund,
-- which was the last one of its purchase.
CREATE TABLE IF NOT EXISTS {refunds} (
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
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	reason TEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY {index refunds_by_provider_id} (provider_id),
	UNIQUE KEY {index refunds_pending} (purchase_id, pending_amount),
	KEY {index refunds_by_status} (status, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The keys of requests for refunds, with their answers, so that a repeated request gets the same
-- answer. outcome is '' until the request is answered. status and refunded_amount are those of the
-- purchase in the answer. A request with the same key and another body has another body_hash.
CREATE TABLE IF NOT EXISTS {refund_keys} (
	purchase_id VARCHAR(64) NOT NULL,
	request_key VARCHAR(255) NOT NULL,
	body_hash VARCHAR(64) NOT NULL,
	refund_id VARCHAR(64) NULL,
	outcome VARCHAR(16) NOT NULL,
	status VARCHAR(16) NOT NULL,
	refunded_amount BIGINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	PRIMARY KEY (purchase_id, request_key),
	KEY {index refund_keys_by_creation} (created_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- percent_off and amount_off are in hundredths, and one of them is 0. course_id is NULL if the
-- coupon is for every course, and max_redemptions is NULL if there is no limit. redemptions is the
-- number of the purchases with the coupon that are open, completed or refunded.
CREATE TABLE IF NOT EXISTS {coupons} (
	id VARCHAR(64) NOT NULL,
	code VARCHAR(40) NOT NULL,
	percent_off BIGINT NOT NULL,
	amount_off BIGINT NOT NULL,
	course_id VARCHAR(64) NULL,
	starts_at DATETIME(6) NULL,
	ends_at DATETIME(6) NULL,
	max_redemptions BIGINT NULL,
	redemptions BIGINT NOT NULL,
	is_active TINYINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY {index coupons_by_code} (code),
	KEY {index coupons_by_course} (course_id),
	KEY {index coupons_by_creation} (created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Enrolments
-- ----------

-- Enrolments that give access. purchase_id is '' for a user who was enrolled by an admin, who is
-- granted_by, at granted_at. A user who bought the course may have a grant too, which stays when
-- the purchase is refunded.
CREATE TABLE IF NOT EXISTS {enrollments} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	granted_by VARCHAR(191) NULL,
	granted_at DATETIME(6) NULL,
	reason TEXT NULL,
	PRIMARY KEY (user_id, course_id),
	KEY {index enrollments_by_course} (course_id, created_at),
	KEY {index enrollments_by_user} (user_id, created_at, course_id),
	KEY {index enrollments_by_creation} (created_at, user_id, course_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Enrolments that ended. restored_at is when the enrolment was given back, because the refund that
-- ended it failed; the row stays, as the record of who ended the enrolment and when.
CREATE TABLE IF NOT EXISTS {past_enrollments} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	granted_by VARCHAR(191) NULL,
	granted_at DATETIME(6) NULL,
	ended_at DATETIME(6) NOT NULL,
	ended_by VARCHAR(191) NULL,
	restored_at DATETIME(6) NULL,
	reason TEXT NULL,
	end_reason TEXT NULL,
	PRIMARY KEY (id),
	KEY {index past_enrollments_by_user} (user_id, created_at, course_id),
	KEY {index past_enrollments_by_course} (course_id, created_at, user_id),
	KEY {index past_enrollments_by_creation} (created_at, user_id, course_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Learning
-- --------

-- Lectures that a user has completed. The row stays if the lecture is removed from its course, so
-- that it is completed if it is added again.
CREATE TABLE IF NOT EXISTS {completed_lectures} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	lecture_id VARCHAR(100) NOT NULL,
	completed_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, course_id, lecture_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Courses that a user has completed: the row is inserted together with the event course.completed,
-- so that there is one.
CREATE TABLE IF NOT EXISTS {course_completions} (
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	completed_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, course_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The time that users spent: a row for each user, page, path and UTC day, with the sum of all
-- visits. place is a hash of page and path, which are longer than a key may be. course_id and
-- chapter_id are those of the path, or ''. last_visit is the latest visit of the day: the
-- statistics of a page show its path.
CREATE TABLE IF NOT EXISTS {time_entries} (
	user_id VARCHAR(191) NOT NULL,
	place VARCHAR(32) NOT NULL,
	day DATETIME(6) NOT NULL,
	page VARCHAR(100) NOT NULL,
	path VARCHAR(500) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	milliseconds BIGINT NOT NULL,
	visits BIGINT NOT NULL,
	last_visit DATETIME(6) NULL,
	PRIMARY KEY (user_id, place, day),
	KEY {index time_entries_by_day} (user_id, day),
	KEY {index time_entries_by_course} (user_id, course_id, chapter_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The days on which users spent time. A visit locks the row of its day, so that the time of one
-- day is bounded.
CREATE TABLE IF NOT EXISTS {time_days} (
	user_id VARCHAR(191) NOT NULL,
	day DATETIME(6) NOT NULL,
	writes BIGINT NOT NULL,
	PRIMARY KEY (user_id, day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Certificates of completed courses. The names are those of the time of issue. filed_at is when
-- the PDF was stored. is_revoked is 1 if revoked_at is set: a status list reads the few revoked
-- numbers of a range by key. pdf_unused is 1 when the PDF of a revoked certificate is in
-- unused_files, so that the revoked ones with 0 are those whose PDF may still be in the media
-- store.
CREATE TABLE IF NOT EXISTS {certificates} (
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
	pdf_unused TINYINT NOT NULL DEFAULT 0,
	revoked_at DATETIME(6) NULL,
	revocation_reason VARCHAR(1000) NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY {index certificates_by_user} (user_id, course_id),
	UNIQUE KEY {index certificates_by_number} (number),
	KEY {index certificates_by_revocation} (is_revoked, number),
	KEY {index certificates_by_unused_pdf} (is_revoked, pdf_unused, revoked_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The last of the numbers that are given out in sequence without gaps.
CREATE TABLE IF NOT EXISTS {counters} (
	name VARCHAR(64) NOT NULL,
	counted BIGINT NOT NULL,
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Community
-- ---------

-- The table is not called groups, because that is a reserved word of MySQL. name_key is a hash of
-- the name that is the same for names which differ in case only.
CREATE TABLE IF NOT EXISTS {community_groups} (
	id VARCHAR(64) NOT NULL,
	name VARCHAR(60) NOT NULL,
	name_key VARCHAR(64) NOT NULL,
	slug VARCHAR(191) NOT NULL,
	description VARCHAR(200) NOT NULL,
	icon VARCHAR(16) NOT NULL,
	is_official TINYINT NOT NULL,
	members BIGINT NOT NULL,
	posts BIGINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY {index community_groups_by_name} (name_key),
	UNIQUE KEY {index community_groups_by_slug} (slug)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS {memberships} (
	user_id VARCHAR(191) NOT NULL,
	group_id VARCHAR(64) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, group_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- group_id is NULL for a post outside groups. tags is a JSON array. accepted_reply_id is the reply
-- that the author accepted as the answer. Each list of posts is read in pages by the index in its
-- order.
CREATE TABLE IF NOT EXISTS {posts} (
	id VARCHAR(64) NOT NULL,
	group_id VARCHAR(64) NULL,
	author_id VARCHAR(191) NOT NULL,
	title VARCHAR(200) NOT NULL,
	tags VARCHAR(1000) NOT NULL,
	upvotes BIGINT NOT NULL,
	replies BIGINT NOT NULL,
	is_resolved TINYINT NOT NULL,
	accepted_reply_id VARCHAR(64) NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY {index posts_by_group} (group_id, created_at, id),
	KEY {index posts_of_group_by_upvotes} (group_id, upvotes, created_at, id),
	KEY {index posts_by_creation} (created_at, id, group_id),
	KEY {index posts_by_upvotes} (upvotes, created_at, id),
	KEY {index posts_by_author} (author_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

CREATE TABLE IF NOT EXISTS {replies} (
	id VARCHAR(64) NOT NULL,
	post_id VARCHAR(64) NOT NULL,
	author_id VARCHAR(191) NOT NULL,
	upvotes BIGINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY {index replies_by_post} (post_id, created_at, id),
	KEY {index replies_by_author} (author_id, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Upvotes of posts and replies. reply_id is '' for a vote for the post itself, so that the votes
-- of a post and of its replies are deleted together.
CREATE TABLE IF NOT EXISTS {votes} (
	post_id VARCHAR(64) NOT NULL,
	reply_id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	PRIMARY KEY (post_id, reply_id, user_id),
	KEY {index votes_by_user} (user_id, post_id, reply_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Reports of users that a post or, with a reply_id, a reply breaks the rules. reporter_id is NULL
-- for a deleted user, so that the unique key keeps the complaints of several of them.
CREATE TABLE IF NOT EXISTS {complaints} (
	id VARCHAR(64) NOT NULL,
	post_id VARCHAR(64) NOT NULL,
	reply_id VARCHAR(64) NOT NULL,
	reporter_id VARCHAR(191) NULL,
	status VARCHAR(16) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	decided_by VARCHAR(191) NULL,
	decided_at DATETIME(6) NULL,
	reason TEXT NOT NULL,
	excerpt TEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY {index complaints_of_reporter} (reporter_id, post_id, reply_id),
	KEY {index complaints_by_post} (post_id, reply_id),
	KEY {index complaints_by_creation} (created_at, id),
	KEY {index complaints_by_status} (status, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- AI
-- --

-- The tokens that a user has spent on a UTC day, such as 2006-01-02.
CREATE TABLE IF NOT EXISTS {ai_usage} (
	day VARCHAR(10) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	prompt_tokens BIGINT NOT NULL,
	completion_tokens BIGINT NOT NULL,
	PRIMARY KEY (day, user_id),
	KEY {index ai_usage_by_user} (user_id, day)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The most tokens that a running call of the AI can spend. The row is deleted when the call has
-- ended and its usage is in ai_usage. If the process crashes, the row stays and counts as usage
-- when its lease has expired.
CREATE TABLE IF NOT EXISTS {ai_reservations} (
	day VARCHAR(10) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	holder VARCHAR(64) NOT NULL,
	tokens BIGINT NOT NULL,
	lease_until DATETIME(6) NOT NULL,
	PRIMARY KEY (day, user_id, holder),
	KEY {index ai_reservations_by_lease} (lease_until)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The quiz of a chapter. questions is a JSON array; version grows by one when they are written
-- again. chapter_title is that of the time when they were written. is_removed is 1 if the chapter
-- was removed from its course: the row keeps the title for the results, and the version.
CREATE TABLE IF NOT EXISTS {quizzes} (
	id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	chapter_title VARCHAR(200) NOT NULL,
	version BIGINT NOT NULL,
	is_removed TINYINT NOT NULL DEFAULT 0,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	questions MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY {index quizzes_by_chapter} (course_id, chapter_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Attempts at quizzes, with the version that was marked. answers is a JSON array.
CREATE TABLE IF NOT EXISTS {quiz_results} (
	id VARCHAR(64) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	chapter_id VARCHAR(100) NOT NULL,
	version BIGINT NOT NULL,
	score BIGINT NOT NULL,
	total BIGINT NOT NULL,
	percentage BIGINT NOT NULL,
	mastery VARCHAR(16) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	answers VARCHAR(200) NOT NULL,
	recommendations MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id),
	KEY {index quiz_results_by_user} (user_id, created_at),
	KEY {index quiz_results_by_user_and_chapter} (user_id, course_id, chapter_id, created_at),
	KEY {index quiz_results_by_chapter} (course_id, chapter_id, mastery, percentage)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Conversations with the tutor. The user comes first in each key, so that a statement that does
-- not name the user finds none.
CREATE TABLE IF NOT EXISTS {chats} (
	user_id VARCHAR(191) NOT NULL,
	id VARCHAR(64) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	PRIMARY KEY (user_id, id),
	KEY {index chats_by_user} (user_id, updated_at, id),
	KEY {index chats_by_creation} (user_id, created_at, id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- number counts from 0: an even one is a question and the next one its answer, and both are stored
-- in one transaction.
CREATE TABLE IF NOT EXISTS {chat_messages} (
	user_id VARCHAR(191) NOT NULL,
	chat_id VARCHAR(64) NOT NULL,
	number BIGINT NOT NULL,
	role VARCHAR(16) NOT NULL,
	created_at DATETIME(6) NOT NULL,
	content MEDIUMTEXT NOT NULL,
	PRIMARY KEY (user_id, chat_id, number)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- What many nouns use
-- -------------------

-- Numbers that answers show and that are kept, because counting their rows takes longer as tables
-- grow. course_id is the course that a total is of, and '' for the whole platform. kind says what
-- is counted, and part is a currency, a currency and a day, or a chapter; '' if there is one total
-- of the kind. amount is the sum of the amounts, or of the percentages. A total is the sum of its
-- slots: it has several, so that transactions do not wait for each other.
CREATE TABLE IF NOT EXISTS {totals} (
	course_id VARCHAR(64) NOT NULL,
	kind VARCHAR(32) NOT NULL,
	part VARCHAR(100) NOT NULL,
	slot TINYINT NOT NULL,
	number BIGINT NOT NULL,
	amount BIGINT NOT NULL,
	PRIMARY KEY (course_id, kind, part, slot)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The words of the texts that a search reads, in lower case and without accents. list is 1 for
-- words of published courses and 2 for those of users who are not deleted, and row_id is the
-- course or user. person_id is the user whose name has the word, and '' for a word of another
-- text, so that a user who is renamed changes few rows.
CREATE TABLE IF NOT EXISTS {search_words} (
	person_id VARCHAR(191) NOT NULL,
	list TINYINT NOT NULL,
	row_id VARCHAR(191) NOT NULL,
	word VARCHAR(64) NOT NULL,
	PRIMARY KEY (person_id, list, row_id, word),
	KEY {index search_words_by_word} (list, word, row_id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Events and their deliveries: a row for each event and target. seq is the position of the event
-- among those of its subject. shard is the part of a target's events that one lease covers.
-- status_at is when a pending event is due, and the time of the change to any other status.
CREATE TABLE IF NOT EXISTS {event_deliveries} (
	id VARCHAR(64) NOT NULL,
	target VARCHAR(32) NOT NULL,
	shard VARCHAR(40) NOT NULL,
	subject VARCHAR(255) NOT NULL,
	seq BIGINT NOT NULL,
	type VARCHAR(40) NOT NULL,
	data TEXT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	status VARCHAR(16) NOT NULL,
	status_at DATETIME(6) NOT NULL,
	attempts BIGINT NOT NULL,
	last_error TEXT NOT NULL,
	PRIMARY KEY (id, target),
	UNIQUE KEY {index event_deliveries_order} (target, subject, seq),
	KEY {index event_deliveries_due} (shard, status, status_at, subject)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Exclusive rights that expire: an order that is being opened, an application that is being
-- reviewed, a slot at the AI. The row is deleted when its holder releases the lease. An expired
-- lease may be taken over.
CREATE TABLE IF NOT EXISTS {leases} (
	name VARCHAR(255) NOT NULL,
	holder VARCHAR(64) NOT NULL,
	expires_at DATETIME(6) NOT NULL,
	PRIMARY KEY (name),
	KEY {index leases_by_expiry} (expires_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- The saved position of a scan that is spread over several runs, such as that over the payments
-- whose refunds the gateway is asked for.
CREATE TABLE IF NOT EXISTS {sweeps} (
	name VARCHAR(64) NOT NULL,
	started_at DATETIME(6) NOT NULL,
	after_at DATETIME(6) NOT NULL,
	after_id VARCHAR(64) NOT NULL,
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

-- Markers of committed transactions: see internal/sqldb. The id is a UUIDv7, so that old rows are
-- found by the key. fenced is 1 in a row that keeps a transaction from being committed.
CREATE TABLE IF NOT EXISTS {learning_commits} (
	id VARCHAR(36) NOT NULL,
	fenced BIGINT NOT NULL,
	PRIMARY KEY (id)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
