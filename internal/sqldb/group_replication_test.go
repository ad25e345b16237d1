package sqldb

import (
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// TestGroupReplication_CommitWithoutMajority_TakesEffectOnce stops two of three nodes while a
// transaction waits for them at COMMIT. If they continue, they have it. If the primary gives up and
// leaves, its COMMIT fails although the others may have the transaction: it is looked up on the
// next primary.
func TestGroupReplication_CommitWithoutMajority_TakesEffectOnce(t *testing.T) {
	nodes := enginetest.StartGroupReplication(t,
		"--loose-group-replication-member-expel-timeout=0")
	s := migrated(t, enginetest.NewPrimarySwitch(t, nodes.URLs("shop")...).URL)
	addCourses(t, s, "a", "b")
	enroll := func(id string) (runs int, err error) {
		err = s.InTx(t.Context(), func(tx *Tx) error {
			runs++
			return increment(t.Context(), tx, id)
		})
		return runs, err
	}

	// They continue, but later than a caller waits.
	s.dialect.commitTimeout, s.outcomeTimeout = time.Second, time.Second
	nodes[1].Freeze()
	nodes[2].Freeze()
	runs, err := enroll("a")
	nodes[1].Thaw()
	nodes[2].Thaw()
	if !errors.Is(err, testErrors.UnknownOutcome) || runs != 1 {
		t.Errorf("%d runs, error %v, want %v", runs, err, testErrors.UnknownOutcome)
	}
	eventually(t, func() bool { n, err := course(t.Context(), s, "a"); return err == nil && n == 1 })

	// The primary leaves while the COMMIT waits.
	s.dialect.commitTimeout, s.outcomeTimeout = time.Minute, time.Minute
	s.txTimeout = 2 * time.Minute
	nodes[0].SetGlobal("group_replication_unreachable_majority_timeout", "1")
	nodes[1].Freeze()
	nodes[2].Freeze()
	result := make(chan error, 1)
	go func() {
		_, err := enroll("b")
		result <- err
	}()
	nodes[0].AwaitMemberState("ERROR")
	nodes[1].Thaw()
	nodes[2].Thaw()
	if err := <-result; err != nil {
		t.Error(err)
	}
	if got := students(t, s, "b"); got != 1 {
		t.Errorf("%d students, want 1", got)
	}
}
