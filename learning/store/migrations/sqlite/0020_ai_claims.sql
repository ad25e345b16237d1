-- Who is about to ask the AI for what, until when at most. Those who share a name have a place each.
CREATE TABLE ai_claims (
	name VARCHAR(255) NOT NULL,
	place TINYINT NOT NULL,
	holder VARCHAR(64) NOT NULL,
	lease_until DATETIME NOT NULL,
	PRIMARY KEY (name, place)
) WITHOUT ROWID;
