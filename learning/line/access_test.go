package line_test

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/line"
	"github.com/openlectern/openlectern/learning/study"
)

// part returns a part of a purchase of ada, which gives the enrolment.
func part(id, courseID string) line.Part {
	return line.Part{Line: line.Line{ID: id, UserID: "ada", CourseID: courseID},
		Enrollment: study.Enrollment{UserID: "ada", CourseID: courseID, PurchaseID: id}}
}

func TestDisputed_EndsAndGivesBackEachEnrolment(t *testing.T) {
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	parts := []line.Part{part("p.1", "go"), part("p.2", "sql"), part("p.3", "c")}
	parts[2].Enrollment = study.Enrollment{} // it has ended before
	other := study.Cause{ID: "q", UserID: "ada", CourseID: "sql"}
	const ends, givesBack, isBundle = true, true, true
	want := func(what string, list []line.Change, want ...study.AccessChange) {
		t.Helper()
		for i, c := range list {
			if c.Access != want[i] {
				t.Errorf("%s: part %d has the change %d, want %d", what, i+1, c.Access, want[i])
			}
		}
	}

	// Only what nothing else gives ends, and only that is given back.
	list := line.Disputed(parts, []study.Cause{other}, ends, !givesBack, isBundle, now)
	want("opened", list, study.AccessEnds, study.AccessStays, study.AccessStays)
	lines := line.Mark(line.Lines(parts), list)
	if !lines[0].DisputeEnded || lines[0].RefundEnded || lines[1].DisputeEnded {
		t.Errorf("the lines are %+v", lines)
	}
	for i := range parts {
		parts[i].Line = lines[i]
	}
	parts[0].Enrollment = study.Enrollment{}
	list = line.Disputed(parts, nil, !ends, givesBack, isBundle, now)
	want("won", list, study.AccessIsRestored, study.AccessStays, study.AccessStays)
	if lines = line.Mark(lines, list); lines[0].DisputeEnded {
		t.Errorf("the line is %+v", lines[0])
	}

	// What was refunded meanwhile is not given back.
	parts[0].End = line.EndedByLines
	want("won after a refund", line.Disputed(parts, nil, !ends, givesBack, isBundle, now),
		study.AccessStays, study.AccessStays, study.AccessStays)
}
