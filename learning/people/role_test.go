package people

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// docs/api.md §3: a token's role replaces a decision only if the token was issued in a later
// second.
func TestRoleAssignment_Role(t *testing.T) {
	at := time.Date(2026, 1, 31, 9, 30, 0, 400_000_000, time.UTC)
	decided := core.RoleAssignment{Role: core.Educator, At: at}
	tests := []struct {
		name     string
		decision core.RoleAssignment
		issued   time.Time
		want     core.Role
	}{
		{"no decision", core.RoleAssignment{}, at, core.Student},
		{"no decision, no issue time", core.RoleAssignment{}, time.Time{}, core.Student},
		{"issued before", decided, at.Add(-time.Hour), core.Educator},
		{"issued in the same second, later", decided, at.Add(500 * time.Millisecond),
			core.Educator},
		{"issued in the same second, as tokens say it", decided, at.Truncate(time.Second),
			core.Educator},
		{"issued in the next second", decided, at.Truncate(time.Second).Add(time.Second),
			core.Student},
		{"without an issue time", decided, time.Time{}, core.Educator},
	}
	for _, c := range []Claims{{UserID: "u"}, {UserID: "u", IssuedAt: at},
		{UserID: "u", IssuedAt: at.Add(time.Hour)}} {
		if got := roleOf(decided, c); got != core.Educator {
			t.Errorf("a token without a role, issued at %v: %s, want %s", c.IssuedAt, got,
				core.Educator)
		}
		if got := roleOf(core.RoleAssignment{}, c); got != core.Student {
			t.Errorf("no decision, and a token without a role: %s, want %s", got, core.Student)
		}
	}
	for _, tt := range tests {
		if got := roleOf(tt.decision, Claims{UserID: "u", Role: core.Student,
			IssuedAt: tt.issued}); got !=
			tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}
