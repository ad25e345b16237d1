package study_test

import (
	"context"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// The enrolment ends when the transaction that tells the completion of a course has read that there
// is one: the end waits for it. The test is for PostgreSQL, because a transaction there sees what
// others commit after its first read, such as the number of an event.
func TestCompleteLecture_BesideTheEndOfTheEnrollmentRace(t *testing.T) {
	t.Parallel()
	r := &roomtest.Receiver{}
	withEvents := learningtest.WithPlatform(learning.WithEvents("test", r))
	w := roomtest.New(t, enginetest.PostgreSQL(t), withEvents)
	course := w.Publish(t, "go", roomtest.Chapter("one", "a"))
	ada := w.Enrolls(t, "ada", course)
	ended := make(chan error, 1)
	end := sync.OnceFunc(func() {
		go func() { ended <- w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "ada", course) }()
		w.AwaitLockWait(t, ended)
	})
	completer := w.OtherInstance(t, withEvents,
		learningtest.WithStore(func(s learning.Store) learning.Store {
			return faultystore.With(s, func(_ context.Context, step string) error {
				if step == "insert the completion of a course" {
					end()
				}
				return nil
			})
		}))
	completer.Learns(t, ada, course, true, "a")
	roomtest.Must(t, <-ended)
	w.DeliverEvents(t, -1)
	got := r.Types("user:ada")
	want := []core.EventType{study.EventCourseCompleted, study.EventEnrollmentEnded}
	if diff := cmp.Diff(want, got[len(got)-2:]); diff != "" {
		t.Error(diff)
	}
}
