-- indexed_at is changed_at of the record whose words are in search_words, and NULL if there are none, as for a deleted user. An
-- older program changes changed_at and deleted_at only, so that the engine sets words_missing: also if words are left over.
ALTER TABLE users
	ADD COLUMN indexed_at DATETIME(6) NULL,
	ADD COLUMN words_missing TINYINT AS (CASE WHEN deleted_at IS NULL THEN (CASE WHEN indexed_at = changed_at THEN 0 ELSE 1 END) ELSE (CASE WHEN indexed_at IS NULL THEN 0 ELSE 1 END) END),
	ADD KEY users_without_words (words_missing, id);
