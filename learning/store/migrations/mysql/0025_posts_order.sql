-- The lists of posts are read in pages by key, so each page needs an index in its order: posts_by_creation, with the
-- group for those who read the posts of their groups, and posts_by_upvotes, which has all that the order consists of.
ALTER TABLE posts ADD KEY posts_by_creation (created_at, id, group_id), ADD KEY posts_by_upvotes (upvotes, created_at, id);
