package papers_test

import (
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
)

func TestParseRate_ReadsWhatStringWrites(t *testing.T) {
	for text, want := range map[string]papers.Rate{
		"0": 0, "19": 190_000, "9.975": 99_750, "100": 1_000_000, "0.0001": 1, "7.70": 77_000,
	} {
		got, err := papers.ParseRate(text)
		if err != nil || got != want {
			t.Errorf("%s is %d (%v), want %d", text, got, err, want)
		}
		again, err := papers.ParseRate(got.String())
		if err != nil || again != got {
			t.Errorf("%s is written as %s", text, got)
		}
	}
	for _, text := range []string{"", "-1", "101", "100.0001", "1.00001", "19%", "1e1", ".5", "1,5"} {
		if got, err := papers.ParseRate(text); err == nil {
			t.Errorf("%q is %d", text, got)
		}
	}
}

// The tax and the rest must be the amount again, to the last unit, also of the largest price.
func TestRate_ContainedInAnAmount(t *testing.T) {
	for _, c := range []struct {
		rate         papers.Rate
		amount, want core.Money
	}{
		{190_000, 119_00, 19_00},
		{190_000, 1_00, 16},
		{190_000, 0, 0},
		{0, 499_00, 0},
		{99_750, 1_000, 91}, // 90.7
		{1_000_000, 3, 2},   // 1.5 is rounded away from zero
		{190_000, 1_000_000_000_00, 159_663_865_55},
		{180_000, 9_000_000_000_000_00, 1_372_881_355_932_20},
	} {
		if got := c.rate.ContainedIn(c.amount); got != c.want {
			t.Errorf("%s %% in %d is %d, want %d", c.rate, c.amount, got, c.want)
		}
	}
}
