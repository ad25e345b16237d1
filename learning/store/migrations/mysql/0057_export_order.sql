-- An export reads the rows of one user in pages by key, so each page needs an index that begins with the user.
ALTER TABLE purchases ADD KEY purchases_by_user (user_id, id);
ALTER TABLE posts ADD KEY posts_by_author (author_id, id);
ALTER TABLE replies ADD KEY replies_by_author (author_id, id);
ALTER TABLE votes ADD KEY votes_by_user (user_id, post_id, reply_id);
ALTER TABLE ai_usage ADD KEY ai_usage_by_user (user_id, day);
