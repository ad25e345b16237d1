-- The list of all applications is read in pages by key, so each page needs an index in its order. applications_by_status
-- has no id, which InnoDB adds to every key.
ALTER TABLE applications ADD KEY applications_by_creation (created_at, id);
