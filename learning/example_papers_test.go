package learning_test

import (
	"context"
	"fmt"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/sale"
)

// euTax taxes consumers of two countries, and businesses with a number for the tax not at all.
type euTax struct{}

func (euTax) Tax(_ context.Context, s papers.TaxedSale) (papers.Tax, error) {
	if s.TaxID != "" && s.Country != "DE" {
		return papers.Tax{Name: "VAT", Note: "Reverse charge: the recipient pays the tax."}, nil
	}
	rates := map[string]papers.Rate{"DE": 190_000, "FR": 200_000}
	rate, ok := rates[s.Country]
	if !ok {
		return papers.Tax{}, fmt.Errorf("no rate for the country %q", s.Country)
	}
	return papers.Tax{Rate: rate, Amount: rate.ContainedIn(s.Amount), Name: "VAT"}, nil
}

// words draws a paper as a line of text.
type words struct{}

func (words) RenderPaper(_ context.Context, p papers.Paper) ([]byte, error) {
	return fmt.Appendf(nil, "%s: %s for %s, with %s %% %s (%s)", p.Number.Series, p.Amount,
		p.Buyer.Name, p.Tax.Rate, p.Tax.Name, p.Tax.Amount), nil
}

// The tax of a receipt follows from the country of the buyer.
func Example_taxPort() {
	ctx := context.Background()
	platform, remove := academy(
		learning.WithSeller(papers.Seller{Name: "Harbour School", Address: "Pier 1\nLisbon"}),
		learning.WithTax(euTax{}), learning.WithReceipts(words{}))
	defer remove()
	ben := learning.Actor{UserID: "ben", Role: core.Student}
	must(platform.Papers.SetBilling(ctx, ben, papers.Billing{Name: "Ben", Address: "Quai 2\nBrest",
		Country: "FR"}))

	// A purchase, here one that was made elsewhere, gets its receipt.
	bought := must(platform.System().RecordSale(ctx, sale.SaleElsewhere{UserID: "ben",
		CourseID: "sailing", Amount: 120_00, Currency: "INR", Reference: "7", Source: "fair",
		Paper: true}))
	done := must(platform.System().NumberPapers(ctx)) // as Platform.Run does every few seconds
	receipt := must(platform.Papers.Receipt(ctx, ben, bought.ID))
	fmt.Println(done.Numbered)
	fmt.Printf("%s\n", receipt.PDF)

	// Output:
	// 1
	// R: 120 for Ben, with 20 % VAT (20)
}
