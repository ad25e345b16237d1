-- Courses
-- -------

-- A course as lists show it. price and discount are in hundredths. revision grows by one with each
-- change that the list shows, and version with each change by an educator or an admin. The engine
-- computes net_price, the price after the discount in millionths, and rating, the average rating
-- in tenths, as answers show it.
-- Long columns come last, so that reading the others does not read them.
CREATE TABLE {courses} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	title VARCHAR(200) COLLATE "C" NOT NULL,
	thumbnail VARCHAR(255) COLLATE "C" NOT NULL,
	price BIGINT NOT NULL,
	discount BIGINT NOT NULL,
	is_published SMALLINT NOT NULL,
	educator_id VARCHAR(191) COLLATE "C" NOT NULL,
	rating_sum BIGINT NOT NULL,
	rating_count BIGINT NOT NULL,
	lectures BIGINT NOT NULL,
	minutes BIGINT NOT NULL,
	students BIGINT NOT NULL,
	revision BIGINT NOT NULL,
	version BIGINT NOT NULL DEFAULT 1,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	net_price BIGINT GENERATED ALWAYS AS (price * (10000 - discount)) STORED,
	rating BIGINT GENERATED ALWAYS AS (CASE
		WHEN rating_count > 0 THEN (20 * rating_sum + rating_count
			- (20 * rating_sum + rating_count) % (2 * rating_count)) / (2 * rating_count)
		ELSE 0 END) STORED,
	description TEXT COLLATE "C" NOT NULL,
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
CREATE TABLE {course_contents} (
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	content TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (course_id)
);

-- Courses that were deleted. Their revisions count in the revision of the catalogue, so that it
-- never decreases, and reports show the title of failed purchases. A course can be imported and
-- deleted again with the same id.
CREATE TABLE {deleted_courses} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	title VARCHAR(200) COLLATE "C" NOT NULL,
	revision BIGINT NOT NULL,
	deleted_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index deleted_courses_by_course} ON {deleted_courses} (course_id, id);

-- Ratings of courses. courses.rating_sum and courses.rating_count are their sum and number.
CREATE TABLE {ratings} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	stars BIGINT NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (user_id, course_id)
);

-- Files in the media store that no course uses. A row is deleted after its file. A failed deletion
-- sets since to a later time, so that the file comes after the others.
CREATE TABLE {unused_files} (
	name VARCHAR(255) COLLATE "C" NOT NULL,
	since TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (name)
);
CREATE INDEX {index unused_files_by_since} ON {unused_files} (since, name);

-- Users
-- -----

-- Users as the identity provider sends them. deleted_at is set for a deleted user.
CREATE TABLE {users} (
	id VARCHAR(191) COLLATE "C" NOT NULL,
	name VARCHAR(200) COLLATE "C" NOT NULL,
	email VARCHAR(320) COLLATE "C" NOT NULL,
	image_url VARCHAR(2000) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	changed_at TIMESTAMP(6) NOT NULL,
	deleted_at TIMESTAMP(6) NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index users_by_creation} ON {users} (created_at, id) WHERE deleted_at IS NULL;

-- The latest role that was decided here for a user, who may have no record yet. listed_at is
-- created_at of the user, so that the users of a role are read newest first from the index. A role
-- without a record of its user is the first in the list.
CREATE TABLE {roles} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	role VARCHAR(32) COLLATE "C" NOT NULL,
	decided_at TIMESTAMP(6) NOT NULL,
	listed_at TIMESTAMP(6) NOT NULL DEFAULT '9999-12-31 00:00:00.000000',
	PRIMARY KEY (user_id)
);
CREATE INDEX {index roles_by_role} ON {roles} (role, listed_at, user_id);

-- Applications of users who want to be educators, one for each user. holder is the review that was
-- begun last and is not concluded: it may have changed the role at the identity provider.
-- expertise is a JSON array.
CREATE TABLE {applications} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	professional_title VARCHAR(200) COLLATE "C" NOT NULL,
	linkedin_url VARCHAR(2000) COLLATE "C" NOT NULL,
	status VARCHAR(16) COLLATE "C" NOT NULL,
	rejection_reason VARCHAR(1000) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	holder VARCHAR(64) COLLATE "C" NULL,
	previous_role VARCHAR(32) COLLATE "C" NOT NULL,
	expertise TEXT COLLATE "C" NOT NULL,
	bio TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index applications_by_user} ON {applications} (user_id);
