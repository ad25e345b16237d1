package sandbox_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestWebhook_IsRetriedUntilItSucceeds(t *testing.T) {
	p := newPlatform(t, 500, 400, 302)
	waits := []time.Duration{20 * time.Millisecond, 40 * time.Millisecond, 80 * time.Millisecond,
		time.Hour}
	s := start(t, sandbox.Config{WebhookURL: p.URL, Retry: waits})
	pay(t, s, newOrder(t, s).ID)
	waitForWebhooks(t, s)
	got := p.received()
	if len(got) != 4 {
		t.Fatalf("%d attempts, want 4: three failed, one delivered", len(got))
	}
	for i, h := range got[1:] {
		if waited := h.at.Sub(got[i].at); waited < waits[i] {
			t.Errorf("attempt %d came after %v, want %v at least", i+2, waited, waits[i])
		}
		if diff := cmp.Diff(got[0].body, h.body); diff != "" {
			t.Errorf("attempt %d has another body: %s", i+2, diff)
		}
	}
	want := []sandbox.Delivery{{Event: "payment.captured", Path: "/gateway", Attempts: 4,
		Status: 200, State: sandbox.DeliveryDone}}
	if diff := cmp.Diff(want, s.Deliveries(),
		cmpopts.IgnoreFields(sandbox.Delivery{}, "ID", "At")); diff != "" {
		t.Error(diff)
	}
}

func TestIdentityWebhook_AttemptsHaveOneIDAndNewTimestamps(t *testing.T) {
	p := newPlatform(t, 500)
	now := time.Now().Add(-time.Minute)
	s := start(t, sandbox.Config{WebhookURL: p.URL, Retry: []time.Duration{0},
		// only the sender calls it after PutUser
		Clock: func() time.Time { now = now.Add(time.Second); return now }})
	if err := s.Identity().PutUser(sandbox.User{ID: "user_1"}); err != nil {
		t.Fatal(err)
	}
	waitForWebhooks(t, s)
	got := p.received()
	if len(got) != 2 {
		t.Fatalf("%d attempts, want 2", len(got))
	}
	first, second := got[0].header, got[1].header
	if first.Get("hook-id") != second.Get("hook-id") {
		t.Error("the id changed")
	}
	if first.Get("hook-timestamp") == second.Get("hook-timestamp") {
		t.Error("the timestamp stayed")
	}
	for i, h := range got {
		if err := verifyWebhook(s, h); err != nil {
			t.Errorf("attempt %d: %v", i+1, err)
		}
	}
}

func TestWebhook_FailsAfterTheLastAttempt(t *testing.T) {
	p := newPlatform(t, 500, 500, 500)
	s := start(t, sandbox.Config{WebhookURL: p.URL, Retry: []time.Duration{0, 0}})
	pay(t, s, newOrder(t, s).ID)
	waitForWebhooks(t, s)
	if n := len(p.received()); n != 3 {
		t.Errorf("%d attempts, want 3", n)
	}
	if d := s.Deliveries()[0]; d.State != sandbox.DeliveryFailed || d.Status != 500 || d.Err == "" {
		t.Errorf("%+v", d)
	}
}

func TestWebhook_ReachesAPlatformThatStartsLater(t *testing.T) {
	down := httptest.NewServer(nil)
	down.Close()
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: down.URL,
		Retry: slices.Repeat([]time.Duration{10 * time.Millisecond}, 2000)})
	s.SetWebhookURL(down.URL + "/")
	if got := s.Config().WebhookURL; got != down.URL {
		t.Errorf("WebhookURL = %q, want %q", got, down.URL)
	}
	body, err := s.Gateway().Event(sandbox.PaymentCapturedEvent, sandbox.Payment{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Gateway().SendWebhook(t.Context(), body); err == nil {
		t.Fatal("a platform that is not running received a webhook")
	}
	pay(t, s, newOrder(t, s).ID)
	s.SetWebhookURL(p.URL)
	waitForWebhooks(t, s)
	p.only(t)
}

func TestClose_EndsDeliveries(t *testing.T) {
	arrived := make(chan struct{}, 1)
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		// before that, the server does not detect a caller that disconnects
		io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	defer slow.Close()
	refusing := newPlatform(t, 500)
	s := start(t, sandbox.Config{WebhookURL: refusing.URL, Retry: []time.Duration{time.Hour}})
	pay(t, s, newOrder(t, s).ID)
	await(t, "the first attempt was refused",
		func() bool { return s.Deliveries()[0].Attempts == 1 })
	s.SetWebhookURL(slow.URL)
	pay(t, s, newOrder(t, s).ID)
	<-arrived
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.Wait(ctx); err == nil {
		t.Error("Wait returned before two webhooks were delivered")
	}
	s.Close()
	for _, d := range s.Deliveries() {
		if d.State != sandbox.DeliveryFailed {
			t.Errorf("%+v", d)
		}
	}
	pay(t, s, newOrderDirectly(t, s).ID)
	if n := len(s.Deliveries()); n != 2 {
		t.Errorf("%d deliveries, want none after Close", n)
	}
}

func TestDeliveries_HoldTheLast200(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	for range 210 {
		pay(t, s, newOrderDirectly(t, s).ID)
	}
	waitForWebhooks(t, s)
	if got, sent := len(s.Deliveries()), len(p.received()); got != 200 || sent != 210 {
		t.Errorf("%d kept of %d", got, sent)
	}
}

// await polls a condition until it is true.
func await(tb testing.TB, what string, ok func() bool) {
	tb.Helper()
	deadline := time.After(timeLimit)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			tb.Fatalf("timed out waiting until %s", what)
		}
	}
}

func newOrderDirectly(tb testing.TB, s *sandbox.Sandbox) sandbox.Order {
	tb.Helper()
	o, err := s.Gateway().CreateOrder(sandbox.Order{Amount: 100, Currency: "INR"})
	if err != nil {
		tb.Fatal(err)
	}
	return o
}
