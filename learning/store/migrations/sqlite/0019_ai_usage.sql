-- What the AI has cost, in tokens, of each person on each day (UTC, 2006-01-02).
CREATE TABLE ai_usage (
	day VARCHAR(10) NOT NULL,
	user_id VARCHAR(191) NOT NULL,
	prompt_tokens BIGINT NOT NULL,
	completion_tokens BIGINT NOT NULL,
	PRIMARY KEY (day, user_id)
) WITHOUT ROWID;
