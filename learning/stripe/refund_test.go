package stripe_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// refundOf returns a request for a refund of a payment.
func refundOf(paymentID, id string, amount core.Money) payment.NewRefund {
	return payment.NewRefund{ID: id, PurchaseID: "purchase-1", PaymentID: paymentID, Amount: amount,
		Currency: "INR"}
}

func TestCreateRefund_IsTheSameRefundForItsID(t *testing.T) {
	c, s := newSandbox(t, sandbox.Config{})
	paid := open(t, c)
	if _, err := s.Pay(paid); err != nil {
		t.Fatal(err)
	}
	// The answer to the first request is lost.
	s.Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultDrop, On: sandbox.OpRefundIntent,
		After: true})
	if _, err := c.CreateRefund(t.Context(), refundOf(paid, "r1", 100_05)); err == nil ||
		errors.Is(err, payment.ErrRefundRefused) {
		t.Errorf("a lost answer: %v", err)
	}
	s.Faults().Clear()
	got, err := c.CreateRefund(t.Context(), refundOf(paid, "r1", 100_05))
	want := payment.Refund{ID: s.Refunds(paid)[0].ID, PaymentID: paid, Amount: 100_05,
		Currency: "INR", Status: payment.RefundProcessed, RefundID: "r1", PurchaseID: "purchase-1"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	if n := len(s.Refunds(paid)); n != 1 {
		t.Errorf("%d refunds", n)
	}
	// A repetition finds it without its key, which Stripe forgets, and says what has become of it.
	if _, err := s.FailRefund(got.ID); err != nil {
		t.Fatal(err)
	}
	calls := s.Faults().Calls(sandbox.OpRefundIntent)
	got, err = c.CreateRefund(t.Context(), refundOf(paid, "r1", 100_05))
	if err != nil || got.Status != payment.RefundFailed ||
		s.Faults().Calls(sandbox.OpRefundIntent) != calls {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.CreateRefund(t.Context(), refundOf(paid, "r1", 1_00)); err == nil {
		t.Errorf("with another amount: %+v", got)
	}
}

func TestCreateRefund_Refusals(t *testing.T) {
	c, s := newSandbox(t, sandbox.Config{})
	paid := open(t, c)
	for _, refused := range []payment.NewRefund{refundOf(paid, "r1", 1), refundOf("pi_x", "r2", 1)} {
		if _, err := c.CreateRefund(t.Context(), refused); !errors.Is(err, payment.ErrRefundRefused) {
			t.Errorf("%+v: %v", refused, err)
		}
	}
	if _, err := s.Pay(paid); err != nil {
		t.Fatal(err)
	}
	if _, err := c.CreateRefund(t.Context(),
		refundOf(paid, "r3", 499_01)); !errors.Is(err, payment.ErrRefundRefused) {
		t.Errorf("more than was paid: %v", err)
	}
	s.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultPending, On: sandbox.OpRefundIntent})
	if got, err := c.CreateRefund(t.Context(), refundOf(paid, "r4", 499_00)); err != nil ||
		got.Status != payment.RefundPending {
		t.Errorf("%+v, %v", got, err)
	}
	for _, invalid := range []payment.NewRefund{refundOf(paid, "", 1), refundOf("..", "r5", 1),
		refundOf(paid, "r5", 0), refundOf(paid, "r5", -1)} {
		if _, err := c.CreateRefund(t.Context(), invalid); err == nil ||
			errors.Is(err, payment.ErrRefundRefused) {
			t.Errorf("%+v: %v", invalid, err)
		}
	}
}

func TestCreateRefund_OnlyADecisionOfStripeIsRefused(t *testing.T) {
	const decided = `{"error":{"type":"invalid_request_error"}}`
	for _, test := range []struct {
		status int
		body   string
		want   bool
	}{
		{400, decided, true}, {402, decided, true}, {404, decided, true},
		{400, `{"error":{"type":"card_error"}}`, true},
		{400, `{"error":{"type":"idempotency_error"}}`, false},
		{400, `{"error":{"type":"api_error"}}`, false},
		{404, `<!doctype html><title>no such site</title>`, false}, {400, ``, false},
		{401, decided, false}, {403, decided, false}, {409, decided, false}, {429, decided, false},
		{500, decided, false}, {503, decided, false}, {302, decided, false},
	} {
		c := newStripe(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				_, _ = io.WriteString(w, `{"data":[],"has_more":false}`)
				return
			}
			if r.Header.Get("Idempotency-Key") != "r1" {
				t.Errorf("the key is %q", r.Header.Get("Idempotency-Key"))
			}
			w.WriteHeader(test.status)
			_, _ = io.WriteString(w, test.body)
		})
		if _, err := c.CreateRefund(t.Context(), refundOf("pi_1", "r1", 1)); err == nil ||
			errors.Is(err, payment.ErrRefundRefused) != test.want {
			t.Errorf("%d %s: %v, refused must be %t", test.status, test.body, err, test.want)
		}
	}
}

