package learning_test

import (
	"errors"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// submitted returns a valid application.
func submitted() learning.NewApplication {
	return learning.NewApplication{ProfessionalTitle: "Engineer", Bio: "Ten years of Go.",
		Expertise: []string{"Go", "SQL"}, LinkedinURL: new("https://example.com/ada")}
}

// applied creates a user with an application.
func (w *fixture) applied(t *testing.T, id string) (learning.Actor, learning.Application) {
	t.Helper()
	ada := w.Person(t, id, learning.Student)
	a, err := w.Platform.Apply(ctx(), ada, submitted())
	if err != nil || a.IsAgain {
		t.Fatalf("apply: again %v, %v", a.IsAgain, err)
	}
	return ada, a.Application
}

// wantError checks that an error is public and has this message.
func wantError(t *testing.T, err error, want *learning.Error, message string) {
	t.Helper()
	if !errors.Is(err, want) || want.Message != message {
		t.Errorf("got %v, want %q", err, message)
	}
}
