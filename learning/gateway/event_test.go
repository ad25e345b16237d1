package gateway_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/sale"
)

func TestVerifyWebhook_EventOfASignedBody(t *testing.T) {
	c := newClient(t, "https://pay.example.com", gateway.WithWebhookSecrets("hooks"))
	captured := func(entity string) string {
		return `{"event":"payment.captured","payload":{"payment":{"entity":` + entity + `}}}`
	}
	amount := func(n core.Money) *core.Money { return &n }
	for name, test := range map[string]struct {
		body string
		want sale.Payment
		err  error
	}{
		"captured": {
			captured(
				`{"id":"pay_1","amount":44910,"currency":"INR","order_id":"order_1","notes":{"purchaseId":"p1"}}`),
			sale.Payment{ID: "pay_1", OrderID: "order_1", PurchaseID: "p1",
				Amount: amount(44910), Currency: "INR", Captured: true}, nil},
		"no amount, no notes": {captured(`{"id":"pay_1","amount":null,"notes":[]}`),
			sale.Payment{ID: "pay_1", Captured: true}, nil},
		"amount with zeros": {captured(`{"amount":44910.00}`),
			sale.Payment{Amount: amount(44910), Captured: true}, nil},
		"amount with cents": {captured(`{"amount":44910.5}`),
			sale.Payment{Amount: amount(0), Captured: true}, nil},
		"amount in a string": {captured(`{"amount":"44910"}`),
			sale.Payment{Amount: amount(0), Captured: true}, nil},
		"another event": {
			`{"event":"payment.failed","payload":{"payment":{"entity":{"id":"pay_1"}}}}`,
			sale.Payment{}, nil},
		"id of another type": {captured(`{"id":1}`), sale.Payment{},
			core.ErrMalformedEvent},
		"not JSON": {`payment.captured`, sale.Payment{}, core.ErrMalformedEvent},
	} {
		event, err := c.VerifyWebhook([]byte(test.body), hmacHex("hooks", test.body))
		if diff := cmp.Diff(sale.GatewayEvent{Payment: test.want}, event); diff != "" ||
			!errors.Is(err, test.err) {
			t.Errorf("%s: %v, %s", name, err, diff)
		}
		if got, err := c.VerifyWebhook([]byte(test.body), hmacHex("another", test.body)); got !=
			(sale.GatewayEvent{}) || !errors.Is(err, core.ErrInvalidWebhook) {
			t.Errorf("%s, forged: %+v, %v", name, got, err)
		}
	}
}
