package sandbox_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

func mac(secret, text string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(text))
	return hex.EncodeToString(m.Sum(nil))
}

func pay(tb testing.TB, s *sandbox.Sandbox, orderID string,
	opts ...sandbox.PayOption) sandbox.Payment {
	tb.Helper()
	p, err := s.Gateway().Pay(orderID, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

func TestPay_SendsASignedWebhook(t *testing.T) {
	p := newPlatform(t)
	now := time.Unix(1_700_000_000, 0)
	s := start(t, sandbox.Config{WebhookURL: p.URL, Clock: func() time.Time { return now }})
	o := newOrder(t, s)
	paid := pay(t, s, o.ID)
	waitForWebhooks(t, s)
	h := p.only(t)
	if h.path != "/gateway" || h.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s %s", h.path, h.header.Get("Content-Type"))
	}
	if got, want := h.header.Get("x-gateway-signature"),
		mac(s.Config().GatewayWebhookSecret, string(h.body)); got != want {
		t.Errorf("signature = %s, want %s", got, want)
	}
	entity := map[string]any{"id": paid.ID, "entity": "payment", "amount": 49900.0,
		"currency": "INR", "status": "captured", "order_id": o.ID,
		"method": "card", "notes": map[string]any{"purchaseId": "purchase_1",
			"courseTitle": "Bread"}, "amount_refunded": 0.0,
		"refund_status": nil, "captured": true, "created_at": 1_700_000_000.0}
	want := map[string]any{"entity": "event", "event": "payment.captured",
		"contains": []any{"payment"}, "created_at": 1_700_000_000.0,
		"payload": map[string]any{"payment": map[string]any{"entity": entity}}}
	if diff := cmp.Diff(want, decode[map[string]any](t, h.body)); diff != "" {
		t.Error(diff)
	}
}

func TestPay_UpdatesTheOrder(t *testing.T) {
	s := start(t, sandbox.Config{})
	o := newOrder(t, s)
	failed, err := s.Gateway().Fail(o.ID)
	if err != nil {
		t.Fatal(err)
	}
	check := func(status string, attempts int, paid, due int64) {
		t.Helper()
		want := o
		want.Status = status
		want.Attempts = attempts
		want.AmountPaid = paid
		want.AmountDue = due
		got, err := s.Gateway().Order(o.ID)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
	check("attempted", 1, 0, 49900)
	captured := pay(t, s, o.ID)
	check("paid", 2, 49900, 0)
	if _, err := s.Gateway().Refund(captured.ID); err != nil {
		t.Fatal(err)
	}
	check("paid", 2, 49900, 0)
	_, _, body := call(t, "GET", s.Config().URL+"/v1/orders/"+o.ID+"/payments", "", gatewayKey(s))
	list := decode[struct {
		Entity string
		Count  int
		Items  []sandbox.Payment
	}](t, []byte(body))
	full := "full"
	captured.Status = "refunded"
	captured.AmountRefunded = 49900
	captured.RefundStatus = &full
	diff := cmp.Diff([]sandbox.Payment{failed, captured}, list.Items)
	if list.Entity != "collection" || list.Count != 2 || diff != "" {
		t.Error(list.Entity, list.Count, diff)
	}
}

func TestPay_ConcurrentlySucceedsOnce(t *testing.T) {
	s := start(t, sandbox.Config{})
	o := newOrder(t, s)
	var wg sync.WaitGroup
	var paid, refused atomic.Int32
	for range 20 {
		wg.Go(func() {
			switch _, err := s.Gateway().Pay(o.ID); {
			case err == nil:
				paid.Add(1)
			case errors.Is(err, sandbox.ErrOrderPaid):
				refused.Add(1)
			}
		})
	}
	wg.Wait()
	if paid.Load() != 1 || refused.Load() != 19 {
		t.Errorf("%d paid, %d refused", paid.Load(), refused.Load())
	}
}

func TestPay_Options(t *testing.T) {
	s := start(t, sandbox.Config{})
	g := s.Gateway()
	t.Run("another amount", func(t *testing.T) {
		o := newOrder(t, s)
		if p := pay(t, s, o.ID, sandbox.WithAmount(100)); p.Amount != 100 {
			t.Errorf("amount = %d", p.Amount)
		}
		if o, _ := g.Order(o.ID); o.AmountPaid != 100 || o.AmountDue != 49800 ||
			o.Status != sandbox.OrderPaid {
			t.Errorf("%+v", o)
		}
	})
	t.Run("other notes", func(t *testing.T) {
		for _, notes := range []any{[]string{}, map[string]any{"purchaseId": 7}, "text"} {
			want, _ := json.Marshal(notes)
			p := pay(t, s, newOrder(t, s).ID, sandbox.WithNotes(notes))
			if string(p.Notes) != string(want) {
				t.Errorf("notes = %s, want %s", p.Notes, want)
			}
		}
		if _, err := g.Pay(newOrder(t, s).ID, sandbox.WithNotes(func() {})); err == nil {
			t.Error("notes that cannot be encoded were accepted")
		}
	})
	t.Run("no notes", func(t *testing.T) {
		o, err := g.CreateOrder(sandbox.Order{Amount: 100, Currency: "INR"})
		if err != nil {
			t.Fatal(err)
		}
		if p := pay(t, s, o.ID); string(p.Notes) != "[]" {
			t.Errorf("notes = %s", p.Notes)
		}
	})
	t.Run("authorized first", func(t *testing.T) {
		o := newOrder(t, s)
		p, err := g.Authorize(o.ID)
		if err != nil || p.Status != "authorized" || p.Captured {
			t.Fatalf("%+v %v", p, err)
		}
		if o, _ := g.Order(o.ID); o.Status != sandbox.OrderAttempted {
			t.Errorf("order is %s", o.Status)
		}
	})
	t.Run("paid a second time", func(t *testing.T) {
		o := newOrder(t, s)
		if first, second := pay(t, s, o.ID),
			pay(t, s, o.ID, sandbox.Again()); first.ID == second.ID {
			t.Error("both have one id")
		}
		if _, err := g.Fail(o.ID); !errors.Is(err, sandbox.ErrOrderPaid) {
			t.Errorf("fail after paying: %v", err)
		}
	})
}

func TestPay_InvalidIsRejected(t *testing.T) {
	s := start(t, sandbox.Config{})
	g := s.Gateway()
	failed, err := g.Fail(newOrder(t, s).ID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Pay("order_x"); !errors.Is(err, sandbox.ErrUnknownOrder) {
		t.Errorf("unknown order: %v", err)
	}
	if _, err := g.Payments("order_x"); !errors.Is(err, sandbox.ErrUnknownOrder) {
		t.Errorf("payments of an unknown order: %v", err)
	}
	if _, err := g.Refund("pay_x"); !errors.Is(err, sandbox.ErrUnknownPayment) {
		t.Errorf("refund of an unknown payment: %v", err)
	}
	if _, err := g.Refund(failed.ID); !errors.Is(err, sandbox.ErrNotCaptured) {
		t.Errorf("refund of a failed payment: %v", err)
	}
	paid := pay(t, s, newOrder(t, s).ID)
	if got, err := g.Refund(paid.ID, sandbox.WithAmount(-100)); err == nil {
		t.Errorf("a negative refund is accepted: %d are refunded", got.AmountRefunded)
	}
}

func TestPayments_EachOutcomeHasItsEvent(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	g := s.Gateway()
	o := newOrder(t, s)
	var last sandbox.Payment
	for _, do := range []func() (sandbox.Payment, error){
		func() (sandbox.Payment, error) { return g.Fail(o.ID) },
		func() (sandbox.Payment, error) { return g.Authorize(o.ID) },
		func() (sandbox.Payment, error) { return g.Pay(o.ID) },
		func() (sandbox.Payment, error) { return g.Refund(last.ID) },
		func() (sandbox.Payment, error) {
			return g.Pay(newOrder(t, s).ID,
				sandbox.WithoutWebhook())
		},
	} {
		var err error
		if last, err = do(); err != nil {
			t.Fatal(err)
		}
		waitForWebhooks(t, s)
	}
	var events []string
	for _, h := range p.received() {
		events = append(events, decode[struct{ Event string }](t, h.body).Event)
	}
	want := []string{sandbox.PaymentFailedEvent, sandbox.PaymentAuthorizedEvent,
		sandbox.PaymentCapturedEvent, sandbox.RefundProcessed}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
}

func TestGatewaySendWebhook_SignsAndReportsFailure(t *testing.T) {
	p := newPlatform(t, 200, 400)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	body, err := s.Gateway().Event(sandbox.PaymentCapturedEvent, sandbox.Payment{ID: "pay_1"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Gateway().SendWebhook(t.Context(), body); err != nil {
		t.Error(err)
	}
	if err := s.Gateway().SendWebhook(t.Context(), body); err == nil {
		t.Error("an answer of 400 is not an error")
	}
	got := p.received()
	if len(got) != 2 {
		t.Fatalf("%d webhooks were received", len(got))
	}
	for _, h := range got {
		if h.header.Get("x-gateway-signature") !=
			mac(s.Config().GatewayWebhookSecret, string(h.body)) {
			t.Error("the signature is not that of the body")
		}
	}
}
