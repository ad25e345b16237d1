package learning

import (
	"testing"
	"time"
)

// docs/api.md §3: a token's role replaces a decision only if the token was issued in a later
// second.
func TestRoleAssignment_Role(t *testing.T) {
	at := time.Date(2026, 1, 31, 9, 30, 0, 400_000_000, time.UTC)
	decided := RoleAssignment{Role: Educator, At: at}
	tests := []struct {
		name     string
		decision RoleAssignment
		issued   time.Time
		want     Role
	}{
		{"no decision", RoleAssignment{}, at, Student},
		{"no decision, no issue time", RoleAssignment{}, time.Time{}, Student},
		{"issued before", decided, at.Add(-time.Hour), Educator},
		{"issued in the same second, later", decided, at.Add(500 * time.Millisecond), Educator},
		{"issued in the same second, as tokens say it", decided, at.Truncate(time.Second),
			Educator},
		{"issued in the next second", decided, at.Truncate(time.Second).Add(time.Second), Student},
		{"without an issue time", decided, time.Time{}, Educator},
	}
	for _, c := range []Claims{{UserID: "u"}, {UserID: "u", IssuedAt: at},
		{UserID: "u", IssuedAt: at.Add(time.Hour)}} {
		if got := roleOf(decided, c); got != Educator {
			t.Errorf("a token without a role, issued at %v: %s, want %s", c.IssuedAt, got, Educator)
		}
		if got := roleOf(RoleAssignment{}, c); got != Student {
			t.Errorf("no decision, and a token without a role: %s, want %s", got, Student)
		}
	}
	for _, tt := range tests {
		if got := roleOf(tt.decision, Claims{UserID: "u", Role: Student, IssuedAt: tt.issued}); got !=
			tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestParseRole_Unknown(t *testing.T) {
	for in, want := range map[string]Role{"": Student, "student": Student, "educator": Educator,
		"admin": Admin, "Admin": Student, "root": Student} {
		if got := ParseRole(in); got != want {
			t.Errorf("ParseRole(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestRequireRole_NotRanked(t *testing.T) {
	if err := (Actor{UserID: "u", Role: Admin}).RequireRole(Educator); err != ErrForbidden {
		t.Errorf("an admin as educator: %v", err)
	}
	if err := (Actor{Role: Educator}).RequireRole(Educator); err != ErrUnauthenticated {
		t.Errorf("a role without a user: %v", err)
	}
	if err := (Actor{UserID: "u", Role: Educator}).RequireRole(Educator); err != nil {
		t.Errorf("an educator: %v", err)
	}
}
