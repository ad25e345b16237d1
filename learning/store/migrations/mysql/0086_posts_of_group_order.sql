-- The most upvoted posts of a group are read in pages, too.
ALTER TABLE posts ADD KEY posts_of_group_by_upvotes (group_id, upvotes, created_at, id);