CREATE INDEX {index applications_by_status} ON {applications} (status, created_at);
CREATE INDEX {index applications_by_creation} ON {applications} (created_at, id);

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
CREATE TABLE {purchases} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	is_open SMALLINT NULL,
	amount BIGINT NOT NULL,
	currency VARCHAR(3) COLLATE "C" NOT NULL,
	order_id VARCHAR(191) COLLATE "C" NULL,
	payment_id VARCHAR(191) COLLATE "C" NULL,
	is_first_use SMALLINT NULL,
	status VARCHAR(16) COLLATE "C" NOT NULL,
	refunded_amount BIGINT NOT NULL DEFAULT 0,
	pending_refunds BIGINT NOT NULL DEFAULT 0,
	coupon_id VARCHAR(64) COLLATE "C" NULL,
	holds_coupon SMALLINT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	completed_at TIMESTAMP(6) NULL,
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
	id VARCHAR(64) COLLATE "C" NOT NULL,
	purchase_id VARCHAR(64) COLLATE "C" NOT NULL,
	payment_id VARCHAR(191) COLLATE "C" NOT NULL,
	provider_id VARCHAR(191) COLLATE "C" NULL,
	amount BIGINT NOT NULL,
	pending_amount BIGINT NULL,
	currency VARCHAR(3) COLLATE "C" NOT NULL,
	status VARCHAR(16) COLLATE "C" NOT NULL,
	ended_access SMALLINT NOT NULL,
	kept_access SMALLINT NOT NULL DEFAULT 0,
	created_by VARCHAR(191) COLLATE "C" NULL,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	reason TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index refunds_by_provider_id} ON {refunds} (provider_id);
CREATE UNIQUE INDEX {index refunds_pending} ON {refunds} (purchase_id, pending_amount);
CREATE INDEX {index refunds_by_status} ON {refunds} (status, created_at, id);

-- The keys of requests for refunds, with their answers, so that a repeated request gets the same
-- answer. outcome is '' until the request is answered. status and refunded_amount are those of the
-- purchase in the answer. A request with the same key and another body has another body_hash.
CREATE TABLE {refund_keys} (
	purchase_id VARCHAR(64) COLLATE "C" NOT NULL,
	request_key VARCHAR(255) COLLATE "C" NOT NULL,
	body_hash VARCHAR(64) COLLATE "C" NOT NULL,
	refund_id VARCHAR(64) COLLATE "C" NULL,
	outcome VARCHAR(16) COLLATE "C" NOT NULL,
	status VARCHAR(16) COLLATE "C" NOT NULL,
	refunded_amount BIGINT NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (purchase_id, request_key)
);
CREATE INDEX {index refund_keys_by_creation} ON {refund_keys} (created_at);

-- percent_off and amount_off are in hundredths, and one of them is 0. course_id is NULL if the
-- coupon is for every course, and max_redemptions is NULL if there is no limit. redemptions is the
-- number of the purchases with the coupon that are open, completed or refunded.
CREATE TABLE {coupons} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	code VARCHAR(40) COLLATE "C" NOT NULL,
	percent_off BIGINT NOT NULL,
	amount_off BIGINT NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NULL,
	starts_at TIMESTAMP(6) NULL,
	ends_at TIMESTAMP(6) NULL,
	max_redemptions BIGINT NULL,
	redemptions BIGINT NOT NULL,
	is_active SMALLINT NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index coupons_by_code} ON {coupons} (code);
CREATE INDEX {index coupons_by_course} ON {coupons} (course_id);
CREATE INDEX {index coupons_by_creation} ON {coupons} (created_at, id);

-- Enrolments
-- ----------

