package purchase_test

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// part returns a part of a purchase of ada, which gives the enrolment.
func part(id, courseID string) purchase.Part {
	return purchase.Part{Line: purchase.Line{ID: id, UserID: "ada", CourseID: courseID},
		Enrollment: study.Enrollment{UserID: "ada", CourseID: courseID, PurchaseID: id}}
}

func TestAfterDispute_EndsAndGivesBackEachEnrolment(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	parts := []purchase.Part{part("p.1", "go"), part("p.2", "sql"), part("p.3", "c")}
	parts[2].Enrollment = study.Enrollment{} // it has ended before
	other := study.Cause{ID: "q", UserID: "ada", CourseID: "sql"}
	const ends, givesBack, isBundle = true, true, true
	want := func(what string, list []purchase.PartChange, want ...study.AccessChange) {
		t.Helper()
		for i, c := range list {
			if c.Access != want[i] {
				t.Errorf("%s: part %d has the change %d, want %d", what, i+1, c.Access, want[i])
			}
		}
	}

	// Only what nothing else gives ends, and only that is given back.
	list := purchase.AfterDispute(parts, []study.Cause{other}, ends, !givesBack, isBundle, now)
	want("opened", list, study.AccessEnds, study.AccessStays, study.AccessStays)
	lines := purchase.MarkLines(purchase.LinesOf(parts), list)
	if !lines[0].DisputeEnded || lines[0].RefundEnded || lines[1].DisputeEnded {
		t.Errorf("the lines are %+v", lines)
	}
	for i := range parts {
		parts[i].Line = lines[i]
	}
	parts[0].Enrollment = study.Enrollment{}
	list = purchase.AfterDispute(parts, nil, !ends, givesBack, isBundle, now)
	want("won", list, study.AccessIsRestored, study.AccessStays, study.AccessStays)
	if lines = purchase.MarkLines(lines, list); lines[0].DisputeEnded {
		t.Errorf("the line is %+v", lines[0])
	}

	// What was refunded meanwhile is not given back.
	parts[0].End = purchase.EndedByLines
	want("won after a refund", purchase.AfterDispute(parts, nil, !ends, givesBack, isBundle, now),
		study.AccessStays, study.AccessStays, study.AccessStays)
}

func TestAfterRefund_OneCourse(t *testing.T) {
	none, granted := study.Enrollment{}, study.Enrollment{UserID: "ada", GrantedBy: "boss"}
	by := func(purchaseID, grantedBy string) study.Enrollment {
		return study.Enrollment{UserID: "ada", PurchaseID: purchaseID, GrantedBy: grantedBy}
	}
	others := []study.Cause{{ID: "q", UserID: "ada"}}
	for name, c := range map[string]struct {
		from, to purchase.Status
		e        study.Enrollment
		paying   []study.Cause
		keep     bool
		want     study.AccessChange
	}{
		"a part": {purchase.Completed, purchase.Completed, by("p", ""), nil,
			false, study.AccessStays},
		"still refunded": {purchase.Refunded, purchase.Refunded, none, nil, false,
			study.AccessStays},
		"failed": {purchase.Refunded, purchase.Completed, none, nil, false,
			study.AccessIsRestored},
		"ended before": {purchase.Completed, purchase.Refunded, none, nil, false,
			study.AccessEnded},
		"paid by another one": {purchase.Completed, purchase.Refunded, by("q", ""), nil,
			false, study.AccessIsLeft},
		"granted": {purchase.Completed, purchase.Refunded, granted, nil, false,
			study.AccessIsLeft},
		"another one pays": {purchase.Completed, purchase.Refunded, by("p", ""), others,
			false, study.AccessMoves},
		"another one pays, and a gift": {purchase.Completed, purchase.Refunded, by("p", "boss"),
			others, true, study.AccessMoves},
		"a grant is left": {purchase.Completed, purchase.Refunded, by("p", "boss"), nil,
			false, study.AccessIsGrant},
		"kept": {purchase.Completed, purchase.Refunded, by("p", ""), nil,
			true, study.AccessIsKept},
		"ends": {purchase.Completed, purchase.Refunded, by("p", ""), nil,
			false, study.AccessEnds},
	} {
		before := purchase.Purchase{ID: "p", UserID: "ada", Status: c.from}
		after := purchase.Purchase{ID: "p", UserID: "ada", Status: c.to}
		state := purchase.State{Purchase: before, Enrollment: c.e}
		lines := purchase.LinesOf(purchase.State{Purchase: after}.AllParts(""))
		got := purchase.AfterRefund(state.AllParts("Go"), lines, c.paying, c.keep, decisionTime)
		if len(got) != 1 || got[0].Access != c.want {
			t.Errorf("%s: changes %+v, want %d", name, got, c.want)
		}
	}
}
