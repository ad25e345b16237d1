-- The list of all applications is read in pages by key, so each page needs an index in its order.
CREATE INDEX applications_by_creation ON applications (created_at, id);
