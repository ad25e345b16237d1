-- What users are told. A row is written in the transaction of what it tells, in place of the one of
-- the same reader, kind and thing, and gets a new id. thing is the id of what it tells. actor_id is
-- who did it, '' if the reader is not told who. The other ids are those of what it names, '' for
-- none. decision is what was decided, of kinds that name nothing else.
CREATE TABLE {notifications} (
	user_id VARCHAR(191) NOT NULL,
	kind VARCHAR(32) NOT NULL,
	thing VARCHAR(64) NOT NULL,
	id VARCHAR(64) NOT NULL,
	actor_id VARCHAR(191) NOT NULL DEFAULT '',
	is_read TINYINT NOT NULL DEFAULT 0,
	created_at DATETIME NOT NULL,
	course_id VARCHAR(64) NOT NULL DEFAULT '',
	chapter_id VARCHAR(100) NOT NULL DEFAULT '',
	lecture_id VARCHAR(100) NOT NULL DEFAULT '',
	post_id VARCHAR(64) NOT NULL DEFAULT '',
	reply_id VARCHAR(64) NOT NULL DEFAULT '',
	submission_id VARCHAR(64) NOT NULL DEFAULT '',
	attempt_id VARCHAR(64) NOT NULL DEFAULT '',
	review_id VARCHAR(64) NOT NULL DEFAULT '',
	certificate_id VARCHAR(64) NOT NULL DEFAULT '',
	purchase_id VARCHAR(64) NOT NULL DEFAULT '',
	announcement_id VARCHAR(64) NOT NULL DEFAULT '',
	decision VARCHAR(32) NOT NULL DEFAULT '',
	PRIMARY KEY (user_id, kind, thing)
) WITHOUT ROWID;
CREATE INDEX {index notifications_by_creation} ON {notifications} (user_id, created_at, id);
CREATE INDEX {index notifications_unread} ON {notifications} (user_id, is_read, created_at, id);
CREATE INDEX {index notifications_oldest} ON {notifications} (created_at, id, user_id);
CREATE INDEX {index notifications_by_post} ON {notifications} (post_id, reply_id);
CREATE INDEX {index notifications_by_review} ON {notifications} (review_id);
CREATE INDEX {index notifications_by_announcement} ON {notifications} (announcement_id, user_id);
CREATE INDEX {index notifications_by_course} ON {notifications} (course_id);
CREATE INDEX {index notifications_by_actor} ON {notifications} (actor_id, kind);

-- The kinds of notifications that a user wants none of.
CREATE TABLE {muted_notifications} (
	user_id VARCHAR(191) NOT NULL,
	kind VARCHAR(32) NOT NULL,
	PRIMARY KEY (user_id, kind)
) WITHOUT ROWID;

-- Announcements to the students of a course. state is 1 while students are told, 0 afterwards, and 2
-- for one that was deleted and whose notifications are being deleted. told_at and told_user_id are
-- the position of the last student who was told, in the order of the enrolments of the course.
CREATE TABLE {announcements} (
	id VARCHAR(64) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	author_id VARCHAR(191) NOT NULL,
	title VARCHAR(200) NOT NULL,
	state BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	told_at DATETIME NULL,
	told_user_id VARCHAR(191) NOT NULL DEFAULT '',
	body MEDIUMTEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index announcements_by_course} ON {announcements} (course_id, created_at, id);
CREATE INDEX {index announcements_by_state} ON {announcements} (state, created_at, id);
CREATE INDEX {index announcements_by_author} ON {announcements} (author_id, created_at, id);
