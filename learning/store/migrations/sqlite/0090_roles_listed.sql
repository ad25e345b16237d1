-- listed_at is created_at of the user, so that the users of a role are read newest first from the index. A role without a
-- record of its user, or of an older program, is the first in the list.
ALTER TABLE roles ADD COLUMN listed_at DATETIME NOT NULL DEFAULT '9999-12-31 00:00:00.000000';
DROP INDEX roles_by_role;
CREATE INDEX roles_by_role ON roles (role, listed_at, user_id);
