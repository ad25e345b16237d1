package main

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// backUp copies a database while servers use it, with the commands of docs/operations.md, and
// returns a function that restores the copy into an empty database.
func backUp(t *testing.T, c *deployment) (restore func() (database string)) {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "copy")
	if file, isFile := strings.CutPrefix(c.database, "sqlite:"); isFile {
		c.exec(t, "VACUUM INTO '"+copied+"'")
		return func() string {
			restored := filepath.Join(filepath.Dir(file), "restored.db")
			if err := os.Rename(copied, restored); err != nil {
				t.Fatal(err)
			}
			return "sqlite:" + restored
		}
	}
	if strings.HasPrefix(c.database, "postgres:") {
		runCommand(t, exec.Command("pg_dump", "--no-owner", "--file="+copied, c.database))
		return func() string {
			empty := enginetest.PostgreSQL(t)
			runCommand(t, exec.Command("psql", "--quiet", "--set=ON_ERROR_STOP=1",
				"--file="+copied, empty))
			return empty
		}
	}
	_, missing := exec.LookPath("mariadb-dump")
	enginetest.Need(t, "mariadb-dump", missing)
	runCommand(t, exec.Command("mariadb-dump",
		append(clientArgs(t, c.database), "--single-transaction", "--result-file="+copied)...))
	return func() string {
		empty := enginetest.MariaDB(t)
		client := exec.Command("mariadb", clientArgs(t, empty)...)
		file, err := os.Open(copied)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		client.Stdin = file
		runCommand(t, client)
		return empty
	}
}

// clientArgs returns the arguments of MariaDB's programs for a database.
func clientArgs(t *testing.T, database string) []string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	return []string{"--no-defaults", "--host=" + u.Hostname(), "--port=" + u.Port(),
		"--user=" + u.User.Username(),
		"--password=" + password, strings.TrimPrefix(u.Path, "/")}
}

// TestBackup_TakenWhilePeopleBuy restores a copy that was made while people bought. The books of
// the copy are right, and reconciliation completes the purchases that were open in it and paid
// later.
func TestBackup_TakenWhilePeopleBuy(t *testing.T) {
	t.Parallel()
	onTills(t, func(t *testing.T, c *deployment) {
		const people = 60
		b := c.startBuyers(t, c.students(t, people), c.at())
		await(t, "a third of the people to buy", func() bool { return b.bought.Load() >= people/3 })
		restore := backUp(t, c)
		b.wait(t)
		c.kill()

		c.database = restore()
		c.env["LEARNING_DATABASE"] = c.database
		c.db = openDatabase(t, c.database)
		inCopy := c.count(t, "enrollments")
		c.wantConsistent(t)
		c.ageOrders(t)
		t.Log("restored:", strings.TrimSpace(c.printed(t, "reconcile")))
		c.wantConsistent(t)
		captured := c.captures(t)
		if open := c.count(t,
			"purchases WHERE status <> 'completed' AND order_id IS NOT NULL"); open != 0 {
			t.Errorf("%d purchases of the copy are open, and all were paid", open)
		}
		after := c.count(t, "enrollments")
		t.Logf("%d enrolments in the copy, %d after reconciling, %d payments", inCopy, after,
			len(captured))
		if inCopy < people/3 || after < inCopy {
			t.Error("the copy lacks people who had bought before it was made")
		}
		c.start(t)
		if a := c.request(t.Context(), "GET", "/api/course/all", student{}, ""); a.status != 200 {
			t.Errorf("the restored server: %d %s", a.status, a.body)
		}
	})
}
