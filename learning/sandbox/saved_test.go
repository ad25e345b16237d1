package sandbox_test

import (
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// Another process finds the sandbox that listens by its file, and does not take its place there.
func TestSaved_HasTheAddressesOfTheSandboxThatListens(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "sandbox.json")
	box, err := sandbox.Listen(sandbox.Config{State: file, WebhookURL: "http://127.0.0.1:9"})
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	command, err := sandbox.New(sandbox.Config{State: file, URL: "http://other.example.org"})
	if err != nil {
		t.Fatal(err)
	}
	defer command.Close()
	saved, err := sandbox.Saved(file)
	want := box.Config()
	if err != nil || saved.URL != want.URL || saved.WebhookURL != want.WebhookURL ||
		saved.IdentityAPIKey != want.IdentityAPIKey ||
		saved.GatewayWebhookSecret != want.GatewayWebhookSecret {
		t.Errorf("the file has %+v, want %+v: %v", saved, want, err)
	}
}
