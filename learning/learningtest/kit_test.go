package learningtest_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestWebhooks_RepeatedOnlyIfConfigured(t *testing.T) {
	for want, opts := range map[int64][]learningtest.Option{
		1: nil,
		3: {learningtest.WithRetry(0, 0)},
	} {
		k := learningtest.New(t, opts...)
		var attempts atomic.Int64
		refusing := httptest.NewServer(
			http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				attempts.Add(1)
				w.WriteHeader(http.StatusInternalServerError)
			}))
		t.Cleanup(refusing.Close)
		k.Sandbox.SetWebhookURL(refusing.URL)
		if err := k.Sandbox.Identity().PutUser(sandbox.User{ID: "user_1"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
		defer cancel()
		if err := k.Sandbox.Wait(ctx); err != nil {
			t.Fatal(err)
		}
		if got := attempts.Load(); got != want {
			t.Errorf("%d attempts, want %d", got, want)
		}
	}
}
