package learningtest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// ProviderPeer is the other side of a payment provider in a test: the buyer, and the provider that
// sends webhooks, such as the provider's sandbox.
type ProviderPeer struct {
	Currency string // in which orders can be paid
	// Pay pays an order in full, and returns what the client then sends to the platform.
	Pay func(t *testing.T, orderID string) payment.Proof
	// Paid returns the webhook that reports the payment of a paid order.
	Paid func(t *testing.T, orderID string) payment.Webhook
	// Sign returns a signed webhook with this body.
	Sign func(body []byte) payment.Webhook

	// What follows may be nil if the provider has no such thing.

	// Process begins a payment of an order whose outcome is known later.
	Process func(t *testing.T, orderID string)
	// Close closes an order at the provider, as when it expires.
	Close func(t *testing.T, orderID string)
	// Dispute opens a dispute of a payment.
	Dispute func(t *testing.T, paymentID string)
}

// Provider tests a payment provider of a host: what [payment.Provider] promises. It opens and pays
// several orders, and refunds one.
func Provider(t *testing.T, provider payment.Provider, peer ProviderPeer) {
	t.Helper()
	s := providerSuite{provider: provider, peer: peer}
	rule, takes := provider.Accepts(peer.Currency)
	if !takes || rule.Smallest <= 0 || rule.Step <= 0 {
		t.Fatalf("Accepts(%s): %+v, %v", peer.Currency, rule, takes)
	}
	s.price = rule.Round(499_00)
	for name, test := range map[string]func(t *testing.T){
		"has a name":              s.name,
		"takes currencies":        s.currencies,
		"opens orders":            s.orders,
		"checks proofs":           s.proof,
		"reports paid orders":     s.paid,
		"reports slow payments":   s.processing,
		"reports closed orders":   s.closed,
		"cancels orders":          s.cancel,
		"refunds once":            s.refund,
		"refuses impossible ones": s.refused,
		"reports disputes":        s.dispute,
		"verifies webhooks":       s.webhook,
		"ends with its context":   s.cancelled,
	} {
		t.Run(name, test)
	}
}

type providerSuite struct {
	provider payment.Provider
	peer     ProviderPeer
	price    core.Money // of each order
}

// open opens an order for a purchase.
func (s providerSuite) open(t *testing.T, purchaseID string) (orderID string) {
	t.Helper()
	opened, err := s.provider.CreateOrder(t.Context(), s.order(purchaseID))
	if err != nil || opened.ID == "" {
		t.Fatalf("open an order: %+v, %v", opened, err)
	}
	return opened.ID
}

// order returns the request for the order of a purchase.
func (s providerSuite) order(purchaseID string) payment.NewOrder {
	return payment.NewOrder{PurchaseID: purchaseID, UserID: "suite-user", CourseID: "suite-course",
		Title: "Größe & “quotes” of a course", Amount: s.price, Currency: s.peer.Currency,
		Language: "de, en;q=0.5", Metadata: core.Metadata{"utm_source": "suite"}}
}

// wantState asks for an order and compares its state.
func (s providerSuite) wantState(
	t *testing.T, orderID string, want payment.OrderState,
) payment.OrderReport {
	t.Helper()
	report, err := s.provider.Order(t.Context(), orderID)
	if err != nil || report.State != want {
		t.Errorf("the order is reported as %+v, %v; want the state %d", report, err, want)
	}
	return report
}

func (s providerSuite) name(t *testing.T) {
	if name := s.provider.Name(); !payment.IsName(name) || name == payment.NameManual {
		t.Errorf("the name %q cannot be stored", name)
	}
}

func (s providerSuite) currencies(t *testing.T) {
	for _, wrong := range []string{"", "XXX", "inr", "EURO"} {
		if rule, takes := s.provider.Accepts(wrong); takes {
			t.Errorf("Accepts(%q): %+v", wrong, rule)
		}
	}
}

func (s providerSuite) orders(t *testing.T) {
	one, other := s.open(t, "suite-order-1"), s.open(t, "suite-order-2")
	if one == other {
		t.Errorf("two orders have the id %q", one)
	}
	if report := s.wantState(t, one, payment.OrderOpen); len(report.Payments) != 0 {
		t.Errorf("the payments of a new order: %+v", report.Payments)
	}
}

