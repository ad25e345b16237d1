-- Who is about to ask the AI for what, until when at most. Those who share a name have a place each.
CREATE TABLE IF NOT EXISTS ai_claims (
	name VARCHAR(255) NOT NULL,
	place TINYINT NOT NULL,
	holder VARCHAR(64) NOT NULL,
	lease_until DATETIME(6) NOT NULL,
	PRIMARY KEY (name, place)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
