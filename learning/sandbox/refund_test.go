package sandbox_test

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// refundRequest sends a request of the gateway's API for a refund.
func refundRequest(t *testing.T, s *sandbox.Sandbox, paymentID, key, body string) (int, string) {
	t.Helper()
	cfg := s.Config()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost,
		cfg.URL+"/v1/payments/"+paymentID+"/refund", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(cfg.GatewayKeyID, cfg.GatewayKeySecret)
	r.Header.Set("X-Refund-Idempotency", key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var text strings.Builder
	if err := res.Write(&text); err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, text.String()
}

// refundAmounts returns the amounts and states of the refunds of a payment.
func refundAmounts(t *testing.T, s *sandbox.Sandbox, paymentID string) (got []any) {
	t.Helper()
	list, err := s.Gateway().Refunds(paymentID)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		got = append(got, r.Amount, r.Status)
	}
	return got
}

func TestRefundAPI_AKeyIsOneRefund(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state.json")
	s := start(t, sandbox.Config{State: file})
	paid := pay(t, s, newOrder(t, s).ID)
	for _, test := range []struct {
		key, body string
		status    int
		says      string
	}{
		{"a", `{"amount":10000,"notes":{"refundId":"a"}}`, 200, `"refundId":"a"`},
		{"a", `{"amount":10000,"notes":{"refundId":"a"}}`, 200, `"status":"processed"`},
		{"", `{"amount":10000}`, 200, `"notes":[]`},
		{"", `{"amount":10000}`, 200, `"entity":"refund"`},
		{"b", `{"amount":19901}`, 400, "greater than"},
		{"c", `{"amount":99}`, 400, "at least 100"},
		{"c", `{"amount":"100"}`, 400, "integer"},
		{"c", `[]`, 400, "JSON object"},
		{"d", ``, 200, `"amount":19900`},
		{"e", ``, 400, "fully refunded"},
		{"d", ``, 200, `"amount":19900`},
	} {
		if status, body := refundRequest(t, s, paid.ID, test.key, test.body); status !=
			test.status || !strings.Contains(body, test.says) || strings.Contains(body, `"key"`) {
			t.Errorf("%s %s: %d %s", test.key, test.body, status, body)
		}
	}
	if status, body := refundRequest(t, s, "pay_x", "f", ``); status != 400 ||
		!strings.Contains(body, "does not exist") {
		t.Errorf("an unknown payment: %d %s", status, body)
	}
	want := []any{int64(10000), "processed", int64(10000), "processed", int64(10000), "processed",
		int64(19900), "processed"}
	if diff := cmp.Diff(want, refundAmounts(t, s, paid.ID)); diff != "" {
		t.Error(diff)
	}
	s.Close()
	again := start(t, sandbox.Config{State: file})
	if status, _ := refundRequest(t, again, paid.ID, "d", ``); status != 200 ||
		len(refundAmounts(t, again, paid.ID)) != len(want) {
		t.Errorf("after a restart a key answers %d", status)
	}
}

func TestRefund_PartFailureAndLateProcessing(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	g := s.Gateway()
	paid := pay(t, s, newOrder(t, s).ID, sandbox.WithoutWebhook())
	part, err := g.Refund(paid.ID, sandbox.WithAmount(10000),
		sandbox.WithNotes(map[string]string{"why": "late"}))
	if err != nil || part.Status != sandbox.PaymentCaptured || part.AmountRefunded != 10000 ||
		*part.RefundStatus != "partial" {
		t.Errorf("a part: %+v, %v", part, err)
	}
	if _, err := g.Refund(paid.ID, sandbox.WithAmount(39901)); !errors.Is(err,
		sandbox.ErrRefundTooLarge) {
		t.Errorf("more than what is left: %v", err)
	}
	g.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultPending, On: sandbox.OpCreateRefund})
	if status, body := refundRequest(t, s, paid.ID, "key", ``); status != 200 ||
		!strings.Contains(body, `"status":"pending"`) {
		t.Errorf("a refund that is processed later: %d %s", status, body)
	}
	list, err := g.Refunds(paid.ID)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if r, err := g.ProcessRefund(list[1].ID); err != nil || r.Status != "processed" {
		t.Errorf("processed: %+v, %v", r, err)
	}
	if _, err := g.ProcessRefund(list[1].ID); !errors.Is(err, sandbox.ErrRefundFinal) {
		t.Errorf("processed twice: %v", err)
	}
	for _, r := range list {
		if _, err := g.FailRefund(r.ID); err != nil {
			t.Error(err)
		}
		if _, err := g.FailRefund(r.ID); !errors.Is(err, sandbox.ErrRefundFinal) {
			t.Errorf("failed twice: %v", err)
		}
	}
	if _, err := g.FailRefund("rfnd_x"); !errors.Is(err, sandbox.ErrUnknownRefund) {
		t.Errorf("an unknown refund: %v", err)
	}
	waitForWebhooks(t, s)
	payments, err := g.Payments(paid.OrderID)
	if err != nil || payments[0].Status != sandbox.PaymentCaptured ||
		payments[0].AmountRefunded != 0 || payments[0].RefundStatus != nil {
		t.Errorf("after both have failed: %+v, %v", payments, err)
	}
	var events []string
	for _, d := range s.Deliveries() {
		events = append(events, d.Event)
	}
	if diff := cmp.Diff([]string{"refund.processed", "refund.processed", "refund.failed",
		"refund.failed"}, events); diff != "" {
		t.Error(diff)
	}
}

// A lost webhook of a refund that is processed or fails later, told to the sandbox in Go and over
// HTTP.
func TestRefund_LaterChangeWithoutWebhook(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	g := s.Gateway()
	paid := pay(t, s, newOrder(t, s).ID, sandbox.WithoutWebhook())
	_, err := g.Refund(paid.ID, sandbox.WithAmount(10000), sandbox.WithoutWebhook())
	if err != nil {
		t.Fatal(err)
	}
	g.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultPending, On: sandbox.OpCreateRefund})
	if status, body := refundRequest(t, s, paid.ID, "key", ``); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	list, err := g.Refunds(paid.ID)
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := g.FailRefund(list[0].ID, sandbox.WithoutWebhook()); err != nil {
		t.Error(err)
	}
	for _, to := range []string{"process", "fail"} {
		if status, _, body := call(t, "POST", s.Config().URL+"/sandbox/refunds/"+list[1].ID+"/"+to,
			`{"withoutWebhook":true}`); status != 200 {
			t.Errorf("%s: %d %s", to, status, body)
		}
	}
	waitForWebhooks(t, s)
	if n := len(s.Deliveries()); n != 0 {
		t.Errorf("%d webhooks", n)
	}
	if diff := cmp.Diff([]any{int64(10000), "failed", int64(39900), "failed"},
		refundAmounts(t, s, paid.ID)); diff != "" {
		t.Error(diff)
	}
}
