package sandbox_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// Payments of the time before the sandbox are at the gateway, once and also after a restart, and
// what is left of them can be refunded.
func TestAddPast_CanBeRefunded(t *testing.T) {
	cfg := sandbox.Config{State: filepath.Join(t.TempDir(), "sandbox.json")}
	s := start(t, cfg)
	now, err := s.Gateway().CreateOrder(sandbox.Order{Amount: 500, Currency: "USD", Receipt: "new"})
	if err != nil {
		t.Fatal(err)
	}
	past := []sandbox.PastPayment{
		{ID: "pay_a", OrderID: "order_a", PurchaseID: "a", Amount: 1000, Currency: "USD",
			CreatedAt: 2},
		{ID: "pay_b", OrderID: "order_b", PurchaseID: "b", Amount: 2000, Currency: "USD",
			CreatedAt: 1, RefundID: "rfnd_b"},
	}
	for range 2 {
		if err := s.Gateway().AddPast(past); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	s = start(t, cfg)
	if code, text := refundRequest(t, s, "pay_a", "key", `{"amount":400}`); code != 200 {
		t.Error(text)
	}
	if code, text := refundRequest(t, s, "pay_b", "key2", `{}`); code != 400 {
		t.Errorf("what was refunded is refunded again: %s", text)
	}
	var ids []string
	for _, o := range s.Gateway().Orders() {
		ids = append(ids, o.ID)
	}
	if diff := cmp.Diff([]string{"order_b", "order_a", now.ID}, ids); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{int64(400), "processed"}, refundAmounts(t, s, "pay_a")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{int64(2000), "processed"}, refundAmounts(t, s, "pay_b")); diff != "" {
		t.Error(diff)
	}
}