func TestCreateRefund_AnswerOfAnotherRefundIsAnError(t *testing.T) {
	for _, body := range []string{`{}`, `no`, `{"amount":1,"currency":"inr","status":"succeeded"}`,
		`{"id":"re_1","amount":2,"currency":"inr","payment_intent":"pi_1"}`,
		`{"id":"re_1","amount":1,"currency":"usd","payment_intent":"pi_1"}`,
		`{"id":"re_1","amount":1,"currency":"inr","payment_intent":"pi_2"}`,
	} {
		c := newStripe(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				body := `{"data":[],"has_more":false}`
				_, _ = io.WriteString(w, body)
				return
			}
			_, _ = io.WriteString(w, body)
		})
		if got, err := c.CreateRefund(t.Context(), refundOf("pi_1", "r1", 1)); err == nil ||
			errors.Is(err, payment.ErrRefundRefused) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

func TestRefunds_StatusesAndDashboard(t *testing.T) {
	for status, want := range map[string]payment.RefundStatus{"succeeded": payment.RefundProcessed,
		"failed": payment.RefundFailed, "canceled": payment.RefundFailed,
		"pending":         payment.RefundPending,
		"requires_action": payment.RefundPending, "": payment.RefundPending, "x": payment.RefundPending} {
		c := newStripe(t, says(`{"data":[{"id":"re_1","amount":100,"currency":"usd",
			"metadata":null,"payment_intent":{"id":"pi_1"},"status":"`+status+`"}]}`))
		got, err := c.Refunds(t.Context(), "pi_1")
		if diff := cmp.Diff([]payment.Refund{{ID: "re_1", PaymentID: "pi_1", Amount: 1_00,
			Currency: "USD", Status: want}}, got); diff != "" || err != nil {
			t.Errorf("%s: %v, %s", status, err, diff)
		}
	}
}

// Lists are read to their end.
func TestLists_HaveSeveralPages(t *testing.T) {
	c, s := newSandbox(t, sandbox.Config{})
	paid := open(t, c)
	if _, err := s.Pay(paid); err != nil {
		t.Fatal(err)
	}
	for range 205 {
		if _, err := s.Refund(paid, sandbox.WithAmount(1)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := c.Refunds(t.Context(), paid)
	if err != nil || len(got) != 205 || got[204].ID != s.Refunds(paid)[0].ID {
		t.Errorf("%d refunds, %v", len(got), err)
	}
	if n := s.Faults().Calls(sandbox.OpIntentRefunds); n != 3 {
		t.Errorf("%d requests", n)
	}
	if none, err := c.Refunds(t.Context(), "pi_x"); err != nil || len(none) != 0 {
		t.Errorf("%+v, %v", none, err)
	}
	for _, body := range []string{`{}`, `{"data":null}`, `no`, `{"data":[{"amount":1}]}`,
		`{"data":[],"has_more":true}`, `{"data":[{"id":"re_1","payment_intent":"pi_2"}]}`} {
		if got, err := newStripe(t, says(body)).Refunds(t.Context(), "pi_1"); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
	// A list without an end is an error.
	n := 0
	c = newStripe(t, func(w http.ResponseWriter, _ *http.Request) {
		n++
		_, _ = fmt.Fprintf(w, `{"data":[{"id":"re_%d"}],"has_more":true}`, n)
	})
	if got, err := c.Refunds(t.Context(), "pi_1"); err == nil || n > 100 {
		t.Errorf("%d refunds after %d requests", len(got), n)
	}
}

func TestDisputes(t *testing.T) {
	c, s := newSandbox(t, sandbox.Config{})
	paid := open(t, c)
	if _, err := s.Pay(paid); err != nil {
		t.Fatal(err)
	}
	d, err := s.Dispute(paid, sandbox.WithAmount(100_00))
	if err != nil {
		t.Fatal(err)
	}
	want := []payment.Dispute{{ID: d.ID, Amount: 100_00, Currency: "INR",
		Reason: "fraudulent", Status: payment.DisputeOpen}}
	if got, err := c.Disputes(t.Context(), paid); !cmp.Equal(want, got) || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := c.Disputes(t.Context(), "pi_x"); len(got) != 0 || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	for status, want := range map[string]payment.DisputeStatus{"won": payment.DisputeWon,
		"lost": payment.DisputeLost, "prevented": payment.DisputeWon,
		"warning_closed":         payment.DisputeWon,
		"warning_needs_response": payment.DisputeOpen, "warning_under_review": payment.DisputeOpen,
		"needs_response": payment.DisputeOpen, "under_review": payment.DisputeOpen} {
		c := newStripe(t, says(`{"data":[{"id":"du_1","amount":1,"currency":"jpy","status":"`+
			status+`"}]}`))
		if got, err := c.Disputes(t.Context(), "pi_1"); err != nil || got[0].Status != want {
			t.Errorf("%s: %+v, %v", status, got, err)
		}
	}
	for _, body := range []string{`{}`, `{"data":[{}]}`, `{"data":[{"id":"du_1","amount":1,
		"currency":"isk"}]}`} {
		if got, err := newStripe(t, says(body)).Disputes(t.Context(), "pi_1"); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
}
