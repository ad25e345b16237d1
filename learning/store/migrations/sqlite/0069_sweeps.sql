-- How far a walk over many rows has come that takes several runs, such as that over the payments whose refunds the
-- gateway is asked for.
CREATE TABLE sweeps (
	name VARCHAR(64) NOT NULL,
	started_at DATETIME NOT NULL,
	after_at DATETIME NOT NULL,
	after_id VARCHAR(64) NOT NULL,
	PRIMARY KEY (name)
) WITHOUT ROWID;
