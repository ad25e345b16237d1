-- Markers of committed transactions: see outcome.go. The id is a UUIDv7, so old rows are found by the key. fenced is 1 in a row that keeps a transaction from being committed.
CREATE TABLE learning_commits (
	id VARCHAR(36) NOT NULL,
	fenced BIGINT NOT NULL,
	PRIMARY KEY (id)
) WITHOUT ROWID;
