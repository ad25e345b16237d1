package stripe_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/stripe"
)

var newOrder = payment.NewOrder{PurchaseID: "purchase-1", Attempt: 2, UserID: "user_1",
	CourseID: "course-1", Title: "Sailing", Amount: 499_00, Currency: "INR", Language: "de",
	Metadata: core.Metadata{"campaign": "spring"}}

// says returns a handler that answers with a body.
func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// open creates the order of newOrder.
func open(t *testing.T, c *stripe.Client) string {
	t.Helper()
	got, err := c.CreateOrder(t.Context(), newOrder)
	if err != nil {
		t.Fatal(err)
	}
	return got.ID
}

func TestCreateOrder_Request(t *testing.T) {
	c := newStripe(t, func(w http.ResponseWriter, r *http.Request) {
		if err := r.ParseForm(); err != nil {
			t.Error(err)
		}
		want := url.Values{"amount": {"49900"}, "currency": {"inr"},
			"automatic_payment_methods[enabled]": {"true"}, "metadata[purchaseId]": {"purchase-1"},
			"metadata[courseTitle]": {"Sailing"}, "metadata[campaign]": {"spring"}}
		if diff := cmp.Diff(want, r.PostForm); diff != "" {
			t.Error(diff)
		}
		for name, value := range map[string]string{"Authorization": "Bearer " + key,
			"Stripe-Version": stripe.Version, "Idempotency-Key": "purchase-1-2",
			"Content-Type": "application/x-www-form-urlencoded"} {
			if got := r.Header.Get(name); got != value {
				t.Errorf("%s: %s", name, got)
			}
		}
		if r.Method+r.RequestURI != "POST/v1/payment_intents" {
			t.Error(r.Method, r.RequestURI)
		}
		says(`{"id":"pi_1","amount":49900,"currency":"inr","client_secret":"pi_1_secret_2"}`)(w, r)
	})
	got, err := c.CreateOrder(t.Context(), newOrder)
	want := payment.OpenedOrder{ID: "pi_1", ClientSecret: "pi_1_secret_2"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
}

func TestCreateOrder_MetadataIsCutToTheLimitsOfStripe(t *testing.T) {
	c, s := newSandbox(t, sandbox.Config{})
	o := newOrder
	o.Title = strings.Repeat("ü", 600)
	o.Metadata = core.Metadata{"long": strings.Repeat("x", 501), "fits": strings.Repeat("é", 500)}
	for i := range 60 {
		o.Metadata[strings.Repeat("k", i%40+1)+strings.Repeat("j", i/40)] = "v"
	}
	if _, err := c.CreateOrder(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	got := s.Intents()[0].Metadata
	if len(got) != 50 || got["purchaseId"] != "purchase-1" || len([]rune(got["courseTitle"])) !=
		500 || got["long"] != "" || got["fits"] == "" {
		t.Errorf("%d entries: %v", len(got), got)
	}
}

func TestCreateOrder_AnswersAndArgumentsThatAreRefused(t *testing.T) {
	for _, body := range []string{``, `no`, `{}`, `[]`, `null`,
		`{"amount":49900,"currency":"inr","client_secret":"s"}`,
		`{"id":"..","amount":49900,"currency":"inr","client_secret":"s"}`,
		`{"id":"pi_1","amount":49900,"currency":"inr"}`,
		`{"id":"pi_1","amount":49901,"currency":"inr","client_secret":"s"}`,
		`{"id":"pi_1","currency":"inr","client_secret":"s"}`,
		`{"id":"pi_1","amount":49900,"currency":"usd","client_secret":"s"}`,
	} {
		if got, err := newStripe(t, says(body)).CreateOrder(t.Context(), newOrder); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
	c := newStripe(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, change := range []func(o *payment.NewOrder){
		func(o *payment.NewOrder) { o.PurchaseID = "" },
		func(o *payment.NewOrder) { o.Amount = 0 },
		func(o *payment.NewOrder) { o.Amount = -1 },
		func(o *payment.NewOrder) { o.Currency = "XXX" },
	} {
		o := newOrder
		change(&o)
		if _, err := c.CreateOrder(t.Context(), o); err == nil {
			t.Errorf("%+v is accepted", o)
		}
	}
}

// The connection of the first request broke while Stripe was at it.
func TestCreateOrder_WaitsForTheRequestWithItsKey(t *testing.T) {
	requests := 0
	c := newStripe(t, func(w http.ResponseWriter, r *http.Request) {
		if requests++; requests < 3 {
			w.WriteHeader(http.StatusConflict)
			_, _ = w.Write([]byte(`{"error":{"type":"idempotency_error",` +
				`"code":"idempotency_key_in_use"}}`))
			return
		}
		says(`{"id":"pi_1","amount":49900,"currency":"inr","client_secret":"pi_1_secret_2"}`)(w, r)
	})
	if id := open(t, c); id != "pi_1" || requests != 3 {
		t.Errorf("the order is %q after %d requests", id, requests)
	}
}

// The answer to the first request was lost, and the course got another title meanwhile.
func TestCreateOrder_ARepetitionIsTheFirstOrder(t *testing.T) {
	c, s := newSandbox(t, sandbox.Config{})
	s.Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultDrop, On: sandbox.OpCreateIntent,
		After: true})
	if _, err := c.CreateOrder(t.Context(), newOrder); err == nil {
		t.Fatal("a lost answer is no error")
	}
	s.Faults().Clear()
	first := open(t, c)
	if again := open(t, c); again != first || s.IntentsCreated() != 1 {
		t.Errorf("%s, then %s, of %d", first, again, s.IntentsCreated())
	}
	renamed := newOrder
	renamed.Title = "Sailing for all"
	other, err := c.CreateOrder(t.Context(), renamed)
	if err != nil || other.ID == first {
		t.Errorf("with another title: %+v, %v", other, err)
	}
	if again, err := c.CreateOrder(t.Context(), renamed); err != nil || again != other {
		t.Errorf("once more: %+v, %v", again, err)
	}
	dearer := newOrder
	dearer.Attempt, dearer.Amount = 3, 599_00
	if got, err := c.CreateOrder(t.Context(), dearer); err != nil || got.ID == first {
		t.Errorf("with another price: %+v, %v", got, err)
	}
}

func TestOrder_States(t *testing.T) {
	c, s := newSandbox(t, sandbox.Config{})
	type step = func(string, ...sandbox.PayOption) (sandbox.PaymentIntent, error)
	refund := func(opts ...sandbox.PayOption) step {
		return func(id string, _ ...sandbox.PayOption) (sandbox.PaymentIntent, error) {
			_, err := s.Refund(id, opts...)
			return sandbox.PaymentIntent{}, err
		}
	}
	for name, test := range map[string]struct {
		steps             []step
		state             payment.OrderState
		captured, pending bool
	}{
		"new":             {nil, payment.OrderOpen, false, false},
		"declined":        {[]step{s.Fail}, payment.OrderOpen, false, false},
		"3-D Secure":      {[]step{s.RequireAction}, payment.OrderOpen, false, false},
		"processing":      {[]step{s.Process}, payment.OrderProcessing, false, true},
		"authorised":      {[]step{s.Authorize}, payment.OrderProcessing, false, true},
		"cancelled":       {[]step{s.Cancel}, payment.OrderClosed, false, false},
		"failed late":     {[]step{s.Process, s.Fail}, payment.OrderOpen, false, false},
		"paid":            {[]step{s.Fail, s.Pay}, payment.OrderPaid, true, false},
		"refunded partly": {[]step{s.Pay, refund(sandbox.WithAmount(1))}, payment.OrderPaid, true, false},
		"refunded":        {[]step{s.Pay, refund()}, payment.OrderClosed, false, false},
	} {
		o := newOrder
		o.PurchaseID = name
		opened, err := c.CreateOrder(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		for _, do := range test.steps {
			if _, err := do(opened.ID); err != nil {
				t.Fatal(name, err)
			}
		}
		got, err := c.Order(t.Context(), opened.ID)
		want := payment.OrderReport{State: test.state}
		if test.state == payment.OrderPaid || test.pending || name == "refunded" {
			want.Payments = []payment.Payment{{ID: opened.ID, OrderID: opened.ID, PurchaseID: name,
				Amount: &o.Amount, Currency: "INR", Captured: test.captured, Pending: test.pending}}
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v, %s", name, err, diff)
		}
		// The proof is what Stripe says, whatever else the browser brings.
		paid, err := c.CheckProof(t.Context(), payment.Proof{OrderID: opened.ID,
			PaymentID: "pi_other", Signature: "x"})
		switch {
		case test.state == payment.OrderPaid:
			if diff := cmp.Diff(want.Payments[0], paid); diff != "" || err != nil {
				t.Errorf("%s: proof %v, %s", name, err, diff)
			}
		case !errors.Is(err, payment.ErrIncomplete):
			t.Errorf("%s: proof %+v, %v", name, paid, err)
		}
	}
}

// An answer that cannot be understood must not count as "not paid".
func TestOrder_InvalidAnswersAreErrors(t *testing.T) {
	for _, body := range []string{``, `{}`, `null`, `{"id":"pi_2","status":"canceled"}`,
		`{"id":"pi_1","status":"unheard_of"}`, `{"id":"pi_1"}`,
		`{"id":"pi_1","status":"succeeded","amount_received":100,"currency":"usd"}`,
		`{"id":"pi_1","status":"succeeded","latest_charge":"ch_1"}`,
	} {
		c := newStripe(t, says(body))
		if got, err := c.Order(t.Context(), "pi_1"); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
		if got, err := c.CheckProof(t.Context(), payment.Proof{OrderID: "pi_1"}); err == nil ||
			errors.Is(err, payment.ErrIncomplete) {
			t.Errorf("%s: proof %+v, %v", body, got, err)
		}
	}
	c, _ := newSandbox(t, sandbox.Config{})
	if _, err := c.Order(t.Context(), "pi_x"); err == nil ||
		!strings.Contains(err.Error(), "resource_missing") {
		t.Errorf("an unknown order: %v", err)
	}
	for _, id := range []string{"", ".."} {
		if _, err := c.CheckProof(t.Context(),
			payment.Proof{OrderID: id}); !errors.Is(err, payment.ErrInvalidSignature) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestCancelOrder(t *testing.T) {
	c, s := newSandbox(t, sandbox.Config{})
	cancel := func(want error, steps ...func(string,
		...sandbox.PayOption) (sandbox.PaymentIntent, error)) {
		t.Helper()
		p, err := s.CreateIntent(100, "usd", nil)
		for _, do := range steps {
			if err == nil {
				_, err = do(p.ID)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		err = c.CancelOrder(t.Context(), p.ID)
		after, _ := s.Intent(p.ID)
		if !errors.Is(err, want) || (want == nil) != (after.Status == sandbox.IntentCanceled) {
			t.Errorf("%v, status %s, want %v", err, after.Status, want)
		}
	}
	cancel(nil)
	cancel(nil, s.Cancel)
	cancel(nil, s.Fail)
	cancel(nil, s.RequireAction)
	cancel(nil, s.Authorize)
	cancel(payment.ErrOrderPaid, s.Pay)
	cancel(payment.ErrOrderPaid, s.Process)
	if err := c.CancelOrder(t.Context(), "pi_x"); err == nil || errors.Is(err, payment.ErrOrderPaid) {
		t.Errorf("an unknown order: %v", err)
	}
	s.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultStatus, On: sandbox.OpCancelIntent})
	if err := c.CancelOrder(t.Context(), "pi_x"); err == nil || errors.Is(err, payment.ErrOrderPaid) {
		t.Errorf("a failure: %v", err)
	}
	c = newStripe(t, says(`{"id":"pi_1","status":"requires_payment_method"}`))
	if err := c.CancelOrder(t.Context(), "pi_1"); err == nil {
		t.Error("an intent that is still open counts as cancelled")
	}
}

func TestRequests_FailuresHideSecretsAndAnswers(t *testing.T) {
	for body, says := range map[string]string{
		`{"error":{"type":"invalid_request_error","code":"amount_too_small","message":"sesame"}}`: "" +
			"status 400 (invalid_request_error, amount_too_small)",
		`{"error":{"type":"card_error","message":"sesame"}}`:   "status 400 (card_error)",
		`{"error":{"type":"sesame !","code":"<b>sesame</b>"}}`: "status 400",
		`sesame`: "status 400",
	} {
		c := newStripe(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, body)
		})
		_, err := c.Order(t.Context(), "pi_1")
		if err == nil || !strings.HasSuffix(err.Error(), says) ||
			strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %v", body, err)
		}
	}
	var asked atomic.Int32
	c := newStripe(t, func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		w.WriteHeader(http.StatusUnauthorized)
	})
	if _, err := c.Order(t.Context(), "pi_1"); err == nil ||
		!strings.Contains(err.Error(), "secret key") || asked.Load() != 1 {
		t.Errorf("a wrong key: %v after %d requests", err, asked.Load())
	}
	c = newStripe(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		stripe.WithTimeout(20*time.Millisecond))
	if _, err := c.Order(t.Context(), "pi_1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no answer: %v", err)
	}
}
