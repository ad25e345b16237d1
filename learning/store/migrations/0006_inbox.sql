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
CREATE INDEX {index notifications_by_course} ON {notifications} (course_id);
CREATE INDEX {index notifications_by_actor} ON {notifications} (actor_id, kind);

-- The kinds of notifications that a user wants none of.
CREATE TABLE {muted_notifications} (
	user_id VARCHAR(191) NOT NULL,
	kind VARCHAR(32) NOT NULL,
	PRIMARY KEY (user_id, kind)
) WITHOUT ROWID;
