package papers_test

import (
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
)

// harbour is valid billing data.
var harbour = papers.Billing{Name: "Ada Sail GmbH", Address: "Hafen 1\n20457 Hamburg",
	Country: "DE", TaxID: "DE123456789"}

func TestBilling_IsReadAsItWasSaved(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, ben := w.Person(t, "ada", core.Student), w.Person(t, "ben", core.Student)
		_, isThere, err := w.Platform.Papers.Billing(ctx(), ada)
		if err != nil || isThere {
			t.Errorf("before: %v, %v", isThere, err)
		}
		for _, b := range []papers.Billing{harbour, {Name: "A", Address: "B", Country: "IN"}} {
			_, err := w.Platform.Papers.SetBilling(ctx(), ada, b)
			roomtest.Must(t, err)
			got, isThere, err := w.Platform.Papers.Billing(ctx(), ada)
			if got != b || !isThere || err != nil {
				t.Errorf("%+v, %v, %v; want %+v", got, isThere, err, b)
			}
		}
		if _, isThere, err := w.Platform.Papers.Billing(ctx(), ben); isThere || err != nil {
			t.Errorf("another user: %v, %v", isThere, err)
		}
	})
}

func TestSetBilling_NormalisesAndRefuses(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	got, err := w.Platform.Papers.SetBilling(ctx(), ada, papers.Billing{Name: " Ada ",
		Address: "Hafen 1\r\nHamburg\n", Country: "de", TaxID: " 1 "})
	want := papers.Billing{Name: "Ada", Address: "Hafen 1\nHamburg", Country: "DE", TaxID: "1"}
	if got != want || err != nil {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	for name, change := range map[string]func(*papers.Billing){
		"no name":          func(b *papers.Billing) { b.Name = " " },
		"a long name":      func(b *papers.Billing) { b.Name = strings.Repeat("é", 201) },
		"no address":       func(b *papers.Billing) { b.Address = "" },
		"a long address":   func(b *papers.Billing) { b.Address = strings.Repeat("é", 1001) },
		"no country":       func(b *papers.Billing) { b.Country = "" },
		"unknown country":  func(b *papers.Billing) { b.Country = "XX" },
		"two countries":    func(b *papers.Billing) { b.Country = "E D" },
		"a long tax id":    func(b *papers.Billing) { b.TaxID = strings.Repeat("1", 51) },
		"an unstorable id": func(b *papers.Billing) { b.TaxID = "a\x00" },
	} {
		b := harbour
		change(&b)
		_, err := w.Platform.Papers.SetBilling(ctx(), ada, b)
		roomtest.WantFailure(t, err, core.ErrInvalidRequest, name)
	}
	if _, err := w.Platform.Papers.SetBilling(ctx(), core.Actor{}, harbour); err == nil {
		t.Error("without an actor")
	}
}
