-- The words of the texts that a search looks through, in lower case and without accents. list is 1 for words of published
-- courses and 2 for those of users who are not deleted, and row_id is the course or user. person_id is the user whose name has
-- the word, and '' for a word of another text, so that a user who is renamed changes few rows.
CREATE TABLE search_words (
	person_id VARCHAR(191) NOT NULL,
	list TINYINT NOT NULL,
	row_id VARCHAR(191) NOT NULL,
	word VARCHAR(64) NOT NULL,
	PRIMARY KEY (person_id, list, row_id, word)
) WITHOUT ROWID;
CREATE INDEX search_words_by_word ON search_words (list, word, row_id);
