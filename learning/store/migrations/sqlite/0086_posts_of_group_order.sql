-- The most upvoted posts of a group are read in pages, too.
CREATE INDEX posts_of_group_by_upvotes ON posts (group_id, upvotes, created_at, id);
