package roomtest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Learns completes lectures, one a second. Only the last may complete the course; want says
// whether it must.
func (w *World) Learns(t *testing.T, student core.Actor, courseID string, want bool,
	lectures ...string) {
	t.Helper()
	for i, l := range lectures {
		w.Clock.Advance(time.Second)
		completed, err := w.Platform.Study.CompleteLecture(ctx(), student, courseID, l)
		if err != nil || completed != (want && i == len(lectures)-1) {
			t.Errorf("after lecture %s the course is completed: %v (%v)", l, completed, err)
		}
	}
}

// WantProgress checks the completed lectures, in their order, and whether the course is
// completed.
func (w *World) WantProgress(t *testing.T, student core.Actor, courseID string,
	completed bool, lectures ...string) *study.Progress {
	t.Helper()
	p, err := w.Platform.Study.Progress(ctx(), student, courseID)
	if err != nil || p == nil {
		t.Fatalf("there is no progress (%v)", err)
	}
	if diff := cmp.Diff(append([]string{}, lectures...), p.Lectures); diff != "" ||
		p.Completed() != completed {
		t.Errorf("completed: %v, want %v; lectures (-want +got): %s", p.Completed(), completed,
			diff)
	}
	return p
}
