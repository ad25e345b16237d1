package sqldb

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// standbyCase is a database on a primary and its standby, with a course that has no students.
type standbyCase struct {
	*DB
	pair enginetest.Pair
	runs int // of the transaction of enroll
}

// newStandbyCase waits for COMMIT and for its outcome for a short time only.
func newStandbyCase(t *testing.T, parameters string) *standbyCase {
	t.Helper()
	pair := enginetest.StartPair(t)
	c := &standbyCase{DB: migrated(t, pair.URL("shop")+parameters), pair: pair}
	addCourses(t, c.DB, "a")
	c.dialect.commitTimeout, c.outcomeTimeout = 2*time.Second, 3*time.Second
	return c
}

// enroll counts one student.
func (c *standbyCase) enroll(t *testing.T) error {
	t.Helper()
	return c.InTx(t.Context(), func(tx *Tx) error {
		c.runs++
		return increment(t.Context(), tx, "a")
	})
}

// detach makes the standby receive no more changes, although it runs.
func (c *standbyCase) detach(t *testing.T) {
	t.Helper()
	c.pair.Standby.Configure("primary_conninfo", "")
	c.awaitOnPrimary(t, "SELECT NOT EXISTS (SELECT 1 FROM pg_stat_replication)")
}

// awaitCommit waits until a COMMIT on the primary waits for the standby.
func (c *standbyCase) awaitCommit(t *testing.T) {
	t.Helper()
	c.awaitOnPrimary(t,
		"SELECT EXISTS (SELECT 1 FROM pg_stat_activity WHERE wait_event = 'SyncRep')")
}

// awaitOnPrimary waits until a query on the primary returns true.
func (c *standbyCase) awaitOnPrimary(t *testing.T, query string) {
	t.Helper()
	primary, err := enginetest.OpenSQL(c.pair.Primary.URL("shop"))
	if err != nil {
		t.Fatal(err)
	}
	defer primary.Close()
	eventually(t, func() bool {
		var holds bool
		err := primary.QueryRow(query).Scan(&holds)
		return err == nil && holds
	})
}

// wantUnknown checks the error of a transaction whose COMMIT the standby does not have.
func wantUnknown(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, testErrors.UnknownOutcome) {
		t.Errorf("the error is %v, want %v", err, testErrors.UnknownOutcome)
	}
}

// TestStandby_CommitThatItDoesNotHave_IsNotSeen protects that nobody reads, and acts on, what a
// promotion of the standby would undo.
func TestStandby_CommitThatItDoesNotHave_IsNotSeen(t *testing.T) {
	c := newStandbyCase(t, "")
	c.pair.Standby.Freeze()
	wantUnknown(t, c.enroll(t))
	if got := students(t, c.DB, "a"); got != 0 {
		t.Errorf("%d students while the standby does not have the transaction, want 0", got)
	}
	c.pair.Standby.Thaw()
	eventually(t, func() bool { return students(t, c.DB, "a") == 1 })
	if c.runs != 1 {
		t.Errorf("the transaction ran %d times, want 1", c.runs)
	}
}

// The server cancels the wait of COMMIT by itself, and answers it with a warning.
func TestStandby_CommitCancelledByTheServer_IsNoSuccess(t *testing.T) {
	c := newStandbyCase(t, "&statement_timeout=500")
	c.pair.Standby.Freeze()
	wantUnknown(t, c.enroll(t))
}

// A primary that has crashed shows transactions that the standby does not have.
func TestStandby_MarkerOfACrashedPrimary_IsNoSuccess(t *testing.T) {
	c := newStandbyCase(t, "")
	c.outcomeTimeout = 10 * time.Second // for the restart
	c.detach(t)
	result := make(chan error, 1)
	go func() { result <- c.enroll(t) }()
	c.awaitCommit(t)
	c.pair.Primary.Crash()
	c.pair.Primary.Start()
	wantUnknown(t, <-result)
	if got := students(t, c.DB, "a"); got != 1 {
		t.Errorf("%d students on the primary, want 1, as the case is about", got)
	}
}

func TestStandby_PromotedAtCommit_TakesEffectOnce(t *testing.T) {
	t.Run("which the standby has", func(t *testing.T) {
		c := newStandbyCase(t, "")
		promoted := false
		c.DB = c.WithFaults(func(_ context.Context, step string) error {
			if step != stepAnswer || promoted {
				return nil
			}
			promoted = true
			c.pair.Primary.Crash()
			c.pair.Standby.Promote()
			return errInjected
		})
		if err := c.enroll(t); err != nil || c.runs != 1 || students(t, c.DB, "a") != 1 {
			t.Errorf("%d runs, %d students: %v", c.runs, students(t, c.DB, "a"), err)
		}
	})
	t.Run("which the standby does not have", func(t *testing.T) {
		c := newStandbyCase(t, "")
		c.outcomeTimeout = 10 * time.Second // for the promotion
		c.detach(t)
		result := make(chan error, 1)
		go func() { result <- c.enroll(t) }()
		c.awaitCommit(t)
		c.pair.Primary.Crash()
		c.pair.Standby.Promote()
		if err := <-result; err != nil || c.runs != 2 || students(t, c.DB, "a") != 1 {
			t.Errorf("%d runs, %d students: %v", c.runs, students(t, c.DB, "a"), err)
		}
	})
}

// TestStandby_PrimaryDoesNotAnswer_NextHostIsTaken has a full pool of connections to a primary that
// freezes. After the first of them has timed out, the others are not waited for.
func TestStandby_PrimaryDoesNotAnswer_NextHostIsTaken(t *testing.T) {
	c := newStandbyCase(t, "")
	fill(t, c.DB)
	c.pair.Primary.Freeze()
	c.pair.Standby.Promote()
	c.pool.readTimeout = time.Second
	if _, err := course(t.Context(), c.DB, "a"); err == nil {
		t.Error("a read on a frozen server returned no error")
	}
	start := time.Now()
	if err := c.enroll(t); err != nil {
		t.Error(err)
	}
	for range 2 * c.pool.DB.Stats().MaxOpenConnections {
		if got := students(t, c.DB, "a"); got != 1 {
			t.Errorf("%d students, want 1", got)
		}
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	c.pair.Primary.Thaw()
	if got := students(t, c.DB, "a"); got != 1 {
		t.Errorf("%d students after the former primary is back, want 1", got)
	}
}
