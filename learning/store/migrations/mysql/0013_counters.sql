-- Numbers that are given out in a line, without gaps: how many there were.
CREATE TABLE IF NOT EXISTS counters (
	name VARCHAR(64) NOT NULL,
	counted BIGINT NOT NULL,
	PRIMARY KEY (name)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
