package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// starts are the states that a transition may be tried in.
func starts() map[string]learning.Application {
	return map[string]learning.Application{
		"pending": application("a", learning.ApplicationPending), "held": held("a"),
		"approved": application("a", learning.ApplicationApproved), "rejected": application("a", learning.ApplicationRejected),
	}
}

// applicationTransition is one of the ways that an application can go.
type applicationTransition struct {
	name string
	from string // the one state of starts; none when it never goes
	move func(ctx context.Context, tx learning.Tx) (bool, error)
	then func(a learning.Application) learning.Application
}

func applicationTransitions(t *testing.T, f *fixture) {
	for _, tr := range append(claims(), verdicts()...) {
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

// expired is when the claim of an application is long over.
var expired = noon.Add(time.Hour)

// claims are the transitions to pending, and those that leave it so.
func claims() []applicationTransition {
	other := application("a", learning.ApplicationPending)
	other.ProfessionalTitle, other.Bio, other.Expertise, other.LinkedinURL = "New title", "New bio", []string{"SQL"}, ""
	other.UpdatedAt, other.CreatedAt, other.PreviousRole = expired, expired, learning.Educator
	resubmitted := func(a learning.Application) learning.Application {
		again := other
		again.CreatedAt, again.RejectionReason = a.CreatedAt, ""
		return again
	}
	hold := func(a learning.Application) learning.Application {
		a.Holder, a.LeaseUntil, a.PreviousRole = "second", expired.Add(time.Minute), learning.Educator
		return a
	}
	claim := func(oldHolder string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		return func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ClaimApplication(ctx, hold(held("a")), oldHolder, expired)
		}
	}
	resubmit := func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.ResubmitApplication(ctx, other) }
	return []applicationTransition{
		{"resubmit", "rejected", resubmit, resubmitted},
		{"claim", "pending", claim(""), hold},
		{"take over", "held", claim("holder"), hold},
		{"take over from another", "", claim("Holder"), nil},
	}
}

// verdicts are the transitions that end an application.
func verdicts() []applicationTransition {
	decided := func(status learning.ApplicationStatus) func(a learning.Application) learning.Application {
		return func(a learning.Application) learning.Application {
			a.Status, a.RejectionReason, a.UpdatedAt, a.Holder, a.LeaseUntil = status, "Because 🎓", expired, "", time.Time{}
			return a
		}
	}
	decide := func(status learning.ApplicationStatus, holder string) func(ctx context.Context, tx learning.Tx) (bool, error) {
		a := decided(status)(application("a", status))
		a.Holder = holder
		return func(ctx context.Context, tx learning.Tx) (bool, error) { return tx.DecideApplication(ctx, a) }
	}
	const approved, rejected = learning.ApplicationApproved, learning.ApplicationRejected
	return []applicationTransition{
		{"reject unclaimed", "pending", decide(rejected, ""), decided(rejected)},
		{"reject", "held", decide(rejected, "holder"), decided(rejected)},
		{"approve", "held", decide(approved, "holder"), decided(approved)},
		{"approve by another", "", decide(approved, "Holder"), nil},
	}
}

func raceApplication(t *testing.T, f *fixture) {
	f.add(application("claimed", learning.ApplicationPending), held("taken over"), application("again", learning.ApplicationRejected))
	races := map[string]func(ctx context.Context, tx learning.Tx, i int) (bool, error){
		"claimed": func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
			if a := held("claimed"); i%2 == 0 { // these want to hold it, and the others to decide
				a.Holder = fmt.Sprint(i)
				return tx.ClaimApplication(ctx, a, "", noon)
			}
			return tx.DecideApplication(ctx, application("claimed", learning.ApplicationRejected))
		},
		"taken over": func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
			if a := held("taken over"); i%2 == 0 {
				a.Holder, a.LeaseUntil = fmt.Sprint(i), expired.Add(time.Hour)
				return tx.ClaimApplication(ctx, a, "holder", expired)
			}
			a := held("taken over") // the one who comes back late
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
			t.Errorf("%s: %d won", name, wins)
		}
	}
}
