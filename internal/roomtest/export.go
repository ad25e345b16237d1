package roomtest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// DeleteUser applies the event that the identity provider sends when a user is deleted.
func (w *World) DeleteUser(t *testing.T, id string) {
	t.Helper()
	w.Clock.Advance(time.Minute)
	err := w.Platform.System().ApplyIdentityEvent(context.Background(), learning.IdentityEvent{
		Type: learning.UserDeleted, SentAt: w.Clock.Now(), User: learning.IdentityUser{ID: id}})
	if err != nil {
		t.Fatal(err)
	}
}