func (s providerSuite) proof(t *testing.T) {
	orderID := s.open(t, "suite-proof")
	proof := s.peer.Pay(t, orderID)
	paid, err := s.provider.CheckProof(t.Context(), proof)
	if err != nil || paid.ID == "" || !paid.Captured {
		t.Fatalf("the proof of a payment: %+v, %v", paid, err)
	}
	other := s.open(t, "suite-proof-2")
	for _, wrong := range []payment.Proof{
		{OrderID: other, PaymentID: proof.PaymentID, Signature: proof.Signature},
		{OrderID: other, PaymentID: other, Signature: "0"},
	} {
		paid, err := s.provider.CheckProof(t.Context(), wrong)
		if !errors.Is(err, payment.ErrInvalidSignature) &&
			!errors.Is(err, payment.ErrIncomplete) {
			t.Errorf("the proof %+v of an order that is not paid: %+v, %v", wrong, paid, err)
		}
	}
}

func (s providerSuite) paid(t *testing.T) {
	orderID := s.open(t, "suite-paid")
	proof := s.peer.Pay(t, orderID)
	report := s.wantState(t, orderID, payment.OrderPaid)
	proven, err := s.provider.CheckProof(t.Context(), proof)
	check(t, err)
	i := slices.IndexFunc(report.Payments, func(p payment.Payment) bool { return p.ID == proven.ID })
	if i < 0 {
		t.Fatalf("the payments of a paid order: %+v, without %q", report.Payments, proven.ID)
	}
	s.wantCaptured(t, report.Payments[i], orderID)
}

// wantCaptured checks a payment of an order.
func (s providerSuite) wantCaptured(t *testing.T, p payment.Payment, orderID string) {
	t.Helper()
	if !p.Captured || p.OrderID != "" && p.OrderID != orderID ||
		p.Amount != nil && *p.Amount != s.price ||
		p.Currency != "" && p.Currency != s.peer.Currency {
		t.Errorf("the payment is reported as %+v", p)
	}
}

func (s providerSuite) processing(t *testing.T) {
	if s.peer.Process == nil {
		t.Skip("the provider has no slow payments")
	}
	orderID := s.open(t, "suite-processing")
	s.peer.Process(t, orderID)
	for _, p := range s.wantState(t, orderID, payment.OrderProcessing).Payments {
		if p.Captured {
			t.Errorf("a payment is captured: %+v", p)
		}
	}
	paid, err := s.provider.CheckProof(t.Context(), payment.Proof{OrderID: orderID,
		PaymentID: "suite", Signature: "0"})
	if !errors.Is(err, payment.ErrIncomplete) &&
		!errors.Is(err, payment.ErrInvalidSignature) {
		t.Errorf("the proof of a slow payment: %+v, %v", paid, err)
	}
}

func (s providerSuite) closed(t *testing.T) {
	if s.peer.Close == nil {
		t.Skip("the provider closes no orders")
	}
	orderID := s.open(t, "suite-closed")
	s.peer.Close(t, orderID)
	s.wantState(t, orderID, payment.OrderClosed)
	if err := s.provider.CancelOrder(t.Context(), orderID); err != nil {
		t.Errorf("cancel an order that is closed: %v", err)
	}
}

func (s providerSuite) cancel(t *testing.T) {
	// Twice, and the second time is nil too.
	orderID := s.open(t, "suite-cancel")
	for range 2 {
		if err := s.provider.CancelOrder(t.Context(), orderID); err != nil {
			t.Errorf("cancel an order: %v", err)
		}
	}

	// A paid order stays paid, whether or not the provider can cancel orders.
	orderID = s.open(t, "suite-cancel-paid")
	s.peer.Pay(t, orderID)
	err := s.provider.CancelOrder(t.Context(), orderID)
	if err != nil && !errors.Is(err, payment.ErrOrderPaid) {
		t.Errorf("cancel a paid order: %v, want payment.ErrOrderPaid or nil", err)
	}
	s.wantState(t, orderID, payment.OrderPaid)
}

// pay opens and pays the order of a purchase, and returns the id of the payment.
func (s providerSuite) pay(t *testing.T, purchaseID string) (paymentID string) {
	t.Helper()
	paid, err := s.provider.CheckProof(t.Context(), s.peer.Pay(t, s.open(t, purchaseID)))
	check(t, err)
	return paid.ID
}

