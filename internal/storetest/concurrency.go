package storetest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

var concurrencyTests = []test{
	{"50 concurrent completions of one purchase: one succeeds and enrols once", raceComplete},
	{"50 concurrent completions with the same payment: one succeeds", raceSamePayment},
	{"20 concurrent inserts of an open purchase: one succeeds", raceOpen},
	{"20 concurrent inserts of the same application, enrolment or user: one succeeds", raceInsert},
	{"20 concurrent transitions of an application: one succeeds", raceApplication},
	{"50 concurrent certificates get 50 numbers without a gap", raceIssue},
	{"20 concurrent revocations of a certificate: one succeeds", raceRevoke},
	{"50 concurrent enrolments are all counted", raceCount},
	{"60 concurrent additions to totals are all counted", raceTotals},
	{"60 concurrent additions to totals of questions are all counted", raceQuestionTotals},
	{"30 concurrent transactions lock a row: each reads what the one before has written", raceLock},
	{"a transaction that waited for a deleted post finds none", raceDeleted},
	{"ten concurrent completions of the same lecture: one succeeds", raceProgress},
	{"60 concurrent ratings of five users are counted exactly", raceRate},
	{"20 concurrent inserts of a quiz: one succeeds; 20 replacements increment its version by 20",
		raceQuiz},
	{"20 concurrent turns of one chat are stored one after the other", raceTurns},
	{"a transaction that waited for a deleted chat finds none", raceDeletedChat},
	{"two transactions in a deadlock both succeed", raceDeadlock},
	{"a transaction that waits for another ends with its context", raceWait},
	{"lists that are read during writes are consistent", raceRead},
}

// race runs fn in n concurrent transactions, with a number of each from 0, and returns how many
// were committed for which fn returned true. Every error except ErrDuplicate fails the test.
func (f *fixture) race(
	n int, fn func(ctx context.Context, tx learning.Tx, i int) (bool, error),
) int {
	f.t.Helper()
	var wins atomic.Int64
	var transactions sync.WaitGroup
	start := make(chan struct{}) // closed when all goroutines are ready
	for i := range n {
		transactions.Go(func() {
			<-start
			won := false
			err := f.try(func(ctx context.Context, tx learning.Tx) (err error) {
				won, err = fn(ctx, tx, i) // the result of the last run counts
				return err
			})
			switch {
			case errors.Is(err, core.ErrDuplicate):
			case err != nil:
				f.t.Errorf("transaction %d: %v", i, err)
			case won:
				wins.Add(1)
			}
		})
	}
	close(start)
	transactions.Wait()
	return int(wins.Load())
}

// students returns how many students a course counts.
func (f *fixture) students(courseID string) int {
	f.t.Helper()
	c, err := f.Course(f.t.Context(), courseID)
	if err != nil {
		f.t.Fatal(err)
	}
	return c.Students
}

func raceInsert(t *testing.T, f *fixture) {
	inserts := map[string]func(ctx context.Context, tx learning.Tx) error{
		"user": func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertUser(ctx,
				user("u"))
		},
		"application": func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertApplication(ctx, application("a", people.ApplicationPending))
		},
		"enrolment": func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertEnrollment(ctx,
				study.Enrollment{UserID: "u", CourseID: "c", PurchaseID: "p", CreatedAt: noon})
		},
	}
	for name, insert := range inserts {
		wins := f.race(20,
			func(ctx context.Context, tx learning.Tx, _ int) (bool, error) {
				return true,
					insert(ctx, tx)
			})
		if wins != 1 {
			t.Errorf("%s: %d inserts succeeded, want 1", name, wins)
		}
	}
}
