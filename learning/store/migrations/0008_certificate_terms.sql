-- What a certificate of the course asks beside all lectures: 1 if it asks all quizzes that are
-- written by hand passed, and all assignments graded.
ALTER TABLE {courses} ADD COLUMN certificate_quizzes TINYINT NOT NULL DEFAULT 0;
ALTER TABLE {courses} ADD COLUMN certificate_assignments TINYINT NOT NULL DEFAULT 0;
