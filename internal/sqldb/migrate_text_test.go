package sqldb

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldriver"
)

// wishes is a migration with each line that is rewritten.
const wishes = `-- A DATETIME in a comment stays.
CREATE TABLE {wishes} (
	user_id VARCHAR(191) NOT NULL,
	added_at DATETIME NOT NULL,
	is_granted TINYINT NOT NULL DEFAULT 0,
	is_open TINYINT GENERATED ALWAYS AS (CASE
		WHEN is_granted = 0 THEN 1
		ELSE 0 END) VIRTUAL,
	reason TEXT NULL,
	note MEDIUMTEXT NULL,
	PRIMARY KEY (user_id, added_at)
) WITHOUT ROWID;
CREATE INDEX {index wishes_by_time} ON {wishes} (added_at, user_id); -- only sqlite, mysql
CREATE INDEX {index wishes_by_time} ON {wishes} (added_at) WHERE is_granted = 0; -- only postgres
CREATE UNIQUE INDEX {index wishes_once} ON {wishes} (user_id, is_granted, added_at);

ALTER TABLE {wishes} ADD COLUMN twice TINYINT GENERATED ALWAYS AS (2 * is_granted) VIRTUAL;
CREATE INDEX {index wishes_open} ON {wishes} (is_open, user_id);
UPDATE {wishes} SET note = 'sqlite' WHERE note IS NULL; -- only sqlite
UPDATE {wishes} SET note = 'a server' WHERE note IS NULL; -- only mysql, postgres
`

var wishesOf = map[sqldriver.Engine]string{
	sqldriver.SQLite: `-- A DATETIME in a comment stays.
CREATE TABLE {wishes} (
	user_id VARCHAR(191) NOT NULL,
	added_at DATETIME NOT NULL,
	is_granted TINYINT NOT NULL DEFAULT 0,
	is_open TINYINT GENERATED ALWAYS AS (CASE
		WHEN is_granted = 0 THEN 1
		ELSE 0 END) VIRTUAL,
	reason TEXT NULL,
	note MEDIUMTEXT NULL,
	PRIMARY KEY (user_id, added_at)
) WITHOUT ROWID;
CREATE INDEX {index wishes_by_time} ON {wishes} (added_at, user_id);
CREATE UNIQUE INDEX {index wishes_once} ON {wishes} (user_id, is_granted, added_at);

ALTER TABLE {wishes} ADD COLUMN twice TINYINT GENERATED ALWAYS AS (2 * is_granted) VIRTUAL;
CREATE INDEX {index wishes_open} ON {wishes} (is_open, user_id);
UPDATE {wishes} SET note = 'sqlite' WHERE note IS NULL;
`,
	sqldriver.MySQL: `-- A DATETIME in a comment stays.
CREATE TABLE IF NOT EXISTS {wishes} (
	user_id VARCHAR(191) NOT NULL,
	added_at DATETIME(6) NOT NULL,
	is_granted TINYINT NOT NULL DEFAULT 0,
	is_open TINYINT GENERATED ALWAYS AS (CASE
		WHEN is_granted = 0 THEN 1
		ELSE 0 END) VIRTUAL,
	reason TEXT NULL,
	note MEDIUMTEXT NULL,
	PRIMARY KEY (user_id, added_at),
	KEY {index wishes_by_time} (added_at, user_id),
	UNIQUE KEY {index wishes_once} (user_id, is_granted, added_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;

ALTER TABLE {wishes} ADD COLUMN twice TINYINT GENERATED ALWAYS AS (2 * is_granted) VIRTUAL;
ALTER TABLE {wishes} ADD KEY {index wishes_open} (is_open, user_id);
UPDATE {wishes} SET note = 'a server' WHERE note IS NULL;
`,
	sqldriver.PostgreSQL: `-- A DATETIME in a comment stays.
CREATE TABLE {wishes} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	added_at TIMESTAMP(6) NOT NULL,
	is_granted SMALLINT NOT NULL DEFAULT 0,
	is_open SMALLINT GENERATED ALWAYS AS (CASE
		WHEN is_granted = 0 THEN 1
		ELSE 0 END) STORED,
	reason TEXT COLLATE "C" NULL,
	note TEXT COLLATE "C" NULL,
	PRIMARY KEY (user_id, added_at)
);
CREATE INDEX {index wishes_by_time} ON {wishes} (added_at) WHERE is_granted = 0;
CREATE UNIQUE INDEX {index wishes_once} ON {wishes} (user_id, is_granted, added_at);

ALTER TABLE {wishes} ADD COLUMN twice SMALLINT GENERATED ALWAYS AS (2 * is_granted) STORED;
CREATE INDEX {index wishes_open} ON {wishes} (is_open, user_id);
UPDATE {wishes} SET note = 'a server' WHERE note IS NULL;
`,
}

// TestReadSteps_RewritesLines checks the text that each engine gets.
func TestReadSteps_RewritesLines(t *testing.T) {
	t.Parallel()
	for engine, want := range wishesOf {
		steps, err := ReadSteps(engine, fstest.MapFS{"0002_wishes.sql": {Data: []byte(wishes)}})
		if err != nil || len(steps) != 1 {
			t.Fatalf("%s: %d steps (%v)", engine, len(steps), err)
		}
		if diff := cmp.Diff(want, steps[0].text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", engine, diff)
		}
	}
}

// TestReadSteps_IndexOfAnotherTable_StaysOutsideTheTable reads an index that follows a CREATE
// TABLE, and is not one of its table.
func TestReadSteps_IndexOfAnotherTable_StaysOutsideTheTable(t *testing.T) {
	t.Parallel()
	const text = "CREATE TABLE {a} (\n\tid BIGINT NOT NULL,\n\tPRIMARY KEY (id)\n);\n" +
		"CREATE INDEX {index b_by_c} ON {b} (c);\nCREATE INDEX {index a_by_id} ON {a} (id);\n"
	steps, err := ReadSteps(sqldriver.MySQL, fstest.MapFS{"0001_a.sql": {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"CREATE TABLE IF NOT EXISTS {a} (\n\tid BIGINT NOT NULL,\n\tPRIMARY KEY (id)\n)" +
			mysqlDialect.tableOptions,
		"ALTER TABLE {b} ADD KEY {index b_by_c} (c)",
		"ALTER TABLE {a} ADD KEY {index a_by_id} (id)",
	}
	if diff := cmp.Diff(want, steps[0].Statements); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestMigrate_RewrittenLines runs the text on each engine. The engine must accept every line.
func TestMigrate_RewrittenLines(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := withSteps(t, e.URL(t), fstest.MapFS{"0002_wishes.sql": {Data: []byte(wishes)}})
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := count(t, s, "wishes WHERE is_open = 1 AND twice = 0"); got != 0 {
			t.Errorf("%d rows", got)
		}
	})
}
