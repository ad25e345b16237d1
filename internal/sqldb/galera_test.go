package sqldb

import (
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestGalera_ConflictAtCommit_RunsAgain changes a row on one node while a transaction on another
// node has changed it too. The second one fails with a deadlock when it inserts its marker, or,
// without a marker, at COMMIT.
func TestGalera_ConflictAtCommit_RunsAgain(t *testing.T) {
	for name, declare := range map[string]func(*Tx){"repeatable": (*Tx).Repeatable,
		"marked": func(*Tx) {}} {
		t.Run(name, func(t *testing.T) {
			urls := enginetest.Galera(t)
			here, there := migrated(t, urls[0]), opened(t, urls[1])
			addCourses(t, here, "a")
			eventually(t,
				func() bool { _, err := course(t.Context(), there, "a"); return err == nil })
			increment := func(tx *Tx) error { return increment(t.Context(), tx, "a") }
			runs, hooks := 0, 0
			err := here.InTx(t.Context(), func(tx *Tx) error {
				declare(tx)
				tx.AfterCommit(func() { hooks++ })
				if err := increment(tx); err != nil {
					return err
				}
				if runs++; runs == 1 {
					return there.InTx(t.Context(), increment)
				}
				return nil
			})
			if err != nil || runs < 2 || hooks != 1 {
				t.Errorf("ran %d times, %d hooks: %v", runs, hooks, err)
			}
			if got := students(t, here, "a"); got != 2 {
				t.Errorf("counted %d students, want 2", got)
			}
		})
	}
}
