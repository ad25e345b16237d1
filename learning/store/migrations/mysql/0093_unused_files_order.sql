-- Unused files are read in the order of since, which a failed deletion sets to a later time.
ALTER TABLE unused_files ADD KEY unused_files_by_since (since, name);
