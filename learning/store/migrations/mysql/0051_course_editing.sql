-- version grows by one with each change of a course by its educator or an admin. is_removed is 1 for the quiz of a chapter
-- that was removed from its course: the row keeps the title of the chapter for the results, and the version.
ALTER TABLE courses ADD COLUMN version BIGINT NOT NULL DEFAULT 1;
ALTER TABLE quizzes ADD COLUMN is_removed TINYINT NOT NULL DEFAULT 0;
