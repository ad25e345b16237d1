-- A file of the list is removed in two steps, because the media store takes part in no transaction:
-- first the row is marked, and then the file and the row are deleted. No course can use a marked
-- file.
ALTER TABLE {unused_files} ADD COLUMN is_removing TINYINT NOT NULL DEFAULT 0;
