package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/openlectern/openlectern/learning/store"
)

// sqlClients has, for each engine, the program that runs what printMigrations prints, and ends at
// the first error. The scheme of a database's URL begins the name of its engine.
var sqlClients = map[store.Engine]string{
	store.SQLite:     "sqlite3 -bail FILE",
	store.MySQL:      "mysql DATABASE",
	store.PostgreSQL: "psql --set=ON_ERROR_STOP=1 DATABASE",
}

// printMigrations prints the files of [store.Migrations] as one script: those that the database
// lacks, or all, for which it uses no database.
func (p *program) printMigrations(ctx context.Context, all bool) error {
	// Read the files of the engine.
	engine := p.engine()
	files, err := store.Migrations(engine, p.DatabasePrefix)
	if err != nil {
		return err
	}
	names, err := fs.Glob(files, "*")
	if err != nil {
		return err
	}

	// Leave out the migrations that the database has.
	if !all {
		if names, err = p.missingMigrations(ctx, names); err != nil {
			return err
		}
	}

	// Print the files, each as a transaction where the engine can roll back a change of tables.
	begin, commit := "BEGIN;\n", "COMMIT;\n"
	switch engine {
	case store.MySQL:
		begin, commit = "", ""
	case store.PostgreSQL: // without a notice where the list of migrations exists
		begin += "SET LOCAL client_min_messages = warning;\n"
	}
	var script strings.Builder
	fmt.Fprintf(&script, "-- Migrations of Open Lectern: %d. Run them with: %s\n", len(names),
		sqlClients[engine])
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		script.WriteString("\n" + begin + withoutAnnotations(string(text)) + commit)
	}
	_, err = io.WriteString(p.stdout, script.String())
	return err
}

// engine returns the engine of the database's URL, which is valid.
func (p *program) engine() store.Engine {
	for engine := range sqlClients {
		if strings.HasPrefix(p.Database, string(engine)) {
			return engine
		}
	}
	panic("unreachable: the URL of the database was checked")
}

// missingMigrations returns the names of the files that the database lacks. all are those of all
// migrations.
func (p *program) missingMigrations(ctx context.Context, all []string) ([]string, error) {
	// SQLite would create a missing file.
	if file, ok := strings.CutPrefix(p.Database, "sqlite:"); ok {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return all, nil
		}
	}
	st, err := p.openDatabase(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s (--database) cannot be used; --all prints all migrations without "+
			"it: %w", variable("database"), err)
	}
	missing, err := st.MissingMigrations(ctx)
	for i, name := range missing {
		missing[i] = name + ".up.sql"
	}
	return missing, errors.Join(err, st.Close())
}

// withoutAnnotations returns a file without the comments that are for goose.
func withoutAnnotations(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "-- +goose") {
			b.WriteString(line)
		}
	}
	return b.String()
}
