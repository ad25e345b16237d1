package certificate_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/certificate"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
)

// receipt is a paper with a value in every field.
func receipt() papers.Paper {
	return papers.Paper{
		ID: "paper", Kind: papers.Receipt, Amount: 1_499_00, Currency: "EUR",
		Number:     papers.Number{Series: "R", Year: 2026, Number: 42},
		NumberedAt: time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC),
		Lines:      []papers.Line{{Title: "Sailing for beginners", Amount: 1_499_00}},
		Buyer: papers.Billing{Name: "Ada Sail GmbH", Address: "Hafen 1\n20457 Hamburg",
			Country: "DE", TaxID: "DE123456789"},
		Tax: &papers.Tax{Rate: 190_000, Amount: 239_34, Name: "VAT", Note: "No reverse charge."},
		Content: papers.Content{SellerName: "Harbour School", SellerAddress: "Pier 1\nLisbon",
			SellerTaxID: "PT999", Date: "2026-03-14", SoldOn: "2026-03-13"},
	}
}

func renderPaper(t *testing.T, r *certificate.Renderer, p papers.Paper) []byte {
	t.Helper()
	file, err := r.RenderPaper(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// wantTexts checks that each text is a line of the page.
func wantTexts(t *testing.T, file []byte, texts ...string) {
	t.Helper()
	lines := linesOf(t, file)
	for i, line := range lines {
		lines[i] = strings.Trim(line, "\u202b\u202c") // the marks of poppler at the ends
	}
	for _, text := range texts {
		if !slices.Contains(lines, text) {
			t.Errorf("the page has no line %q, but\n%s", text, strings.Join(lines, "\n"))
		}
	}
}

func TestRenderPaper_HasEveryText(t *testing.T) {
	r := newRenderer(t)
	note := receipt()
	note.ID, note.Kind = "note", papers.CreditNote
	note.Number.Series = "C"
	note.Amount, note.Lines[0].Amount = 100_00, 100_00
	note.Content.Corrects = "R-2026-000042"
	back := note
	back.ID, back.Kind = "back", papers.Reversal
	back.Content.Corrects = "C-2026-000042"
	common := []string{"Harbour School", "Pier 1", "Lisbon", "Tax ID: PT999", "Billed to",
		"Ada Sail GmbH", "Hafen 1", "20457 Hamburg", "DE", "Tax ID: DE123456789", "2026-03-14",
		"2026-03-13", "Sailing for beginners", "Contains VAT 19 %: EUR 239.34",
		"No reverse charge."}
	for _, c := range []struct {
		paper papers.Paper
		want  []string
	}{
		{receipt(), []string{"Receipt", "R-2026-000042", "EUR 1499.00", "Total EUR 1499.00"}},
		{note, []string{"Credit note", "C-2026-000042", "EUR 100.00", "R-2026-000042",
			"The total was refunded. It was paid with receipt R-2026-000042."}},
		{back, []string{"Reversal", "C-2026-000042",
			"The refund has failed, so credit note C-2026-000042 is taken back."}},
	} {
		file := renderPaper(t, r, c.paper)
		wantTexts(t, file, append(common, c.want...)...)
		if again := renderPaper(t, r, c.paper); !bytes.Equal(file, again) {
			t.Errorf("%s: the same paper has other bytes", c.paper.ID)
		}
	}
}

// Without a buyer, a tax and a seller's address the page says nothing of them.
func TestRenderPaper_LeavesOutWhatIsMissing(t *testing.T) {
	p := receipt()
	p.Buyer, p.Tax = papers.Billing{}, &papers.Tax{}
	p.Content.SellerAddress, p.Content.SellerTaxID = "", ""
	lines := linesOf(t, renderPaper(t, newRenderer(t), p))
	for _, text := range []string{"Billed to", "Tax ID", "Contains", "U+"} {
		if strings.Contains(strings.Join(lines, "\n"), text) {
			t.Errorf("the page has %q", text)
		}
	}
}

func TestRenderPaper_WritesAmountsByCurrency(t *testing.T) {
	for currency, amounts := range map[string]map[core.Money]string{
		"EUR": {0: "EUR 0.00", 5: "EUR 0.05", 12345: "EUR 123.45"},
		"JPY": {0: "JPY 0", 500: "JPY 500"},
		"KWD": {5: "KWD 0.005", 12345: "KWD 12.345"},
	} {
		for amount, want := range amounts {
			p := receipt()
			p.Currency, p.Amount = currency, amount
			wantTexts(t, renderPaper(t, newRenderer(t), p), "Total "+want)
		}
	}
}

// Texts in every script, right to left too, can be selected as they were written.
func TestRenderPaper_KeepsTextsOfEveryScript(t *testing.T) {
	needFonts(t)
	r := newRenderer(t, certificate.WithFonts(hostFonts()...))
	p := receipt()
	p.Buyer = papers.Billing{Name: "عائشة القرطبية", Address: "شارع البحر ١\nالقاهرة"}
	p.Lines[0].Title = "नौकायन सीखें"
	p.Content.SellerName, p.Content.SellerAddress = "海の学校", "東京都港区\nבית ספר"
	wantTexts(t, renderPaper(t, r, p), "عائشة القرطبية", "القاهرة", "नौकायन सीखें", "海の学校",
		"東京都港区", "בית ספר")
}

// The longest texts stay on the page, inside its margins.
func TestRenderPaper_StaysInsideTheMargins(t *testing.T) {
	p := receipt()
	p.Buyer = papers.Billing{Name: strings.Repeat("W", papers.MaxName),
		Address: strings.Repeat("Wolfeschlegelstein ", 52), Country: "DE",
		TaxID: strings.Repeat("9", papers.MaxTaxID)}
	p.Content.SellerName = strings.Repeat("Mm ", 66)
	p.Content.SellerAddress = strings.Repeat("W\n", 499)
	p.Tax.Note = strings.Repeat("W", papers.MaxTaxNote)
	p.Lines = nil
	for range 50 {
		p.Lines = append(p.Lines, papers.Line{Title: strings.Repeat("Long title ", 18),
			Amount: 1_000_000_000_00})
	}
	p.Amount = 50_000_000_000_00
	page := picture(t, renderPaper(t, newRenderer(t), p), 72)
	const margin = 50
	for y := range page.Rect.Dy() {
		for x := range page.Rect.Dx() {
			isMargin := min(x, page.Rect.Dx()-1-x) < margin || min(y, page.Rect.Dy()-1-y) < 40
			if isMargin && page.GrayAt(x, y).Y < 250 {
				t.Fatalf("the page is not white at %d, %d points from the upper left", x, y)
			}
		}
	}
}

func TestRenderPaper_EndsWithItsContext(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newRenderer(t).RenderPaper(done, receipt()); err == nil {
		t.Error("no error")
	}
}
