package enginetest_test

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
)

func TestGalera_EveryNodeHasTheRows(t *testing.T) {
	urls := enginetest.Galera(t)
	execute(t, open(t, urls[0]), "CREATE TABLE course (id INT PRIMARY KEY)")
	for id, url := range urls {
		execute(t, open(t, url), fmt.Sprintf("INSERT INTO course VALUES (%d)", id))
	}
	for _, url := range urls {
		awaitRows(t, open(t, url), len(urls))
	}
}

func TestGalera_LostNodesComeBack(t *testing.T) {
	nodes := enginetest.StartGalera(t, "")
	urls := nodes.URLs("shop")
	first, third := open(t, urls[0]), open(t, urls[2])
	execute(t, first, "CREATE TABLE course (id INT PRIMARY KEY)")
	awaitRows(t, third, 0) // what a killed node had not yet written of a table does not come back
	lost := nodes[2]
	rows := 0
	for name, f := range map[string]struct{ lose, restore func() }{
		"killed":   {lost.Kill, lost.Start},
		"stopped":  {lost.Stop, lost.Start},
		"frozen":   {lost.Freeze, lost.Thaw},
		"isolated": {lost.Isolate, lost.Rejoin},
	} {
		start := time.Now()
		f.lose()
		rows++
		awaitWrite(t, first, fmt.Sprintf("INSERT IGNORE INTO course VALUES (%d)", rows))
		stall := time.Since(start)
		f.restore()
		awaitRows(t, third, rows)
		t.Logf("%s: the next write took %.1f s, all took %.1f s", name, stall.Seconds(),
			time.Since(start).Seconds())
	}
}

// awaitWrite runs a statement until it succeeds. On a busy machine the other nodes may be late too,
// so that the cluster refuses statements until they answer.
func awaitWrite(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for _, err := db.Exec(statement); err != nil; _, err = db.Exec(statement) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// awaitRows waits until the table course has n rows.
func awaitRows(t *testing.T, db *sql.DB, n int) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Minute)
	for {
		var got int
		err := db.QueryRow("SELECT COUNT(*) FROM course").Scan(&got)
		if err == nil && got == n {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d rows, want %d: %v", got, n, err)
		}
	}
}
