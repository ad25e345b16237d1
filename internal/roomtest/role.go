package roomtest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// RoleOf returns ada's role with an admin's token that was issued at a time. For the zero time
// the token has no time.
func (w *World) RoleOf(t *testing.T, issued time.Time) core.Role {
	t.Helper()
	a, err := w.Platform.People.Identify(context.Background(),
		people.Claims{UserID: "ada", Role: core.Admin, IssuedAt: issued})
	if err != nil {
		t.Fatal(err)
	}
	return a.Role
}
