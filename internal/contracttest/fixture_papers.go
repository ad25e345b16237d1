package contracttest

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/papers"
)

// FilesSecret signs the URLs of files and papers.
const FilesSecret = "the key of the contract cases"

// fixtureBilling is what stands on the papers of the fixture. collector has saved it.
var fixtureBilling = papers.Billing{Name: "Collector Ltd", Address: "1 Museum Road, Pune",
	Country: "IN", TaxID: "27AAAAA0000A1Z5"}

// fixturePapers are a receipt and the credit note of a purchase that was refunded, and the receipt
// of another one.
var fixturePapers = []papers.Paper{
	{ID: "paper_refunded", UserID: "buyer_refunded", PurchaseID: "purchase_refunded",
		Kind: papers.Receipt, Cause: "purchase_refunded", Amount: 449_10,
		Number: papers.Number{Series: "R", Year: 2026, Number: 1}},
	{ID: "note_refunded", UserID: "buyer_refunded", PurchaseID: "purchase_refunded",
		RefundID: "refund_of_all", Kind: papers.CreditNote, Cause: "refund_of_all/0",
		Amount: 449_10, Content: papers.Content{Corrects: "R-2026-000001"},
		Number: papers.Number{Series: "C", Year: 2026, Number: 1}},
	{ID: "paper_collected", UserID: "collector", PurchaseID: "purchase_collected_too",
		Kind: papers.Receipt, Cause: "purchase_collected_too", Amount: 10_00, Buyer: fixtureBilling,
		Number: papers.Number{Series: "R", Year: 2026, Number: 2}},
}

// insertPapers stores fixturePapers with their numbers, and the billing data.
func insertPapers(ctx context.Context, tx learning.Tx) error {
	if err := tx.ReplaceBilling(ctx, "collector", fixtureBilling, day(10)); err != nil {
		return err
	}
	for _, p := range fixturePapers {
		p.Currency, p.SoldAt, p.CreatedAt, p.TryAt = "INR", day(12), day(12), day(12)
		p.Lines = []papers.Line{{Title: "Go & friends", Amount: p.Amount}}
		if err := tx.InsertPaper(ctx, p); err != nil {
			return err
		}
		p.NumberedAt = day(12).Add(5 * time.Second)
		p.Tax = &papers.Tax{Rate: 180_000, Amount: papers.Rate(180_000).ContainedIn(p.Amount),
			Name: "GST"}
		p.Content.SellerName = "Harbour School"
		p.Content.Date, p.Content.SoldOn = "2026-01-12", "2026-01-12"
		if err := tx.IncrementPaperNumber(ctx, p.Number.Series, p.Number.Year); err != nil {
			return err
		}
		if _, err := tx.NumberPaper(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// linkOf returns the query of the signed URL of a paper, which works for some minutes. It does not
// call the code under test.
func linkOf(paperID string, now time.Time, minutes int) string {
	until := fmt.Sprint(now.Add(time.Duration(minutes) * time.Minute).Unix())
	mac := hmac.New(sha256.New, []byte(FilesSecret))
	fmt.Fprintf(mac, "paper %d %s %s", len(paperID), paperID, until)
	return "?until=" + until + "&signature=" + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}