-- Enrolments that give access. purchase_id is '' for a user who was enrolled by an admin, who is
-- granted_by, at granted_at. A user who bought the course may have a grant too, which stays when
-- the purchase is refunded.
CREATE TABLE {enrollments} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	purchase_id VARCHAR(64) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	granted_by VARCHAR(191) COLLATE "C" NULL,
	granted_at TIMESTAMP(6) NULL,
	reason TEXT COLLATE "C" NULL,
	PRIMARY KEY (user_id, course_id)
);
CREATE INDEX {index enrollments_by_course} ON {enrollments} (course_id, created_at);
CREATE INDEX {index enrollments_by_user} ON {enrollments} (user_id, created_at, course_id);
CREATE INDEX {index enrollments_by_creation} ON {enrollments} (created_at, user_id, course_id);

-- Enrolments that ended. restored_at is when the enrolment was given back, because the refund that
-- ended it failed; the row stays, as the record of who ended the enrolment and when.
CREATE TABLE {past_enrollments} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	purchase_id VARCHAR(64) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	granted_by VARCHAR(191) COLLATE "C" NULL,
	granted_at TIMESTAMP(6) NULL,
	ended_at TIMESTAMP(6) NOT NULL,
	ended_by VARCHAR(191) COLLATE "C" NULL,
	restored_at TIMESTAMP(6) NULL,
	reason TEXT COLLATE "C" NULL,
	end_reason TEXT COLLATE "C" NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index past_enrollments_by_user} ON {past_enrollments} (user_id, created_at, course_id);
CREATE INDEX {index past_enrollments_by_course} ON {past_enrollments} (course_id, created_at, user_id);
CREATE INDEX {index past_enrollments_by_creation} ON {past_enrollments} (created_at, user_id, course_id);

-- Learning
-- --------

-- Lectures that a user has completed. The row stays if the lecture is removed from its course, so
-- that it is completed if it is added again.
CREATE TABLE {completed_lectures} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	lecture_id VARCHAR(100) COLLATE "C" NOT NULL,
	completed_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (user_id, course_id, lecture_id)
);

-- Courses that a user has completed: the row is inserted together with the event course.completed,
-- so that there is one.
CREATE TABLE {course_completions} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	completed_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (user_id, course_id)
);

-- The time that users spent: a row for each user, page, path and UTC day, with the sum of all
-- visits. place is a hash of page and path, which are longer than a key may be. course_id and
-- chapter_id are those of the path, or ''. last_visit is the latest visit of the day: the
-- statistics of a page show its path.
CREATE TABLE {time_entries} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	place VARCHAR(32) COLLATE "C" NOT NULL,
	day TIMESTAMP(6) NOT NULL,
	page VARCHAR(100) COLLATE "C" NOT NULL,
	path VARCHAR(500) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	chapter_id VARCHAR(100) COLLATE "C" NOT NULL,
	milliseconds BIGINT NOT NULL,
	visits BIGINT NOT NULL,
	last_visit TIMESTAMP(6) NULL,
	PRIMARY KEY (user_id, place, day)
);
CREATE INDEX {index time_entries_by_day} ON {time_entries} (user_id, day);
CREATE INDEX {index time_entries_by_course} ON {time_entries} (user_id, course_id, chapter_id);

-- The days on which users spent time. A visit locks the row of its day, so that the time of one
-- day is bounded.
CREATE TABLE {time_days} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	day TIMESTAMP(6) NOT NULL,
	writes BIGINT NOT NULL,
	PRIMARY KEY (user_id, day)
);

-- Certificates of completed courses. The names are those of the time of issue. filed_at is when
-- the PDF was stored. is_revoked is 1 if revoked_at is set: a status list reads the few revoked
-- numbers of a range by key. pdf_unused is 1 when the PDF of a revoked certificate is in
-- unused_files, so that the revoked ones with 0 are those whose PDF may still be in the media
-- store.
CREATE TABLE {certificates} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	number BIGINT NOT NULL,
	student_name VARCHAR(200) COLLATE "C" NOT NULL,
	course_title VARCHAR(200) COLLATE "C" NOT NULL,
	educator_name VARCHAR(200) COLLATE "C" NOT NULL,
	issuer_name VARCHAR(200) COLLATE "C" NOT NULL,
	completed_at TIMESTAMP(6) NOT NULL,
	issued_at TIMESTAMP(6) NOT NULL,
	filed_at TIMESTAMP(6) NULL,
	is_revoked SMALLINT NOT NULL,
	pdf_unused SMALLINT NOT NULL DEFAULT 0,
	revoked_at TIMESTAMP(6) NULL,
	revocation_reason VARCHAR(1000) COLLATE "C" NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index certificates_by_user} ON {certificates} (user_id, course_id);
