package stripe

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	library "github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/stripe"
)

// below is a transport that sends requests to paths below its own, because stripe-go accepts no URL
// with a path.
type below string

func (b below) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.URL.Path = string(b) + r.URL.Path
	return http.DefaultTransport.RoundTrip(r)
}

// start starts a sandbox, and returns it with a client of stripe-go.
func start(t *testing.T, cfg sandbox.Config) (*sandbox.Sandbox, *library.Client) {
	t.Helper()
	s, err := sandbox.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	const noRetries = 0
	backends := library.NewBackendsWithConfig(&library.BackendConfig{
		URL:               new(s.Config().URL),
		HTTPClient:        &http.Client{Transport: below(sandbox.StripePath)},
		MaxNetworkRetries: new(int64(noRetries)),
		LeveledLogger:     &library.LeveledLogger{Level: library.LevelNull},
	})
	return s, library.NewClient(s.Config().StripeKey, library.WithBackends(backends))
}

// newIntent creates a PaymentIntent as stripe-go does.
func newIntent(t *testing.T, c *library.Client, key string, amount int64) (*library.PaymentIntent,
	error) {
	t.Helper()
	params := &library.PaymentIntentCreateParams{Amount: new(amount),
		Currency: new(string(library.CurrencyUSD)),
		AutomaticPaymentMethods: &library.PaymentIntentCreateAutomaticPaymentMethodsParams{
			Enabled: new(true)},
		Metadata: map[string]string{"purchaseId": "p1"}}
	params.SetIdempotencyKey(key)
	return c.V1PaymentIntents.Create(t.Context(), params)
}

