package catalog_test

import (
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
)

// A day of access has 24 hours, whatever the clocks of a zone do.
func TestTerms_EndOf(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) time.Time {
		got, err := time.ParseInLocation("2006-01-02 15:04", text, berlin)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	until := at("2026-04-01 00:00")
	start := at("2026-03-28 12:00") // the clocks go forward in the night, and back on October 25
	for name, c := range map[string]struct {
		terms       catalog.Terms
		start, want time.Time
	}{
		"no terms":         {catalog.Terms{}, start, time.Time{}},
		"forward":          {catalog.Terms{Days: 1}, start, at("2026-03-29 13:00")},
		"back":             {catalog.Terms{Days: 1}, at("2026-10-24 12:00"), at("2026-10-25 11:00")},
		"there and back":   {catalog.Terms{Days: 365}, start, at("2027-03-28 13:00")},
		"to a leap day":    {catalog.Terms{Days: 1}, at("2028-02-28 09:00"), at("2028-02-29 09:00")},
		"from a leap day":  {catalog.Terms{Days: 365}, at("2028-02-29 09:00"), at("2029-02-28 09:00")},
		"over a leap day":  {catalog.Terms{Days: 365}, at("2027-12-31 09:00"), at("2028-12-30 09:00")},
		"until":            {catalog.Terms{Until: until}, start, until},
		"until is earlier": {catalog.Terms{Days: 9, Until: until}, start, until},
		"days are earlier": {catalog.Terms{Days: 1, Until: until}, start, at("2026-03-29 13:00")},
		"it is over":       {catalog.Terms{Until: at("2026-03-01 00:00")}, start, at("2026-03-01 00:00")},
		"the most days": {catalog.Terms{Days: catalog.MaxTermDays}, at("2026-01-01 00:00"),
			at("2035-12-30 00:00")},
	} {
		if got := c.terms.EndOf(c.start); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
		opens := catalog.Opening{AfterDays: c.terms.Days}
		if c.terms.Until.IsZero() && !opens.Time(c.start).Equal(c.want) {
			t.Errorf("%s: a chapter opens at %v, want %v", name, opens.Time(c.start), c.want)
		}
	}
}