CREATE UNIQUE INDEX {index certificates_by_number} ON {certificates} (number);
CREATE INDEX {index certificates_by_revocation} ON {certificates} (is_revoked, number);
CREATE INDEX {index certificates_by_unused_pdf} ON {certificates} (is_revoked, pdf_unused, revoked_at, id);

-- The last of the numbers that are given out in sequence without gaps.
CREATE TABLE {counters} (
	name VARCHAR(64) COLLATE "C" NOT NULL,
	counted BIGINT NOT NULL,
	PRIMARY KEY (name)
);

-- Community
-- ---------

-- The table is not called groups, because that is a reserved word of MySQL. name_key is a hash of
-- the name that is the same for names which differ in case only.
CREATE TABLE {community_groups} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	name VARCHAR(60) COLLATE "C" NOT NULL,
	name_key VARCHAR(64) COLLATE "C" NOT NULL,
	slug VARCHAR(191) COLLATE "C" NOT NULL,
	description VARCHAR(200) COLLATE "C" NOT NULL,
	icon VARCHAR(16) COLLATE "C" NOT NULL,
	is_official SMALLINT NOT NULL,
	members BIGINT NOT NULL,
	posts BIGINT NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index community_groups_by_name} ON {community_groups} (name_key);
CREATE UNIQUE INDEX {index community_groups_by_slug} ON {community_groups} (slug);

CREATE TABLE {memberships} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	group_id VARCHAR(64) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (user_id, group_id)
);

-- group_id is NULL for a post outside groups. tags is a JSON array. accepted_reply_id is the reply
-- that the author accepted as the answer. Each list of posts is read in pages by the index in its
-- order.
CREATE TABLE {posts} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	group_id VARCHAR(64) COLLATE "C" NULL,
	author_id VARCHAR(191) COLLATE "C" NOT NULL,
	title VARCHAR(200) COLLATE "C" NOT NULL,
	tags VARCHAR(1000) COLLATE "C" NOT NULL,
	upvotes BIGINT NOT NULL,
	replies BIGINT NOT NULL,
	is_resolved SMALLINT NOT NULL,
	accepted_reply_id VARCHAR(64) COLLATE "C" NULL,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	content TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index posts_by_group} ON {posts} (group_id, created_at, id);
CREATE INDEX {index posts_of_group_by_upvotes} ON {posts} (group_id, upvotes, created_at, id);
CREATE INDEX {index posts_by_creation} ON {posts} (created_at, id, group_id);
CREATE INDEX {index posts_by_upvotes} ON {posts} (upvotes, created_at, id);
CREATE INDEX {index posts_by_author} ON {posts} (author_id, id);

CREATE TABLE {replies} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	post_id VARCHAR(64) COLLATE "C" NOT NULL,
	author_id VARCHAR(191) COLLATE "C" NOT NULL,
	upvotes BIGINT NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	content TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index replies_by_post} ON {replies} (post_id, created_at, id);
CREATE INDEX {index replies_by_author} ON {replies} (author_id, id);

-- Upvotes of posts and replies. reply_id is '' for a vote for the post itself, so that the votes
-- of a post and of its replies are deleted together.
CREATE TABLE {votes} (
	post_id VARCHAR(64) COLLATE "C" NOT NULL,
	reply_id VARCHAR(64) COLLATE "C" NOT NULL,
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (post_id, reply_id, user_id)
);
CREATE INDEX {index votes_by_user} ON {votes} (user_id, post_id, reply_id);

