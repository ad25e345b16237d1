-- indexed_version is the version of a course whose words are in search_words. An older program changes the version only, so
-- that the engine sets words_missing.
ALTER TABLE courses ADD COLUMN indexed_version BIGINT NOT NULL DEFAULT 0;
ALTER TABLE courses ADD COLUMN words_missing TINYINT AS (CASE WHEN indexed_version = version THEN 0 ELSE 1 END);
CREATE INDEX courses_without_words ON courses (words_missing, id);
