-- Lists are read in pages by key, so each page needs an index in the order of its list. Those of attempts and of
-- applications of a status exist without the id: rows with equal times are few.
ALTER TABLE courses
	ADD KEY courses_by_creation (created_at, id),
	ADD KEY courses_of_educator (educator_id, created_at, id);
ALTER TABLE chats ADD KEY chats_by_creation (user_id, created_at, id);
ALTER TABLE purchases ADD KEY purchases_of_status (status, created_at, id);
