package learning_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// event returns an event of the user ada, with a time so many minutes after the start.
func event(kind string, minute int) learning.IdentityEvent {
	at := learningtest.Start.Add(time.Duration(minute) * time.Minute)
	e := learning.IdentityEvent{SentAt: at, Type: kind, User: learning.IdentityUser{ID: "ada"}}
	if kind != learning.UserDeleted {
		e.User.FirstName = fmt.Sprintf("Ada %d", minute)
		e.User.Emails = []learning.IdentityEmail{{ID: "1",
			Address: fmt.Sprintf("ada-%d@example.com", minute)}}
		e.User.ImageURL = fmt.Sprintf("https://example.com/%d.png", minute)
		e.User.UpdatedAt = at
	}
	return e
}

// withRole returns an event with a role in its public metadata.
func withRole(e learning.IdentityEvent, role learning.Role) learning.IdentityEvent {
	e.User.Role = &role
	return e
}

// apply applies events, which must succeed.
func (w *fixture) apply(t *testing.T, events ...learning.IdentityEvent) {
	t.Helper()
	for _, e := range events {
		if err := w.Platform.System().ApplyIdentityEvent(context.Background(), e); err != nil {
			t.Fatalf("%s: %v", e.Type, err)
		}
	}
}
