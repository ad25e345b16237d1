package main

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/store"
)

// runSQL runs a script with the client of a database, which it gets as its input. On SQLite the
// driver runs it.
func runSQL(t *testing.T, database, script string) (output string, err error) {
	t.Helper()
	var client *exec.Cmd
	switch scheme, _, _ := strings.Cut(database, ":"); scheme {
	case "sqlite":
		_, err := openDatabase(t, database).Exec(script)
		return "", err
	case "postgres":
		client = exec.Command("psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", database)
	default:
		_, missing := exec.LookPath("mariadb")
		enginetest.Need(t, "mariadb", missing)
		client = exec.Command("mariadb", clientArgs(t, database)...)
	}
	client.Stdin = strings.NewReader(script)
	out, err := client.CombinedOutput()
	return string(out), err
}

// printedMigrations returns what the command migrate --print prints, with more flags.
func printedMigrations(t *testing.T, database string, flags ...string) string {
	t.Helper()
	args := append([]string{"--database=" + database, "migrate", "--print"}, flags...)
	code, stdout, stderr := command(t, args...)
	if code != 0 {
		t.Fatalf("migrate --print: %s", stderr)
	}
	return stdout
}

func TestMigrateCommand_Print_ClientMakesTheTables(t *testing.T) {
	t.Parallel()
	files, err := store.Migrations(store.SQLite, "")
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(files, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	last := strings.TrimSuffix(names[len(names)-1], ".up.sql")
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		database := e.URL(t)
		for _, want := range []string{
			fmt.Sprintf("Migrations of Open Lectern: %d.", len(names)),
			"Migrations of Open Lectern: 0.",
		} {
			script := printedMigrations(t, database)
			if !strings.Contains(script, want) || strings.Contains(script, "goose") {
				t.Errorf("the script is %.300q, want one with %q", script, want)
			}
			if output, err := runSQL(t, database, script); err != nil || output != "" {
				t.Fatalf("the client: %v\n%s", err, output)
			}
		}

		// The server finds its tables, and leaves them to the client.
		if code, stdout, stderr := command(t, "--database="+database, "migrate"); code != 0 ||
			!strings.Contains(stdout, "up to date") {
			t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
		}
		db := openDatabase(t, database)
		var steps int
		if err := db.QueryRow("SELECT COUNT(*) FROM learning_migrations").Scan(&steps); err != nil ||
			steps != len(names)+1 { // and the one that says who migrates
			t.Errorf("%d rows in the list of migrations (%v)", steps, err)
		}
		if _, err := db.Exec("DELETE FROM learning_migrations WHERE name = '" + last + "'"); err !=
			nil {
			t.Fatal(err)
		}
		code, _, stderr := command(t, "--database="+database, "migrate")
		if want := "it lacks " + last + ": run your migration tool"; code != 1 ||
			!strings.Contains(stderr, want) || !strings.Contains(stderr, "migrate --print") {
			t.Errorf("exit code %d, %q, want %q", code, stderr, want)
		}
	})
}

func TestMigrateCommand_PrintAfterMigrate_ClientFails(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		database := e.URL(t)
		if code, _, stderr := command(t, "--database="+database, "migrate"); code != 0 {
			t.Fatal(stderr)
		}
		output, err := runSQL(t, database, printedMigrations(t, database, "--all"))
		if err != nil {
			output += err.Error()
		}
		if err == nil || !strings.Contains(output, "Store.Migrate migrates this database") {
			t.Errorf("the client: %v\n%s", err, output)
		}
	})
}

func TestMigrateCommand_Print_NeedsNoDatabase(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "learning.db")
	if script := printedMigrations(t, "sqlite:"+file); !strings.Contains(script, "users") {
		t.Errorf("the script is %.300q", script)
	}
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Errorf("the command has created a file (%v)", err)
	}
	const nowhere = "//user:secret@127.0.0.1:1/name"
	for scheme, client := range map[string]string{"mysql": "mysql ", "postgres": "psql ",
		"postgresql": "psql "} {
		script := printedMigrations(t, scheme+":"+nowhere, "--all")
		if !strings.Contains(script, "with: "+client) || strings.Contains(script, "secret") {
			t.Errorf("%s: the script is %.300q", scheme, script)
		}
	}
	prefixed := printedMigrations(t, "sqlite:"+file, "--database-prefix=lectern_")
	if !strings.Contains(prefixed, "CREATE TABLE lectern_users (") {
		t.Errorf("with a prefix: the script is %.300q", prefixed)
	}
	code, _, stderr := command(t, "--database=mysql:"+nowhere, "migrate", "--print")
	if code != 1 || !strings.Contains(stderr, "--all prints all migrations without it") ||
		strings.Contains(stderr, "secret") {
		t.Errorf("without a server: exit code %d, %q", code, stderr)
	}
	if code, _, stderr := command(t, "migrate", "--all"); code != 1 ||
		!strings.Contains(stderr, "--print") {
		t.Errorf("--all alone: exit code %d, %q", code, stderr)
	}
}
