package stripe_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// The amounts of Stripe's documentation, in the minor unit of ISO 4217 and in that of Stripe.
func TestCreateOrder_AmountsInTheUnitOfStripe(t *testing.T) {
	for currency, test := range map[string]struct {
		amount core.Money
		want   int64
	}{
		"USD": {10_99, 1099}, "INR": {499_00, 49900}, "HUF": {200_45, 20045}, "TWD": {800_45, 80045},
		"JPY": {500, 500}, "KRW": {12_000, 12_000}, "VND": {100_000, 100_000}, "XAF": {500, 500},
		"ISK": {5, 500}, "UGX": {5, 500}, "MGA": {500_00, 500},
		"KWD": {5_120, 5120}, "BHD": {10, 10},
	} {
		c := newStripe(t, func(w http.ResponseWriter, r *http.Request) {
			amount, _ := strconv.ParseInt(r.FormValue("amount"), 10, 64)
			if amount != test.want || r.FormValue("currency") != strings.ToLower(currency) {
				t.Errorf("%s: Stripe is asked for %s %s", currency, r.FormValue("amount"),
					r.FormValue("currency"))
			}
			_ = json.NewEncoder(w).Encode(map[string]any{"id": "pi_1", "amount": amount,
				"currency": r.FormValue("currency"), "client_secret": "pi_1_secret_2"})
		})
		if _, err := c.CreateOrder(t.Context(), payment.NewOrder{PurchaseID: "p1", Amount: test.amount,
			Currency: currency}); err != nil {
			t.Errorf("%s: %v", currency, err)
		}
	}
}

func TestAccepts_StepsAndUnknownCurrencies(t *testing.T) {
	c, _ := newSandbox(t, sandbox.Config{})
	for currency, want := range map[string]core.AmountRule{
		"USD": {Smallest: 50, Step: 1, Largest: 999_999_99},
		"INR": {Smallest: 50, Step: 1, Largest: 999_999_99},
		"HUF": {Smallest: 175_00, Step: 1, Largest: 999_999_99},
		"JPY": {Smallest: 50, Step: 1, Largest: 99_999_999},
		"ISK": {Smallest: 1, Step: 1, Largest: 999_999},
		"MGA": {Smallest: 100, Step: 100, Largest: 99_999_999_00},
		"KWD": {Smallest: 10, Step: 10, Largest: 99_999_999},
		"PHP": {Smallest: 1, Step: 1, Largest: 999_999_99},
	} {
		if got, ok := c.Accepts(currency); !ok || got != want {
			t.Errorf("%s: %+v, %t", currency, got, ok)
		}
	}
	for _, currency := range []string{"", "XXX", "usd", "USD EUR", " US", "IRR", "KPW", "BTC"} {
		if got, ok := c.Accepts(currency); ok {
			t.Errorf("%q: %+v", currency, got)
		}
	}
}

// The sandbox has its own table of what Stripe takes.
func TestAccepts_TheSmallestAmountIsTaken(t *testing.T) {
	c, s := newSandbox(t, sandbox.Config{})
	for _, currency := range strings.Fields("AED AUD BGN BRL CAD CHF CZK DKK EUR GBP HKD HUF INR " +
		"JPY MXN MYR NOK NZD PLN RON SEK SGD THB USD BHD JOD KWD OMR TND ISK UGX MGA KRW PHP XOF") {
		rule, _ := c.Accepts(currency)
		order := payment.NewOrder{PurchaseID: "p-" + currency, Amount: rule.Smallest,
			Currency: currency}
		opened, err := c.CreateOrder(t.Context(), order)
		if err != nil {
			t.Errorf("%s: %v", currency, err)
			continue
		}
		paid, err := s.Pay(opened.ID)
		if err != nil {
			t.Fatal(err)
		}
		report, err := c.Order(t.Context(), opened.ID)
		if err != nil || *report.Payments[0].Amount != rule.Smallest ||
			report.Payments[0].Currency != currency {
			t.Errorf("%s: %+v of %d, %v", currency, report, paid.AmountReceived, err)
		}
		order.Amount, order.Attempt = rule.Smallest-rule.Step, 1
		if _, err := c.CreateOrder(t.Context(), order); err == nil {
			t.Errorf("%s: %d is accepted", currency, order.Amount)
		}
		order.Amount = rule.Smallest + rule.Step/2
		if _, err := c.CreateOrder(t.Context(), order); rule.Step > 1 && err == nil {
			t.Errorf("%s: %d is accepted", currency, order.Amount)
		}
	}
}

func TestOrder_AFractionOfTheUnitIsAnInvalidAnswer(t *testing.T) {
	c := newStripe(t, says(`{"id":"pi_1","amount":150,"amount_received":150,"currency":"isk",
		"status":"succeeded","latest_charge":{"id":"ch_1"}}`))
	if _, err := c.Order(t.Context(), "pi_1"); err == nil ||
		errors.Is(err, payment.ErrIncomplete) {
		t.Errorf("got %v", err)
	}
}
