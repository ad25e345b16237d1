-- Numbers that answers show and that are kept, because counting their rows would take longer as tables grow. course_id is the
-- course that a total is of, and '' for the whole platform. kind says what is counted, and part is a currency, a currency and
-- a day, or a chapter; '' if there is one total of the kind. amount is the sum of the amounts, or of the percentages. A total
-- is the sum of its slots: it has several, so that transactions do not wait for each other.
CREATE TABLE totals (
	course_id VARCHAR(64) NOT NULL,
	kind VARCHAR(32) NOT NULL,
	part VARCHAR(100) NOT NULL,
	slot TINYINT NOT NULL,
	number BIGINT NOT NULL,
	amount BIGINT NOT NULL,
	PRIMARY KEY (course_id, kind, part, slot)
) WITHOUT ROWID;
