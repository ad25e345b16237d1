package people

import (
	"strings"
	"testing"
	"time"
)

func TestIdentityUser_NameAndAddress(t *testing.T) {
	mail := []IdentityEmail{{"e1", "first@example.com"}, {"e2", " second@example.com "}}
	tests := []struct {
		name        string
		user        IdentityUser
		wantName    string
		wantAddress string
	}{
		{"both names", IdentityUser{FirstName: "Ada", LastName: "Lovelace", Emails: mail},
			"Ada Lovelace", "first@example.com"},
		{"first name only", IdentityUser{FirstName: " Ada ", Emails: mail}, "Ada",
			"first@example.com"},
		{"last name only", IdentityUser{LastName: "Lovelace"}, "Lovelace", ""},
		{"no name", IdentityUser{Emails: mail}, "first", "first@example.com"},
		{"neither name nor address", IdentityUser{}, "User", ""},
		{"blank names", IdentityUser{FirstName: " ", LastName: "\t"}, "User", ""},
		{"an address without a local part",
			IdentityUser{Emails: []IdentityEmail{{"", "@example.com"}}}, "User", "@example.com"},
		{"primary address", IdentityUser{Emails: mail, PrimaryEmailID: "e2"}, "second",
			"second@example.com"},
		{"unknown primary address", IdentityUser{Emails: mail, PrimaryEmailID: "e3"}, "first",
			"first@example.com"},
		{"addresses without ids and no primary",
			IdentityUser{Emails: []IdentityEmail{{"", "a@b"}, {"", "c@d"}}}, "a", "a@b"},
	}
	for _, tt := range tests {
		got := IdentityEvent{User: tt.user}.record(time.Time{})
		if got.Name != tt.wantName || got.Email != tt.wantAddress {
			t.Errorf("%s: %q <%s>, want %q <%s>", tt.name, got.Name, got.Email, tt.wantName,
				tt.wantAddress)
		}
	}
}

// If the webhook were rejected, the provider would send it again for days.
func TestIdentityUser_LongTextsAreCut(t *testing.T) {
	long := strings.Repeat("é", 5000)
	u := IdentityEvent{User: IdentityUser{FirstName: long, ImageURL: "https://example.com/" + long,
		Emails: []IdentityEmail{{"", long}}}}.record(time.Time{})
	if n := len([]rune(u.Name)); n != MaxName {
		t.Errorf("the name has %d characters", n)
	}
	if n := len([]rune(u.Email)); n != MaxEmail {
		t.Errorf("the address has %d characters", n)
	}
	if u.ImageURL != "" {
		t.Error("a truncated image URL was stored")
	}
}

func TestIdentityEvent_TimeOfTheProvider(t *testing.T) {
	sent := time.Date(2026, 1, 31, 9, 30, 0, 0, time.UTC)
	if got := (IdentityEvent{SentAt: sent}).cause(); !got.Equal(sent) {
		t.Errorf("without updated_at: %v", got)
	}
	updated := sent.Add(-time.Hour)
	if got := (IdentityEvent{SentAt: sent,
		User: IdentityUser{UpdatedAt: updated}}).cause(); !got.Equal(updated) {
		t.Errorf("with updated_at: %v", got)
	}
}
