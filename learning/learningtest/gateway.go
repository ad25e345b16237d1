package learningtest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sale"
)

// GatewayPeer is the other side of a gateway in a test: the buyer, and the provider that sends
// webhooks, such as the provider's sandbox.
type GatewayPeer struct {
	Currency string // in which orders can be paid, with two decimals
	// Pay pays an order in full, and returns what the checkout gives to the browser.
	Pay func(t *testing.T, orderID string) (paymentID, signature string)
	// Captured returns the webhook of a payment that was captured.
	Captured func(t *testing.T, paymentID string) (body []byte, signature string)
	// Sign returns the signature of a webhook with this body.
	Sign func(body []byte) string
}

// Gateway tests a payment gateway of a host: what [sale.Gateway] promises. It opens and pays
// several orders and refunds one.
func Gateway(t *testing.T, gateway sale.Gateway, peer GatewayPeer) {
	t.Helper()
	s := gatewaySuite{gateway: gateway, peer: peer}
	for name, test := range map[string]func(t *testing.T){
		"opens orders":            s.orders,
		"verifies payments":       s.proof,
		"reports payments":        s.payments,
		"refunds once":            s.refund,
		"refuses impossible ones": s.refused,
		"verifies webhooks":       s.webhook,
		"ends with its context":   s.cancelled,
	} {
		t.Run(name, test)
	}
}

type gatewaySuite struct {
	gateway sale.Gateway
	peer    GatewayPeer
}

// price is the amount of each order: 499.00.
const price core.Money = 499_00

// open opens an order for a purchase.
func (s gatewaySuite) open(t *testing.T, purchaseID string) (orderID string) {
	t.Helper()
	orderID, err := s.gateway.CreateOrder(t.Context(), sale.NewOrder{Amount: price,
		Currency: s.peer.Currency, PurchaseID: purchaseID, Title: "Größe & “quotes” of a course"})
	if err != nil || orderID == "" {
		t.Fatalf("open an order: %q, %v", orderID, err)
	}
	return orderID
}

func (s gatewaySuite) orders(t *testing.T) {
	one, other := s.open(t, "suite-order-1"), s.open(t, "suite-order-2")
	if one == other {
		t.Errorf("two orders have the id %q", one)
	}
	list, err := s.gateway.Payments(t.Context(), one)
	if err != nil || len(list) != 0 {
		t.Errorf("the payments of a new order: %+v, %v", list, err)
	}
	if s.gateway.KeyID() == "" {
		t.Error("KeyID is empty, which a checkout needs")
	}
}

func (s gatewaySuite) proof(t *testing.T) {
	orderID := s.open(t, "suite-proof")
	paymentID, signature := s.peer.Pay(t, orderID)
	if !s.gateway.VerifyPayment(orderID, paymentID, signature) {
		t.Error("the proof of a payment is refused")
	}
	for _, wrong := range [][3]string{
		{orderID, paymentID, ""}, {orderID, paymentID, signature + "0"},
		{orderID + "0", paymentID, signature}, {orderID, paymentID + "0", signature},
		{paymentID, orderID, signature},
	} {
		if s.gateway.VerifyPayment(wrong[0], wrong[1], wrong[2]) {
			t.Errorf("a wrong proof is accepted: %q", wrong)
		}
	}
}

func (s gatewaySuite) payments(t *testing.T) {
	orderID := s.open(t, "suite-payments")
	paymentID, _ := s.peer.Pay(t, orderID)
	list, err := s.gateway.Payments(t.Context(), orderID)
	i := slices.IndexFunc(list, func(p sale.Payment) bool { return p.ID == paymentID })
	if err != nil || i < 0 {
		t.Fatalf("the payments of a paid order: %+v, %v", list, err)
	}
	s.wantCaptured(t, list[i], orderID)
}

// wantCaptured checks a payment of an order.
func (s gatewaySuite) wantCaptured(t *testing.T, p sale.Payment, orderID string) {
	t.Helper()
	if !p.Captured || p.OrderID != orderID || p.Amount != nil && *p.Amount != price ||
		p.Currency != "" && p.Currency != s.peer.Currency {
		t.Errorf("the payment is reported as %+v", p)
	}
}

func (s gatewaySuite) refund(t *testing.T) {
	paymentID, _ := s.peer.Pay(t, s.open(t, "suite-refund"))
	request := sale.NewRefund{ID: "suite-refund-1", PurchaseID: "suite-refund",
		PaymentID: paymentID, Amount: price / 4, Currency: s.peer.Currency}
	first, err := s.gateway.CreateRefund(t.Context(), request)
	check(t, err)
	again, err := s.gateway.CreateRefund(t.Context(), request)
	if err != nil || again.ID != first.ID {
		t.Errorf("a repeated refund is %+v, %v; the first one %+v", again, err, first)
	}
	list, err := s.gateway.Refunds(t.Context(), paymentID)
	if err != nil || len(list) != 1 || list[0].ID != first.ID ||
		list[0].RefundID != request.ID {
		t.Errorf("the refunds are %+v, %v", list, err)
	}
}

func (s gatewaySuite) refused(t *testing.T) {
	paymentID, _ := s.peer.Pay(t, s.open(t, "suite-refused"))
	_, err := s.gateway.CreateRefund(t.Context(), sale.NewRefund{ID: "suite-refund-2",
		PurchaseID: "suite-refused", PaymentID: paymentID, Amount: price + 1,
		Currency: s.peer.Currency})
	if !errors.Is(err, sale.ErrRefundRefused) {
		t.Errorf("a refund of more than was paid: %v, want sale.ErrRefundRefused", err)
	}
	if list, err := s.gateway.Refunds(t.Context(), paymentID); err != nil || len(list) != 0 {
		t.Errorf("the refunds are %+v, %v", list, err)
	}
}

func (s gatewaySuite) webhook(t *testing.T) {
	orderID := s.open(t, "suite-webhook")
	paymentID, _ := s.peer.Pay(t, orderID)
	body, signature := s.peer.Captured(t, paymentID)
	e, err := s.gateway.VerifyWebhook(body, signature)
	if err != nil || e.Payment.ID != paymentID {
		t.Fatalf("the webhook of a payment: %+v, %v", e, err)
	}
	s.wantCaptured(t, e.Payment, orderID)
	for _, wrong := range []string{"", "x", signature + "0"} {
		if _, err := s.gateway.VerifyWebhook(body, wrong); !errors.Is(err, core.ErrInvalidWebhook) {
			t.Errorf("the signature %q: %v, want core.ErrInvalidWebhook", wrong, err)
		}
	}
	if _, err := s.gateway.VerifyWebhook(append(body, ' '), signature); !errors.Is(err,
		core.ErrInvalidWebhook) {
		t.Errorf("another body: %v, want core.ErrInvalidWebhook", err)
	}
	for _, text := range []string{"", "{", "[]"} {
		body := []byte(text)
		if _, err := s.gateway.VerifyWebhook(body, s.peer.Sign(body)); !errors.Is(err,
			core.ErrMalformedEvent) {
			t.Errorf("the signed body %q: %v, want core.ErrMalformedEvent", text, err)
		}
	}
}

func (s gatewaySuite) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if id, err := s.gateway.CreateOrder(ctx, sale.NewOrder{Amount: price,
		Currency: s.peer.Currency, PurchaseID: "suite-cancelled"}); err == nil {
		t.Errorf("CreateOrder returns %q", id)
	}
	if list, err := s.gateway.Payments(ctx, "order"); err == nil {
		t.Errorf("Payments returns %+v", list)
	}
}
