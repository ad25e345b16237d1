-- The words of names in a list of their own, in which educators search their students.
INSERT INTO {search_words} (person_id, list, row_id, word)
	SELECT w.person_id, 4, w.row_id, w.word FROM {search_words} w
	WHERE w.list = 2 AND w.person_id = w.row_id
		AND NOT EXISTS (SELECT 1 FROM {search_words} n WHERE n.person_id = w.person_id
			AND n.list = 4 AND n.row_id = w.row_id AND n.word = w.word);
