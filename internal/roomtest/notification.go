package roomtest

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
)

// Told returns the kinds of the notifications of a user, the newest first.
func (w *World) Told(t *testing.T, userID string) (kinds []core.NotificationKind) {
	t.Helper()
	list, err := PageRows(w.Platform.Inbox.Notifications(ctx(),
		core.Actor{UserID: userID, Role: core.Student}, false, WholeList))
	Must(t, err)
	for _, n := range list {
		kinds = append(kinds, n.Kind)
	}
	return kinds
}

// WantTold checks the kinds of the notifications of a user, the newest first.
func (w *World) WantTold(t *testing.T, userID string, want ...core.NotificationKind) {
	t.Helper()
	if diff := cmp.Diff(want, w.Told(t, userID)); diff != "" {
		t.Errorf("the notifications of %s: -want +got\n%s", userID, diff)
	}
}
