package core

import "testing"

func TestParseRole_Unknown(t *testing.T) {
	for in, want := range map[string]Role{"": Student, "student": Student,
		"educator": Educator,
		"admin":    Admin, "Admin": Student, "root": Student} {
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
