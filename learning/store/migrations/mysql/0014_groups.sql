-- Where people post about one thing. The table is not called groups, which is a word of MySQL's own. name_key is a hash
-- of the name, the same for names that differ in case only.
CREATE TABLE IF NOT EXISTS community_groups (
	id VARCHAR(64) NOT NULL,
	name VARCHAR(60) NOT NULL,
	name_key VARCHAR(64) NOT NULL,
	slug VARCHAR(191) NOT NULL,
	description VARCHAR(200) NOT NULL,
	icon VARCHAR(16) NOT NULL,
	is_official TINYINT NOT NULL,
	members BIGINT NOT NULL,
	posts BIGINT NOT NULL,
	created_at DATETIME(6) NOT NULL,
	updated_at DATETIME(6) NOT NULL,
	PRIMARY KEY (id),
	UNIQUE KEY community_groups_by_name (name_key),
	UNIQUE KEY community_groups_by_slug (slug)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
