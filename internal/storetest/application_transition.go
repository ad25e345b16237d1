package storetest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// states returns the states from which every transition is tried, and the state that each
// transition expects.
func states() map[string]people.Application {
	reviewedByAnother := reviewed("a")
	reviewedByAnother.ReviewID = "Holder"
	changedSince := application("a", people.ApplicationPending)
	changedSince.UpdatedAt = changedSince.UpdatedAt.Add(time.Microsecond)
	return map[string]people.Application{
		"pending":             application("a", people.ApplicationPending),
		"reviewed":            reviewed("a"),
		"reviewed by another": reviewedByAnother,
		"changed since":       changedSince,
		"approved":            application("a", people.ApplicationApproved),
		"rejected":            application("a", people.ApplicationRejected),
	}
}

// applicationTransitions tries every transition from every stored state. It takes place only if
// the stored state is the one that the transition expects.
func applicationTransitions(t *testing.T, f *fixture) {
	after := application("a", people.ApplicationPending)
	after.ProfessionalTitle = "New title"
	after.Bio = "New bio"
	after.Expertise = []string{"SQL"}
	after.LinkedinURL = ""
	after.RejectionReason = "Because 🎓"
	after.UpdatedAt = noon.Add(time.Hour)
	after.PreviousRole = core.Educator
	after.ReviewID = "second"
	for expected, before := range states() {
		for state, stored := range states() {
			t.Run(fmt.Sprintf("from %s, stored %s", expected, state), func(t *testing.T) {
				f.do(func(ctx context.Context, tx learning.Tx) error {
					return tx.DeleteApplication(ctx, stored.UserID)
				})
				f.add(stored)
				f.reports(state == expected,
					func(ctx context.Context, tx learning.Tx) (bool, error) {
						return tx.UpdateApplication(ctx, before, after)
					})
				if state == expected {
					stored = after
				}
				f.kept(stored)
			})
		}
	}
}

// raceApplication begins and ends reviews of one application at once: one of them takes place.
func raceApplication(t *testing.T, f *fixture) {
	befores := map[string]people.Application{
		"begun":      application("begun", people.ApplicationPending),
		"taken over": reviewed("taken over"),
		"again":      application("again", people.ApplicationRejected),
	}
	for name, before := range befores {
		f.add(before)
		wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
			// Half of the transactions begin a review, the others decide.
			after := before
			after.Status, after.ReviewID = people.ApplicationPending, fmt.Sprint(i)
			if i%2 == 1 {
				after.Status, after.ReviewID = people.ApplicationApproved, ""
			}
			return tx.UpdateApplication(ctx, before, after)
		})
		if wins != 1 {
			t.Errorf("%s: %d transitions succeeded, want 1", name, wins)
		}
	}
}
