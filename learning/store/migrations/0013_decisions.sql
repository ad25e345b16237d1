-- What staff has decided about users, and about what they have written or bought. A row is written in
-- the transaction that carries the decision out, and stays. decided_by is '' for the host itself, and
-- user_id '' if nobody is concerned. The other ids are those of what it is about, '' for none. reason
-- is '' for none, and becomes '' when the user or the course is deleted.
CREATE TABLE {decisions} (
	id VARCHAR(64) NOT NULL,
	kind VARCHAR(32) NOT NULL,
	decided_by VARCHAR(191) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	created_at DATETIME NOT NULL,
	chapter_id VARCHAR(100) NOT NULL DEFAULT '',
	purchase_id VARCHAR(64) NOT NULL DEFAULT '',
	refund_id VARCHAR(64) NOT NULL DEFAULT '',
	application_id VARCHAR(64) NOT NULL DEFAULT '',
	post_id VARCHAR(64) NOT NULL DEFAULT '',
	reply_id VARCHAR(64) NOT NULL DEFAULT '',
	review_id VARCHAR(64) NOT NULL DEFAULT '',
	report_id VARCHAR(64) NOT NULL DEFAULT '',
	reason TEXT NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index decisions_by_creation} ON {decisions} (created_at, id);
CREATE INDEX {index decisions_of_user} ON {decisions} (user_id, created_at, id);
CREATE INDEX {index decisions_of_course} ON {decisions} (course_id, created_at, id);
CREATE INDEX {index decisions_of_user_in_course} ON {decisions} (user_id, course_id, created_at, id);

-- author_id is the author of what was reported, and course_id the course of the post or the review,
-- NULL for none. author_id is NULL in rows of before.
ALTER TABLE {complaints} ADD COLUMN author_id VARCHAR(191) NULL;
ALTER TABLE {complaints} ADD COLUMN course_id VARCHAR(64) NULL;
