-- An export reads the rows of one user in pages by key, so each page needs an index that begins with the user.
CREATE INDEX purchases_by_user ON purchases (user_id, id);
CREATE INDEX posts_by_author ON posts (author_id, id);
CREATE INDEX replies_by_author ON replies (author_id, id);
CREATE INDEX votes_by_user ON votes (user_id, post_id, reply_id);
CREATE INDEX ai_usage_by_user ON ai_usage (user_id, day);
