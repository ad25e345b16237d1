-- Admins list the purchases of a course, and write the movements of money of a month into a file.
CREATE INDEX {index purchases_of_course} ON {purchases} (course_id, created_at, id);
CREATE INDEX {index purchases_by_completion} ON {purchases} (completed_at, id);
CREATE INDEX {index refunds_by_change} ON {refunds} (status, updated_at, id);
CREATE INDEX {index papers_by_numbering} ON {papers} (numbered_at, id);