func (s providerSuite) refund(t *testing.T) {
	paymentID := s.pay(t, "suite-refund")
	rule, _ := s.provider.Accepts(s.peer.Currency)
	request := payment.NewRefund{ID: "suite-refund-1", PurchaseID: "suite-refund",
		PaymentID: paymentID, Amount: s.price / 4 / rule.Step * rule.Step,
		Currency: s.peer.Currency}
	first, err := s.provider.CreateRefund(t.Context(), request)
	check(t, err)
	again, err := s.provider.CreateRefund(t.Context(), request)
	if err != nil || again.ID != first.ID {
		t.Errorf("a repeated refund is %+v, %v; the first one %+v", again, err, first)
	}
	list, err := s.provider.Refunds(t.Context(), paymentID)
	if err != nil || len(list) != 1 || list[0].ID != first.ID ||
		list[0].RefundID != request.ID || list[0].Amount != request.Amount {
		t.Errorf("the refunds are %+v, %v", list, err)
	}
}

func (s providerSuite) refused(t *testing.T) {
	paymentID := s.pay(t, "suite-refused")
	rule, _ := s.provider.Accepts(s.peer.Currency)
	_, err := s.provider.CreateRefund(t.Context(), payment.NewRefund{ID: "suite-refund-2",
		PurchaseID: "suite-refused", PaymentID: paymentID, Amount: s.price + rule.Step,
		Currency: s.peer.Currency})
	if !errors.Is(err, payment.ErrRefundRefused) {
		t.Errorf("a refund of more than was paid: %v, want payment.ErrRefundRefused", err)
	}
	if list, err := s.provider.Refunds(t.Context(), paymentID); err != nil || len(list) != 0 {
		t.Errorf("the refunds are %+v, %v", list, err)
	}
}

func (s providerSuite) dispute(t *testing.T) {
	paymentID := s.pay(t, "suite-dispute")
	list, err := s.provider.Disputes(t.Context(), paymentID)
	if err != nil || len(list) != 0 {
		t.Errorf("the disputes of a new payment: %+v, %v", list, err)
	}
	if s.peer.Dispute == nil {
		return
	}
	s.peer.Dispute(t, paymentID)
	list, err = s.provider.Disputes(t.Context(), paymentID)
	if err != nil || len(list) != 1 || list[0].ID == "" || list[0].Status != payment.DisputeOpen {
		t.Errorf("the disputes are %+v, %v", list, err)
	}
}

func (s providerSuite) webhook(t *testing.T) {
	// The webhook reports the payment, or that the order has changed.
	orderID := s.open(t, "suite-webhook")
	proven, err := s.provider.CheckProof(t.Context(), s.peer.Pay(t, orderID))
	check(t, err)
	sent := s.peer.Paid(t, orderID)
	e, err := s.provider.ReadWebhook(sent)
	switch {
	case err != nil || e.ChangedOrder != orderID && e.Payment.ID != proven.ID:
		t.Fatalf("the webhook of a payment: %+v, %v", e, err)
	case e.Payment.ID != "":
		s.wantCaptured(t, e.Payment, orderID)
	}

	// Another body, and no header.
	other := payment.Webhook{Body: append(slices.Clone(sent.Body), ' '), Header: sent.Header}
	unsigned := payment.Webhook{Body: sent.Body, Header: func(string) string { return "" }}
	for _, wrong := range []payment.Webhook{other, unsigned} {
		if _, err := s.provider.ReadWebhook(wrong); !errors.Is(err, core.ErrInvalidWebhook) {
			t.Errorf("a webhook with a wrong signature: %v, want core.ErrInvalidWebhook", err)
		}
	}
	for _, text := range []string{"", "{", "[]"} {
		_, err := s.provider.ReadWebhook(s.peer.Sign([]byte(text)))
		if !errors.Is(err, core.ErrMalformedEvent) {
			t.Errorf("the signed body %q: %v, want core.ErrMalformedEvent", text, err)
		}
	}
}

func (s providerSuite) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if opened, err := s.provider.CreateOrder(ctx, s.order("suite-cancelled")); err == nil {
		t.Errorf("CreateOrder returns %+v", opened)
	}
	if report, err := s.provider.Order(ctx, "order"); err == nil {
		t.Errorf("Order returns %+v", report)
	}
	if list, err := s.provider.Refunds(ctx, "payment"); err == nil {
		t.Errorf("Refunds returns %+v", list)
	}
}
