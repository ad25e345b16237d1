-- Unused files are read in the order of since, which a failed deletion sets to a later time.
CREATE INDEX unused_files_by_since ON unused_files (since, name);
