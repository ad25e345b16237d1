package sqldb

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldriver"
)

// wishes is a migration for all engines, with each line that is rewritten.
const wishes = `-- A DATETIME in a comment stays.
CREATE TABLE {wishes} (
	user_id VARCHAR(191) NOT NULL,
	added_at DATETIME NOT NULL,
	is_granted TINYINT NOT NULL DEFAULT 0,
	note MEDIUMTEXT NULL,
	PRIMARY KEY (user_id, added_at)
) WITHOUT ROWID;
ALTER TABLE {wishes} ADD COLUMN is_open TINYINT AS (CASE WHEN is_granted = 0 THEN 1 ELSE 0 END);
CREATE INDEX {index wishes_by_time} ON {wishes} (added_at, user_id);
CREATE UNIQUE INDEX {index wishes_once} ON {wishes} (user_id, is_granted, added_at);
UPDATE {wishes} SET note = 'sqlite' WHERE note IS NULL; -- only sqlite
UPDATE {wishes} SET note = 'a server' WHERE note IS NULL; -- only mysql, postgres
`

var wishesOf = map[sqldriver.Engine]string{
	sqldriver.SQLite: strings.NewReplacer(" -- only sqlite", "",
		"UPDATE {wishes} SET note = 'a server' WHERE note IS NULL; -- only mysql, postgres\n", "",
	).Replace(wishes),
	sqldriver.MySQL: `-- A DATETIME in a comment stays.
CREATE TABLE IF NOT EXISTS {wishes} (
	user_id VARCHAR(191) NOT NULL,
	added_at DATETIME(6) NOT NULL,
	is_granted TINYINT NOT NULL DEFAULT 0,
	note MEDIUMTEXT NULL,
	PRIMARY KEY (user_id, added_at)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin ROW_FORMAT=DYNAMIC;
ALTER TABLE {wishes} ADD COLUMN is_open TINYINT AS (CASE WHEN is_granted = 0 THEN 1 ELSE 0 END);
ALTER TABLE {wishes} ADD KEY {index wishes_by_time} (added_at, user_id);
ALTER TABLE {wishes} ADD UNIQUE KEY {index wishes_once} (user_id, is_granted, added_at);
UPDATE {wishes} SET note = 'a server' WHERE note IS NULL;
`,
	sqldriver.PostgreSQL: `-- A DATETIME in a comment stays.
CREATE TABLE {wishes} (
	user_id VARCHAR(191) COLLATE "C" NOT NULL,
	added_at TIMESTAMP(6) NOT NULL,
	is_granted SMALLINT NOT NULL DEFAULT 0,
	note TEXT COLLATE "C" NULL,
	PRIMARY KEY (user_id, added_at)
);
ALTER TABLE {wishes} ADD COLUMN is_open SMALLINT GENERATED ALWAYS AS (CASE WHEN is_granted = 0 THEN 1 ELSE 0 END) STORED;
CREATE INDEX {index wishes_by_time} ON {wishes} (added_at, user_id);
CREATE UNIQUE INDEX {index wishes_once} ON {wishes} (user_id, is_granted, added_at);
UPDATE {wishes} SET note = 'a server' WHERE note IS NULL;
`,
}

// TestReadSteps_TextForAllEngines checks the text that each engine gets.
func TestReadSteps_TextForAllEngines(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"0002_wishes.sql": {Data: []byte(wishes)},
		"sqlite/0001_a.sql":   {Data: []byte("-- DATETIME\n")},
		"mysql/0001_a.sql":    {Data: []byte("DATETIME;\n")},
		"postgres/0001_a.sql": {Data: []byte("VARCHAR(9);\n")},
	}
	for engine, want := range wishesOf {
		steps, err := ReadSteps(engine, files)
		if err != nil || len(steps) != 2 || steps[0].Name != "0001_a" {
			t.Fatalf("%s: %d steps (%v)", engine, len(steps), err)
		}
		own := string(files[string(engine)+"/0001_a.sql"].Data)
		if steps[0].text != own {
			t.Errorf("%s: the text of the engine is read as %q", engine, steps[0].text)
		}
		if diff := cmp.Diff(want, steps[1].text); diff != "" {
			t.Errorf("%s (-want +got):\n%s", engine, diff)
		}
	}
	files["mysql/0002_wishes.sql"] = files["0002_wishes.sql"]
	if _, err := ReadSteps(sqldriver.MySQL, files); err == nil {
		t.Error("a migration that is for all engines and for MySQL is accepted")
	}
}

// TestMigrate_TextForAllEngines runs the text on each engine. The engine must accept every line.
func TestMigrate_TextForAllEngines(t *testing.T) {
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		s := withSteps(t, e.URL(t), fstest.MapFS{"0002_wishes.sql": {Data: []byte(wishes)}})
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := count(t, s, "wishes WHERE is_open = 1"); got != 0 {
			t.Errorf("%d rows", got)
		}
	})
}
