package webhook_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/webhook"
)

const (
	nextSecret = "whsec_dGhlIG5ldyBzZWNyZXQgb2YgdGhlIHdlYmhvb2sh"
	lastSecret = "whsec_dGhlIG9sZCBzZWNyZXQgb2YgdGhlIHdlYmhvb2sh"
)

// A platform with this sender sends every event to the URL. While the secrets are rotated
// there are two, and a receiver may know either.
func ExampleNewSender() {
	server := httptest.NewServer(receiver(lastSecret))
	defer server.Close()

	sender, err := webhook.NewSender(server.URL, []string{nextSecret, lastSecret})
	if err != nil {
		log.Fatal(err)
	}
	_ = learning.WithEvents("webhook", sender) // an option of learning.New

	event := learning.Event{ID: "event-1", Type: people.EventUserDeleted, CreatedAt: time.Now(),
		Subject: "user:ada",
		Data:    core.EventData{UserID: "ada"}}
	fmt.Println(sender.HandleEvent(context.Background(), event)) // called by the platform

	// without a signature
	answer, err := http.Post(server.URL, "application/json",
		strings.NewReader(`{"type":"user.deleted"}`))
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	fmt.Println(answer.Status)
	// Output:
	// user.deleted user:ada {"userId":"ada"}
	// <nil>
	// 400 Bad Request
}

// receiver returns a receiver of webhooks. It verifies each webhook before it reads it, and
// answers with a status of 200 to 299 when the event is handled. It can be written in any
// language that has a library of Standard Webhooks.
func receiver(secret string) http.Handler {
	hook, err := webhooks.NewWebhook(secret)
	if err != nil {
		log.Fatal(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || hook.Verify(body, r.Header) != nil {
			http.Error(w, "invalid webhook", http.StatusBadRequest)
			return
		}
		var event struct {
			ID, Type, Subject string
			Data              json.RawMessage
		}
		if err := json.Unmarshal(body, &event); err != nil {
			http.Error(w, "invalid event", http.StatusBadRequest)
			return
		}
		fmt.Println(event.Type, event.Subject, string(event.Data)) // once for each event.ID
	})
}
