-- Where people post about one thing. The table is not called groups, which is a word of MySQL's own. name_key is a hash
-- of the name, the same for names that differ in case only.
CREATE TABLE community_groups (
	id VARCHAR(64) NOT NULL,
	name VARCHAR(60) NOT NULL,
	name_key VARCHAR(64) NOT NULL,
	slug VARCHAR(191) NOT NULL,
	description VARCHAR(200) NOT NULL,
	icon VARCHAR(16) NOT NULL,
	is_official TINYINT NOT NULL,
	members BIGINT NOT NULL,
	posts BIGINT NOT NULL,
	created_at DATETIME NOT NULL,
	updated_at DATETIME NOT NULL,
	PRIMARY KEY (id)
);
CREATE UNIQUE INDEX community_groups_by_name ON community_groups (name_key);
CREATE UNIQUE INDEX community_groups_by_slug ON community_groups (slug);