-- Reports of users that a post or, with a reply_id, a reply breaks the rules. reporter_id is NULL
-- for a deleted user, so that the unique key keeps the complaints of several of them.
CREATE TABLE {complaints} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	post_id VARCHAR(64) COLLATE "C" NOT NULL,
	reply_id VARCHAR(64) COLLATE "C" NOT NULL,
	reporter_id VARCHAR(191) COLLATE "C" NULL,
	status VARCHAR(16) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	decided_by VARCHAR(191) COLLATE "C" NULL,
	decided_at TIMESTAMP(6) NULL,
	reason TEXT COLLATE "C" NOT NULL,
	excerpt TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index complaints_of_reporter} ON {complaints} (reporter_id, post_id, reply_id);
CREATE INDEX {index complaints_by_post} ON {complaints} (post_id, reply_id);
CREATE INDEX {index complaints_by_creation} ON {complaints} (created_at, id);
CREATE INDEX {index complaints_by_status} ON {complaints} (status, created_at, id);

-- AI
-- --

-- The tokens that a user has spent on a UTC day, such as 2006-01-02.
CREATE TABLE {ai_usage} (
	day VARCHAR(10) COLLATE "C" NOT NULL,
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	prompt_tokens BIGINT NOT NULL,
	completion_tokens BIGINT NOT NULL,
	PRIMARY KEY (day, user_id)
);
CREATE INDEX {index ai_usage_by_user} ON {ai_usage} (user_id, day);

-- The most tokens that a running call of the AI can spend. The row is deleted when the call has
-- ended and its usage is in ai_usage. If the process crashes, the row stays and counts as usage
-- when its lease has expired.
CREATE TABLE {ai_reservations} (
	day VARCHAR(10) COLLATE "C" NOT NULL,
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	holder VARCHAR(64) COLLATE "C" NOT NULL,
	tokens BIGINT NOT NULL,
	lease_until TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (day, user_id, holder)
);
CREATE INDEX {index ai_reservations_by_lease} ON {ai_reservations} (lease_until);

-- The quiz of a chapter. questions is a JSON array; version grows by one when they are written
-- again. chapter_title is that of the time when they were written. is_removed is 1 if the chapter
-- was removed from its course: the row keeps the title for the results, and the version.
CREATE TABLE {quizzes} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	chapter_id VARCHAR(100) COLLATE "C" NOT NULL,
	chapter_title VARCHAR(200) COLLATE "C" NOT NULL,
	version BIGINT NOT NULL,
	is_removed SMALLINT NOT NULL DEFAULT 0,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	questions TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX {index quizzes_by_chapter} ON {quizzes} (course_id, chapter_id);

-- Attempts at quizzes, with the version that was marked. answers is a JSON array.
CREATE TABLE {quiz_results} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	chapter_id VARCHAR(100) COLLATE "C" NOT NULL,
	version BIGINT NOT NULL,
	score BIGINT NOT NULL,
	total BIGINT NOT NULL,
	percentage BIGINT NOT NULL,
	mastery VARCHAR(16) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	answers VARCHAR(200) COLLATE "C" NOT NULL,
	recommendations TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index quiz_results_by_user} ON {quiz_results} (user_id, created_at);
CREATE INDEX {index quiz_results_by_user_and_chapter} ON {quiz_results} (user_id, course_id, chapter_id, created_at);
CREATE INDEX {index quiz_results_by_chapter} ON {quiz_results} (course_id, chapter_id, mastery, percentage);

-- Conversations with the tutor. The user comes first in each key, so that a statement that does
-- not name the user finds none.
CREATE TABLE {chats} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	id VARCHAR(64) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	updated_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (user_id, id)
);
CREATE INDEX {index chats_by_user} ON {chats} (user_id, updated_at, id);
CREATE INDEX {index chats_by_creation} ON {chats} (user_id, created_at, id);

-- number counts from 0: an even one is a question and the next one its answer, and both are stored
-- in one transaction.
CREATE TABLE {chat_messages} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	chat_id VARCHAR(64) COLLATE "C" NOT NULL,
	number BIGINT NOT NULL,
	role VARCHAR(16) COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	content TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (user_id, chat_id, number)
);

