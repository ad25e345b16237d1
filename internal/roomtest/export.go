package roomtest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/people"
)

// DeleteUser applies the event that the identity provider sends when a user is deleted.
func (w *World) DeleteUser(t *testing.T, id string) {
	t.Helper()
	w.Clock.Advance(time.Minute)
	err := w.Platform.System().ApplyIdentityEvent(context.Background(), people.IdentityEvent{
		Type: people.UserDeleted, SentAt: w.Clock.Now(), User: people.IdentityUser{ID: id}})
	if err != nil {
		t.Fatal(err)
	}
}
