package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// starts returns the states from which every transition is tried.
func starts() map[string]learning.Application {
	return map[string]learning.Application{
		"pending": application("a", learning.ApplicationPending), "reviewed": reviewed("a"),
		"approved": application("a", learning.ApplicationApproved), "rejected": application("a", learning.ApplicationRejected),
	}
}

// applicationTransition is one transition of an application.
type applicationTransition struct {
	name string
	from string // the only state of starts from which it succeeds; "" if there is none
	move func(ctx context.Context, tx learning.Tx) (bool, error)
	then func(a learning.Application) learning.Application
}

func applicationTransitions(t *testing.T, f *fixture) {
	for _, tr := range append(beginnings(), endings()...) {
		for state, a := range starts() {
			t.Run(fmt.Sprintf("%s, %s", tr.name, state), func(t *testing.T) {
				f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteApplication(ctx, a.UserID) })
				f.add(a)
				f.moves(state == tr.from, tr.move)
				if state == tr.from {
					a = tr.then(a)
				}
				f.kept(a)
			})
		}
	}
}

// expired is later than the lease of a review.
var expired = noon.Add(time.Hour)

// beginnings are the transitions to pending, and those that leave it so.
func beginnings() []applicationTransition {
	other := application("a", learning.ApplicationPending)
	other.ProfessionalTitle, other.Bio, other.Expertise, other.LinkedinURL = "New title", "New bio", []string{"SQL"}, ""
	other.UpdatedAt, other.CreatedAt, other.PreviousRole = expired, expired, learning.Educator
	resubmitted := func(a learning.Application) learning.Application {
		again := other
		again.CreatedAt, again.RejectionReason = a.CreatedAt, ""
		return again
	}
	begun := func(a learning.Application) learning.Application {
		a.ReviewID, a.PreviousRole = "second", learning.Educator
		return a
	}
	begin := func(oldID string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.BeginReview(ctx, begun(reviewed("a")), oldID)
		}
	}
	resubmit := func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.ResubmitApplication(ctx, other) }
	return []applicationTransition{
		{"resubmit", "rejected", resubmit, resubmitted},
		{"begin a review", "pending", begin(""), begun},
		{"take over", "reviewed", begin("holder"), begun},
		{"take over from another", "", begin("Holder"), nil},
	}
}

// endings are the transitions that end an application.
func endings() []applicationTransition {
	decided := func(status learning.ApplicationStatus) func(a learning.Application) learning.Application {
		return func(a learning.Application) learning.Application {
			a.Status, a.RejectionReason, a.UpdatedAt, a.ReviewID = status, "Because 🎓", expired, ""
			return a
		}
	}
	decide := func(status learning.ApplicationStatus, reviewID string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		a := decided(status)(application("a", status))
		a.ReviewID = reviewID
		return func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.DecideApplication(ctx, a) }
	}
	const approved, rejected = learning.ApplicationApproved, learning.ApplicationRejected
	return []applicationTransition{
		{"reject without a review", "pending", decide(rejected, ""), decided(rejected)},
		{"reject", "reviewed", decide(rejected, "holder"), decided(rejected)},
		{"approve", "reviewed", decide(approved, "holder"), decided(approved)},
		{"approve by another", "", decide(approved, "Holder"), nil},
	}
}

func raceApplication(t *testing.T, f *fixture) {
	f.add(application("begun", learning.ApplicationPending), reviewed("taken over"), application("again", learning.ApplicationRejected))
	races := map[string]func(ctx context.Context, tx learning.Tx, i int) (bool, error){
		"begun": func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
			if a := reviewed("begun"); i%2 == 0 { // half of the transactions begin a review, the others decide
				a.ReviewID = fmt.Sprint(i)
				return tx.BeginReview(ctx, a, "")
			}
			return tx.DecideApplication(ctx, application("begun", learning.ApplicationRejected))
		},
		"taken over": func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
			if a := reviewed("taken over"); i%2 == 0 {
				a.ReviewID = fmt.Sprint(i)
				return tx.BeginReview(ctx, a, "holder")
			}
			a := reviewed("taken over") // the earlier review
			a.Status = learning.ApplicationApproved
			return tx.DecideApplication(ctx, a)
		},
		"again": func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
			a := application("again", learning.ApplicationPending)
			a.Bio = fmt.Sprint(i)
			return tx.ResubmitApplication(ctx, a)
		},
	}
	for name, race := range races {
		if wins := f.race(20, race); wins != 1 {
			t.Errorf("%s: %d transitions succeeded, want 1", name, wins)
		}
	}
}