-- What many nouns use
-- -------------------

-- Numbers that answers show and that are kept, because counting their rows takes longer as tables
-- grow. course_id is the course that a total is of, and '' for the whole platform. kind says what
-- is counted, and part is a currency, a currency and a day, or a chapter; '' if there is one total
-- of the kind. amount is the sum of the amounts, or of the percentages. A total is the sum of its
-- slots: it has several, so that transactions do not wait for each other.
CREATE TABLE {totals} (
	course_id VARCHAR(64) COLLATE "C" NOT NULL,
	kind VARCHAR(32) COLLATE "C" NOT NULL,
	part VARCHAR(100) COLLATE "C" NOT NULL,
	slot SMALLINT NOT NULL,
	number BIGINT NOT NULL,
	amount BIGINT NOT NULL,
	PRIMARY KEY (course_id, kind, part, slot)
);

-- The words of the texts that a search reads, in lower case and without accents. list is 1 for
-- words of published courses and 2 for those of users who are not deleted, and row_id is the
-- course or user. person_id is the user whose name has the word, and '' for a word of another
-- text, so that a user who is renamed changes few rows.
CREATE TABLE {search_words} (
	person_id VARCHAR(191) COLLATE "C" NOT NULL,
	list SMALLINT NOT NULL,
	row_id VARCHAR(191) COLLATE "C" NOT NULL,
	word VARCHAR(64) COLLATE "C" NOT NULL,
	PRIMARY KEY (person_id, list, row_id, word)
);
CREATE INDEX {index search_words_by_word} ON {search_words} (list, word, row_id);

-- Events and their deliveries: a row for each event and target. seq is the position of the event
-- among those of its subject. shard is the part of a target's events that one lease covers.
-- status_at is when a pending event is due, and the time of the change to any other status.
CREATE TABLE {event_deliveries} (
	id VARCHAR(64) COLLATE "C" NOT NULL,
	target VARCHAR(32) COLLATE "C" NOT NULL,
	shard VARCHAR(40) COLLATE "C" NOT NULL,
	subject VARCHAR(255) COLLATE "C" NOT NULL,
	seq BIGINT NOT NULL,
	type VARCHAR(40) COLLATE "C" NOT NULL,
	data TEXT COLLATE "C" NOT NULL,
	created_at TIMESTAMP(6) NOT NULL,
	status VARCHAR(16) COLLATE "C" NOT NULL,
	status_at TIMESTAMP(6) NOT NULL,
	attempts BIGINT NOT NULL,
	last_error TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (id, target)
);
CREATE UNIQUE INDEX {index event_deliveries_order} ON {event_deliveries} (target, subject, seq);
CREATE INDEX {index event_deliveries_due} ON {event_deliveries} (shard, status, status_at, subject);

-- Exclusive rights that expire: an order that is being opened, an application that is being
-- reviewed, a slot at the AI. The row is deleted when its holder releases the lease. An expired
-- lease may be taken over.
CREATE TABLE {leases} (
	name VARCHAR(255) COLLATE "C" NOT NULL,
	holder VARCHAR(64) COLLATE "C" NOT NULL,
	expires_at TIMESTAMP(6) NOT NULL,
	PRIMARY KEY (name)
);
CREATE INDEX {index leases_by_expiry} ON {leases} (expires_at);

-- The saved position of a scan that is spread over several runs, such as that over the payments
-- whose refunds the gateway is asked for.
CREATE TABLE {sweeps} (
	name VARCHAR(64) COLLATE "C" NOT NULL,
	started_at TIMESTAMP(6) NOT NULL,
	after_at TIMESTAMP(6) NOT NULL,
	after_id VARCHAR(64) COLLATE "C" NOT NULL,
	PRIMARY KEY (name)
);

-- Markers of committed transactions: see internal/sqldb. The id is a UUIDv7, so that old rows are
-- found by the key. fenced is 1 in a row that keeps a transaction from being committed.
CREATE TABLE {learning_commits} (
	id VARCHAR(36) COLLATE "C" NOT NULL,
	fenced BIGINT NOT NULL,
	PRIMARY KEY (id)
);
