-- Bundles that are sold. course_id of their purchases is the id of the bundle, and bundle_title its
-- title when the order was opened. bundle_title is NULL for the purchase of a course.
ALTER TABLE {purchases} ADD COLUMN bundle_title VARCHAR(200) NULL;
-- 1 for a refund of lines that an admin has named. Its pending_amount is NULL, so that two refunds of
-- different lines may have the same amount.
ALTER TABLE {refunds} ADD COLUMN is_by_lines TINYINT NOT NULL DEFAULT 0;

-- The lines of the purchases of bundles, one for each course. id is the id of the purchase with the
-- number of the line, and stands in purchase_id of the enrolment that the line gives. end_state is 0
-- while the line gives access, 1 after a refund of its line and 2 after one of all. refund_ended and
-- dispute_ended are 1 while an enrolment is ended because of that. created_at is that of the purchase.
CREATE TABLE {purchase_lines} (
	id VARCHAR(64) NOT NULL,
	purchase_id VARCHAR(64) NOT NULL,
	line_number BIGINT NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	course_id VARCHAR(64) NOT NULL,
	amount BIGINT NOT NULL,
	refunded_amount BIGINT NOT NULL,
	pending_refunds BIGINT NOT NULL,
	end_state BIGINT NOT NULL,
	refund_ended TINYINT NOT NULL,
	dispute_ended TINYINT NOT NULL,
	term_days BIGINT NOT NULL,
	term_until DATETIME NULL,
	expires_at DATETIME NULL,
	created_at DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE INDEX {index purchase_lines_by_purchase} ON {purchase_lines} (purchase_id, line_number);
CREATE INDEX {index purchase_lines_by_user} ON {purchase_lines} (user_id, course_id);
CREATE INDEX {index purchase_lines_of_course} ON {purchase_lines} (course_id, created_at, purchase_id);

-- What refunds give back for lines. A line that a refund names is here also if it gives back nothing.
CREATE TABLE {refund_lines} (
	refund_id VARCHAR(64) NOT NULL,
	line_id VARCHAR(64) NOT NULL,
	amount BIGINT NOT NULL,
	PRIMARY KEY (refund_id, line_id)
) WITHOUT ROWID;
