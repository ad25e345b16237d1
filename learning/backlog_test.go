package learning_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestBacklog_CountsEventsAndLeases(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		mail := &roomtest.Receiver{}
		w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithEvents("mail", mail)))
		want := func(want learning.Backlog) {
			t.Helper()
			if got, err := w.Platform.System().Backlog(ctx()); err != nil || got != want {
				t.Errorf("got %+v (%v), want %+v", got, err, want)
			}
		}
		want(learning.Backlog{})
		written := w.Clock.Now()
		course := w.Course(t, "go", 499_00)
		w.Abandoned(t, w.Person(t, "ada", core.Student), course, 499_00)
		want(learning.Backlog{PendingEvents: 1, OldestEvent: written, Leases: 1})
		w.Clock.Advance(day)
		want(learning.Backlog{PendingEvents: 1, OldestEvent: written})
		w.Exec(t, "UPDATE event_deliveries SET status = 'failed'")
		want(learning.Backlog{FailedEvents: 1, OldestEvent: written})
		w.Exec(t, "UPDATE event_deliveries SET status = 'blocked'")
		want(learning.Backlog{BlockedEvents: 1, OldestEvent: written})
		w.Exec(t, "UPDATE event_deliveries SET status = 'delivered'")
		want(learning.Backlog{})
	})
}

func TestBacklog_WithoutTargets_CountsNoEvents(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	if got, err := w.Platform.System().Backlog(ctx()); err != nil || got != (learning.Backlog{}) {
		t.Errorf("got %+v (%v)", got, err)
	}
}
