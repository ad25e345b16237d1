package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// The sandbox implements the gateway independently of this package: an order is opened, paid,
// reported by a webhook, and refunded.
func TestClient_WithTheSandbox(t *testing.T) {
	type hook struct{ body, signature string }
	hooks := make(chan hook, 10)
	platform := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		hooks <- hook{string(body), r.Header.Get("x-gateway-signature")}
	}))
	t.Cleanup(platform.Close)
	s, err := sandbox.Listen(sandbox.Config{WebhookURL: platform.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	cfg := s.Config()
	c, err := gateway.New(cfg.URL, cfg.GatewayKeyID, cfg.GatewayKeySecret,
		gateway.WithWebhookSecrets("retired", cfg.GatewayWebhookSecret))
	if err != nil {
		t.Fatal(err)
	}
	order, err := createOrder(t.Context(), c, newOrder)
	if err != nil {
		t.Fatal(err)
	}
	captured := func(want ...bool) {
		t.Helper()
		list, err := payments(t.Context(), c, order)
		if err != nil || len(list) != len(want) {
			t.Fatalf("got %+v, %v", list, err)
		}
		for i, p := range list {
			if p.Captured != want[i] || p.OrderID != order || p.PurchaseID != newOrder.PurchaseID ||
				*p.Amount != newOrder.Amount || p.Currency != newOrder.Currency {
				t.Errorf("payment %d: got %+v", i, p)
			}
		}
	}
	captured()
	paid, err := s.Gateway().Pay(order)
	if err != nil {
		t.Fatal(err)
	}
	captured(true)
	if !isProven(c, order, paid.ID, s.Gateway().Signature(order, paid.ID)) {
		t.Error("the signature of the checkout is rejected")
	}
	if h := <-hooks; !isSigned(c, []byte(h.body), h.signature) ||
		isSigned(c, []byte(h.body+" "), h.signature) {
		t.Error("the signature of the webhook is rejected, or another body is accepted")
	}
	if _, err := s.Gateway().Refund(paid.ID); err != nil {
		t.Fatal(err)
	}
	captured(false)
}

func Example() {
	provider, err := sandbox.Listen(sandbox.Config{}) // in production, your provider
	if err != nil {
		fmt.Println(err)
		return
	}
	defer provider.Close()
	cfg := provider.Config()

	g, err := gateway.New(cfg.URL, cfg.GatewayKeyID, cfg.GatewayKeySecret,
		gateway.WithWebhookSecrets(cfg.GatewayWebhookSecret))
	if err != nil {
		fmt.Println(err)
		return
	}
	order, err := createOrder(context.Background(), g,
		payment.NewOrder{Amount: 49_900, Currency: "INR", PurchaseID: "purchase-1",
			Title: "Sailing"})
	if err != nil {
		fmt.Println(err)
		return
	}
	paid, err := provider.Gateway().Pay(order)
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := payments(context.Background(), g, order)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(list[0].PurchaseID, *list[0].Amount, list[0].Currency, list[0].Captured,
		list[0].ID == paid.ID)
	// Output: purchase-1 499 INR true true
}
