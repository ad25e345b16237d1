-- Numbers that are given out in a line, without gaps: how many there were.
CREATE TABLE counters (
	name VARCHAR(64) NOT NULL,
	counted BIGINT NOT NULL,
	PRIMARY KEY (name)
) WITHOUT ROWID;
