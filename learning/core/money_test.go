package core

import "testing"

func TestParseHundredths_Exact(t *testing.T) {
	good := map[string]Hundredths{
		"0": 0, "1": 100, "19.99": 1999, "19.9": 1990, "19.90": 1990, "19.990": 1999, "0.01": 1,
		"10000000": 1_000_000_000, "-5": -500, "-0.01": -1, "7.": 700,
	}
	for in, want := range good {
		if got, err := ParseHundredths(in); err != nil || got != want {
			t.Errorf("ParseHundredths(%q) = %d, %v; want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "-", ".", ".5", "1.999", "19.999", "1e3", "+1", "1,5", "0x10",
		"NaN", "Inf", "--1", "1.-5", "1 ", "9999999999999999", "١"} {
		if got, err := ParseHundredths(in); err == nil {
			t.Errorf("ParseHundredths(%q) = %d, want an error", in, got)
		}
	}
}

func TestHundredths_FormatOfJavaScript(t *testing.T) {
	for h, want := range map[Hundredths]string{0: "0", 1999: "19.99", 1950: "19.5", 1900: "19",
		5: "0.05", 50: "0.5", -1999: "-19.99", -5: "-0.05"} {
		if got := h.String(); got != want {
			t.Errorf("%d is formatted as %q, want %q", int64(h), got, want)
		}
	}
}

func FuzzHundredths(f *testing.F) {
	f.Add(int64(1999))
	f.Add(int64(-5))
	f.Fuzz(func(t *testing.T, n int64) {
		h := Hundredths(n % 1e14)
		if got, err := ParseHundredths(h.String()); err != nil || got != h {
			t.Errorf("%d is formatted as %q and parsed as %d, %v", int64(h), h.String(), int64(got),
				err)
		}
	})
}

// The first case is the example of docs/api.md §6. Its result would be right with floating-point
// numbers too; those of the others would not.
func TestApplyDiscount_RoundsHalfAwayFromZero(t *testing.T) {
	tests := []struct {
		price    Money
		discount Percent
		want     Money
	}{
		{1999, 15_00, 1699},
		{499_00, 10_00, 449_10},
		{1_00, 0, 1_00},
		{1_00, 100_00, 0},
		{0, 50_00, 0},
		{1_01, 50_00, 51},   // 50.5
		{1_03, 50_00, 52},   // 51.5
		{8_15, 50_00, 4_08}, // 407.5
		{1_15, 30_00, 81},   // 80.5
		{99_99, 33_33, 66_66},
		{10_000_000_00, 12_34, 8_766_000_00},
		{10_000_000_00, 1, 9_999_000_00},
	}
	for _, tt := range tests {
		if got := ApplyDiscount(tt.price, tt.discount); got != tt.want {
			t.Errorf("%s with a discount of %s %% is %d, want %d", tt.price, tt.discount, got,
				tt.want)
		}
	}
}

func TestCurrency_RequiresTwoDecimals(t *testing.T) {
	for _, code := range []string{"INR", "EUR", "USD", "AED", "ZWG", "GBP"} {
		if !HasTwoDecimals(code) {
			t.Errorf("%s is rejected", code)
		}
	}
	for _, code := range []string{"", "JPY", "KWD", "BHD", "IQD", "CLF", "ISK", "XAU", "ABC", "inr",
		"IN", "INRX", " EU", "EUR ", "R EUR"} {
		if HasTwoDecimals(code) {
			t.Errorf("%q is accepted", code)
		}
	}
}
