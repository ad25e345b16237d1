-- Files in the media store that no course uses any more. A row is deleted after its file.
CREATE TABLE unused_files (
	name VARCHAR(255) NOT NULL,
	since DATETIME NOT NULL,
	PRIMARY KEY (name)
);
