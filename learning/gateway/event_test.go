package gateway_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/payment"
)

func TestVerifyWebhook_EventOfASignedBody(t *testing.T) {
	c := newClient(t, "https://pay.example.com", gateway.WithWebhookSecrets("hooks"))
	captured := func(entity string) string {
		return `{"event":"payment.captured","payload":{"payment":{"entity":` + entity + `}}}`
	}
	amount := func(n core.Money) *core.Money { return &n }
	for name, test := range map[string]struct {
		body string
		want payment.Payment
		err  error
	}{
		"captured": {
			captured(
				`{"id":"pay_1","amount":44910,"currency":"INR","order_id":"order_1","notes":{"purchaseId":"p1"}}`),
			payment.Payment{ID: "pay_1", OrderID: "order_1", PurchaseID: "p1",
				Amount: amount(44910), Currency: "INR", Captured: true}, nil},
		"no amount, no notes": {captured(`{"id":"pay_1","amount":null,"notes":[]}`),
			payment.Payment{ID: "pay_1", Captured: true}, nil},
		"amount with zeros": {captured(`{"amount":44910.00}`),
			payment.Payment{Amount: amount(44910), Captured: true}, nil},
		"amount with cents": {captured(`{"amount":44910.5}`),
			payment.Payment{Amount: amount(0), Captured: true}, nil},
		"amount in a string": {captured(`{"amount":"44910"}`),
			payment.Payment{Amount: amount(0), Captured: true}, nil},
		"another event": {
			`{"event":"payment.failed","payload":{"payment":{"entity":{"id":"pay_1"}}}}`,
			payment.Payment{}, nil},
		"id of another type": {captured(`{"id":1}`), payment.Payment{},
			core.ErrMalformedEvent},
		"not JSON": {`payment.captured`, payment.Payment{}, core.ErrMalformedEvent},
	} {
		event, err := readWebhook(c, []byte(test.body), hmacHex("hooks", test.body))
		if diff := cmp.Diff(payment.Event{Payment: test.want}, event); diff != "" ||
			!errors.Is(err, test.err) {
			t.Errorf("%s: %v, %s", name, err, diff)
		}
		if got, err := readWebhook(c, []byte(test.body), hmacHex("another", test.body)); got !=
			(payment.Event{}) || !errors.Is(err, core.ErrInvalidWebhook) {
			t.Errorf("%s, forged: %+v, %v", name, got, err)
		}
	}
}
