package roomtest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
)

// RoleOf returns ada's role with an admin's token that was issued at a time. For the zero time
// the token has no time.
func (w *World) RoleOf(t *testing.T, issued time.Time) core.Role {
	t.Helper()
	a, err := w.Platform.People.Identify(context.Background(),
		learning.Claims{UserID: "ada", Role: core.Admin, IssuedAt: issued})
	if err != nil {
		t.Fatal(err)
	}
	return a.Role
}
