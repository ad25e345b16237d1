package httpapi

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/openlectern/openlectern/learning/papers"
)

const pdfContent = "application/pdf"

// receiptJSON is the receipt of a purchase in an answer.
type receiptJSON struct {
	_ struct{} `doc:"The receipt of a purchase."`

	Number string `json:"number" doc:"The number that stands on it, such as R-2026-000001."`
	URL    string `json:"url" doc:"The PDF, for 15 minutes and without a token. Empty if the server has no key for such URLs."`
}

// creditNoteJSON is a credit note of a purchase in an answer.
type creditNoteJSON struct {
	_ struct{} `doc:"A credit note of a purchase, or a paper that takes one back because its refund has failed."`

	Number    string  `json:"number" doc:"The number that stands on it: C-2026-000001, or R-2026-000002 for a paper that takes a credit note back."`
	Amount    amount  `json:"amount" doc:"What was refunded. Negative for a paper that takes a credit note back."`
	CreatedAt instant `json:"createdAt" doc:"When it got its number."`
	URL       string  `json:"url" doc:"As that of a receipt."`
}

// receiptOf returns the wire shape of a receipt; nil for none.
func receiptOf(of papers.OfPurchase) *receiptJSON {
	if of.Receipt == nil {
		return nil
	}
	return &receiptJSON{Number: of.Receipt.Number, URL: of.Receipt.URL}
}

// creditNotesOf returns the wire shape of the credit notes of a purchase in a currency.
func creditNotesOf(of papers.OfPurchase, currency string) []creditNoteJSON {
	return shaped(of.CreditNotes, func(n papers.Listed) creditNoteJSON {
		return creditNoteJSON{Number: n.Number, Amount: amountOf(n.Amount, currency),
			CreatedAt: instant(n.CreatedAt), URL: n.URL}
	})
}

// receipt answers the receipt of a purchase as a PDF.
func (a *api) receipt(w http.ResponseWriter, c *call) error {
	file, err := a.platform.Papers.Receipt(c.Context(), c.actor, c.Param("purchaseId"))
	if err != nil {
		return err
	}
	writePaper(w, file)
	return nil
}

// creditNote answers a credit note of a purchase as a PDF.
func (a *api) creditNote(w http.ResponseWriter, c *call) error {
	file, err := a.platform.Papers.CreditNote(c.Context(), c.actor, c.Param("purchaseId"),
		c.Param("number"))
	if err != nil {
		return err
	}
	writePaper(w, file)
	return nil
}

// linkedPaper answers the paper of a signed URL as a PDF. No cache may keep it, nor a search
// engine.
func (a *api) linkedPaper(w http.ResponseWriter, c *call) error {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Robots-Tag", "noindex")
	query := c.URL.Query()
	file, err := a.platform.Papers.OfLink(c.Context(), papers.Link{
		PaperID:   c.Param("paperId"),
		Until:     query.Get(papers.UntilParameter),
		Signature: query.Get(papers.SignatureParameter),
	})
	if err != nil {
		return err
	}
	writePaper(w, file)
	return nil
}

// writePaper writes an answer of status 200 that is a PDF, which browsers show, and save under its
// number.
func writePaper(w http.ResponseWriter, file papers.File) {
	h := w.Header()
	h.Set("Content-Type", pdfContent)
	h.Set("Content-Length", strconv.Itoa(len(file.PDF)))
	h.Set("Content-Disposition", fmt.Sprintf("inline; filename=%q", file.Number+".pdf"))
	_, _ = w.Write(file.PDF) // the client may have left
}
