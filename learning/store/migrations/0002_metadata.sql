-- What a host keeps with a course, a user, an enrolment or a purchase: a JSON object of texts, or
-- NULL for none. The pairs of a course are in search_words too, with the list 3, so that the
-- catalogue can be filtered by them: the word is the SHA-256 of the key, = and the value.
ALTER TABLE {courses} ADD COLUMN metadata TEXT NULL;
ALTER TABLE {users} ADD COLUMN metadata TEXT NULL;
ALTER TABLE {enrollments} ADD COLUMN metadata TEXT NULL;
ALTER TABLE {past_enrollments} ADD COLUMN metadata TEXT NULL;
ALTER TABLE {purchases} ADD COLUMN metadata TEXT NULL;
