-- How far a walk over many rows has come that takes several runs, such as that over the payments whose refunds the
-- gateway is asked for.
CREATE TABLE IF NOT EXISTS sweeps (
	name VARCHAR(64) NOT NULL,
	started_at DATETIME(6) NOT NULL,
	after_at DATETIME(6) NOT NULL,
	after_id VARCHAR(64) NOT NULL,
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