func TestSandbox_IsStripeForItsLibrary(t *testing.T) {
	s, c := start(t, sandbox.Config{})
	p, err := newIntent(t, c, "p1-1", 500_00)
	if err != nil {
		t.Fatal(err)
	}
	if p.Status != library.PaymentIntentStatusRequiresPaymentMethod || p.Amount != 500_00 ||
		p.Currency != library.CurrencyUSD || p.ClientSecret == "" || p.LatestCharge != nil ||
		p.Metadata["purchaseId"] != "p1" || !p.AutomaticPaymentMethods.Enabled {
		t.Errorf("created: %+v", p)
	}
	var refused *library.Error
	if _, err := newIntent(t, c, "p1-1", 500_01); !errors.As(err, &refused) ||
		refused.Type != library.ErrorTypeIdempotency {
		t.Errorf("another request with the key: %v", err)
	}
	if _, err := newIntent(t, c, "p1-2", 49); !errors.As(err, &refused) ||
		refused.Code != library.ErrorCodeAmountTooSmall || refused.Param != "amount" {
		t.Errorf("a small amount: %v", err)
	}
	if _, err := s.Stripe().Pay(p.ID); err != nil {
		t.Fatal(err)
	}
	expand := &library.PaymentIntentRetrieveParams{}
	expand.AddExpand("latest_charge")
	p, err = c.V1PaymentIntents.Retrieve(t.Context(), p.ID, expand)
	if err != nil || p.Status != library.PaymentIntentStatusSucceeded ||
		p.AmountReceived != 500_00 || !p.LatestCharge.Paid || p.LatestCharge.Refunded {
		t.Errorf("paid: %+v, %v", p, err)
	}
	if _, err := c.V1PaymentIntents.Cancel(t.Context(), p.ID, nil); !errors.As(err, &refused) ||
		refused.Code != library.ErrorCodePaymentIntentUnexpectedState ||
		refused.PaymentIntent.Status != library.PaymentIntentStatusSucceeded {
		t.Errorf("cancelled after the payment: %v", err)
	}
	// Two refunds, which are on two pages.
	for range 2 {
		r, err := c.V1Refunds.Create(t.Context(), &library.RefundCreateParams{
			PaymentIntent: new(p.ID), Amount: new(int64(1_00)),
			Metadata: map[string]string{"refundId": "r1"}})
		if err != nil || r.Status != library.RefundStatusSucceeded || r.PaymentIntent.ID != p.ID ||
			r.Metadata["refundId"] != "r1" {
			t.Errorf("refund: %+v, %v", r, err)
		}
	}
	pages := &library.RefundListParams{PaymentIntent: new(p.ID)}
	pages.Limit = new(int64(1))
	n := 0
	for r, err := range c.V1Refunds.List(t.Context(), pages).All(t.Context()) {
		if n++; err != nil || r.Amount != 1_00 {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if n != 2 {
		t.Errorf("%d refunds", n)
	}
}

func TestSandbox_WebhooksAreThoseOfStripe(t *testing.T) {
	type hook struct {
		body   []byte
		header http.Header
	}
	hooks := make(chan hook, 20)
	platform := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		hooks <- hook{body, r.Header}
	}))
	t.Cleanup(platform.Close)
	s, c := start(t, sandbox.Config{WebhookURL: platform.URL})
	created, err := newIntent(t, c, "p1-1", 500_00)
	if err != nil {
		t.Fatal(err)
	}
	// next reads the next webhook and decodes its object.
	next := func(object any) library.EventType {
		t.Helper()
		h := <-hooks
		e, err := webhook.ConstructEvent(h.body, h.header.Get("Stripe-Signature"),
			s.Config().StripeWebhookSecret)
		if err == nil {
			err = json.Unmarshal(e.Data.Raw, object)
		}
		if err != nil {
			t.Fatalf("%v: %s", err, h.body)
		}
		return e.Type
	}
	do := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var p library.PaymentIntent
	do(s.Stripe().Process(created.ID))
	if kind := next(&p); kind != library.EventTypePaymentIntentProcessing || p.ID != created.ID ||
		p.Status != library.PaymentIntentStatusProcessing {
		t.Errorf("%s: %+v", kind, p)
	}
	do(s.Stripe().Pay(created.ID))
	if kind := next(&p); kind != library.EventTypePaymentIntentSucceeded ||
		p.AmountReceived != 500_00 {
		t.Errorf("%s: %+v", kind, p)
	}
	var d library.Dispute
	dispute, err := s.Stripe().Dispute(created.ID)
	do(dispute, err)
	if kind := next(&d); kind != library.EventTypeChargeDisputeCreated ||
		d.PaymentIntent.ID != created.ID || d.Status != library.DisputeStatusNeedsResponse {
		t.Errorf("%s: %+v", kind, d)
	}
	do(s.Stripe().WinDispute(dispute.ID))
	if kind := next(&d); kind != library.EventTypeChargeDisputeClosed ||
		d.Status != library.DisputeStatusWon {
		t.Errorf("%s: %+v", kind, d)
	}
	refund, err := s.Stripe().Refund(created.ID, sandbox.WithoutWebhook())
	do(refund, err)
	do(s.Stripe().FailRefund(refund.ID))
	var r library.Refund
	if kind := next(&r); kind != library.EventTypeRefundFailed ||
		r.Status != library.RefundStatusFailed || r.PaymentIntent.ID != created.ID {
		t.Errorf("%s: %+v", kind, r)
	}
}

// stripe-go signs the webhook.
func TestReadWebhook_OfTheLibrary(t *testing.T) {
	c, err := stripe.New("sk_test_1", "pk_test_1",
		stripe.WithWebhookSecrets("whsec_retired", "whsec_current"))
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(`{"id":"evt_1","object":"event","type":"payment_intent.succeeded",` +
		`"data":{"object":{"id":"pi_1","object":"payment_intent"}}}`)
	read := func(secret string, at time.Time) (payment.Event, error) {
		signed := webhook.GenerateTestSignedPayload(&webhook.UnsignedPayload{Payload: body,
			Secret: secret, Timestamp: at})
		header := http.Header{"Stripe-Signature": {signed.Header}}
		return c.ReadWebhook(payment.Webhook{Body: body, Header: header.Get})
	}
	for _, secret := range []string{"whsec_current", "whsec_retired"} {
		got, err := read(secret, time.Now())
		if diff := cmp.Diff(payment.Event{ChangedOrder: "pi_1"}, got); diff != "" || err != nil {
			t.Errorf("%s: %v, %s", secret, err, diff)
		}
	}
	if _, err := read("whsec_other", time.Now()); !errors.Is(err, core.ErrInvalidWebhook) {
		t.Errorf("another secret: %v", err)
	}
	if _, err := read("whsec_current",
		time.Now().Add(-6*time.Minute)); !errors.Is(err, core.ErrInvalidWebhook) {
		t.Errorf("an old webhook: %v", err)
	}
}
