package core_test

import (
	"testing"

	"github.com/openlectern/openlectern/learning/core"
)

// An amount is written and read in the major unit of its currency, whose decimals ISO 4217 gives.
func TestFormatMoney_ByCurrency(t *testing.T) {
	for _, test := range []struct {
		amount   core.Money
		currency string
		want     string
	}{
		{1950, "EUR", "19.5"}, {1900, "EUR", "19"}, {5, "EUR", "0.05"}, {-5, "EUR", "-0.05"},
		{1950, "JPY", "1950"}, {0, "JPY", "0"}, {1950, "KWD", "1.95"}, {7, "KWD", "0.007"},
		{-1950, "KWD", "-1.95"}, {1000, "KWD", "1"},
	} {
		got := core.FormatMoney(test.amount, test.currency)
		if got != test.want {
			t.Errorf("%d %s is %q, want %q", test.amount, test.currency, got, test.want)
		}
		back, err := core.ParseMoney(got, test.currency)
		if err != nil || back != test.amount {
			t.Errorf("%q in %s is %d, %v", got, test.currency, back, err)
		}
	}
	for _, wrong := range [][2]string{{"1.5", "JPY"}, {"1.234", "EUR"}, {"1.2345", "KWD"},
		{"1", "XXX"}, {"", "EUR"}, {"1e3", "EUR"}, {"+1", "EUR"}, {"1234567890123456", "KWD"}} {
		if got, err := core.ParseMoney(wrong[0], wrong[1]); err == nil {
			t.Errorf("%q in %s is %d, want an error", wrong[0], wrong[1], got)
		}
	}
}

// What is left after a discount is rounded to what the provider accepts.
func TestAmountRule_Round(t *testing.T) {
	rule := core.AmountRule{Smallest: 25, Step: 10}
	for amount, want := range map[core.Money]core.Money{1: 30, 24: 30, 34: 30, 35: 40, 40: 40} {
		if got := rule.Round(amount); got != want || !rule.Allows(got) {
			t.Errorf("%d becomes %d, want %d", amount, got, want)
		}
	}
	if rule.Allows(20) || rule.Allows(35) {
		t.Error("an amount below the smallest or between the steps is allowed")
	}
}
