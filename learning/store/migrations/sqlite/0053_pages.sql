-- Lists are read in pages by key, so each page needs an index in the order of its list. Those of attempts and of
-- applications of a status exist without the id: rows with equal times are few.
CREATE INDEX courses_by_creation ON courses (created_at, id);
CREATE INDEX courses_of_educator ON courses (educator_id, created_at, id);
CREATE INDEX chats_by_creation ON chats (user_id, created_at, id);
CREATE INDEX purchases_of_status ON purchases (status, created_at, id);
