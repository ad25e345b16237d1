-- Roles that were stored before the column get the time of the record of their user.
UPDATE roles SET listed_at = COALESCE((SELECT u.created_at FROM users u WHERE u.id = roles.user_id), listed_at);
