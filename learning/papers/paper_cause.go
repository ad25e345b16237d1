package papers

import (
	"context"
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
)

// Which papers there are. Each row happens in the transaction of what it names, which has locked
// the buyer, so that a payment and its paper are stored together or not at all.
//
//	what happens                          paper
//	a purchase is completed, above 0      a receipt, if there is a seller
//	a refund is counted                   a credit note, if the purchase has a receipt
//	a counted refund has failed           a reversal of each of its credit notes that has a number;
//	                                      one that waits for its number is deleted
//
// So a purchase from before there was a seller has neither a receipt nor credit notes.

// PurchaseCompleted makes the receipt of a purchase, in the transaction that has completed it.
func (s *ForRooms) PurchaseCompleted(ctx context.Context, tx Tx, p purchase.Purchase) error {
	if s.seller.Name == "" || p.Amount <= 0 {
		return nil
	}
	sold, err := tx.Sold(ctx, p.ID)
	if err != nil {
		return err
	}
	receipt := s.newPaper(Receipt, p)
	receipt.Cause = p.ID
	receipt.Amount = p.Amount
	receipt.SoldAt = p.CompletedAt
	receipt.Buyer = sold.Buyer
	receipt.Lines = sold.Lines
	if p.BundleID == "" {
		receipt.Lines = []Line{{Title: sold.Title, Amount: p.Amount}}
	}
	if sold.IsDeleted { // a late payment
		receipt.Forgotten = BuyerDeleted
	}
	return tx.InsertPaper(ctx, receipt)
}

// RefundCounted makes the credit note of a refund, in the transaction that has counted it. counted
// is what was added to the refunds of the purchase: a refund may be counted in several parts.
func (s *ForRooms) RefundCounted(
	ctx context.Context, tx Tx, p purchase.Purchase, r refund.Refund, counted core.Money,
) error {
	all, err := tx.PapersOf(ctx, p.ID)
	if err != nil {
		return err
	}
	var receipt *Paper
	parts := 0 // of the refund that have a credit note
	for i, made := range all {
		switch {
		case made.Kind == Receipt:
			receipt = &all[i]
		case made.Kind == CreditNote && made.RefundID == r.ID:
			parts++
		}
	}
	if receipt == nil {
		return nil
	}
	note := s.newPaper(CreditNote, p)
	note.RefundID = r.ID
	note.Cause = fmt.Sprintf("%s/%d", r.ID, parts)
	note.Amount = counted
	note.SoldAt = receipt.SoldAt
	note.Buyer = receipt.Buyer
	note.Forgotten = receipt.Forgotten
	note.Lines = creditedLines(*receipt, r.Shares, counted)
	return tx.InsertPaper(ctx, note)
}

// RefundFailed takes back the credit notes of a refund, in the transaction that has subtracted it
// again.
func (s *ForRooms) RefundFailed(
	ctx context.Context, tx Tx, p purchase.Purchase, r refund.Refund,
) error {
	all, err := tx.PapersOf(ctx, p.ID)
	if err != nil {
		return err
	}
	reversed := map[string]bool{} // credit notes
	for _, made := range all {
		if made.Kind == Reversal {
			reversed[made.Cause] = true
		}
	}
	for _, note := range all {
		if note.Kind != CreditNote || note.RefundID != r.ID || reversed[note.ID] {
			continue
		}
		if !note.IsNumbered() {
			if _, err := tx.DeletePaper(ctx, note.ID); err != nil {
				return err
			}
			continue
		}
		back := s.newPaper(Reversal, p)
		back.RefundID = r.ID
		back.Cause = note.ID
		back.Amount = note.Amount
		back.SoldAt = note.SoldAt
		back.Buyer = note.Buyer
		back.Forgotten = note.Forgotten
		back.Lines = note.Lines
		if err := tx.InsertPaper(ctx, back); err != nil {
			return err
		}
	}
	return nil
}

// newPaper returns a paper of a purchase that waits for its number.
func (s *ForRooms) newPaper(kind Kind, p purchase.Purchase) Paper {
	now := s.base.Now()
	return Paper{ID: s.base.NewID(), UserID: p.UserID, PurchaseID: p.ID, Kind: kind,
		Currency: p.Currency, CreatedAt: now, TryAt: now}
}

// creditedLines returns the lines of a credit note: those of the receipt if it is for all of it,
// for a bundle what each line gets, else one for the part. shares are those of the lines of a
// bundle.
func creditedLines(receipt Paper, shares []purchase.Share, amount core.Money) []Line {
	if amount == receipt.Amount {
		return receipt.Lines
	}
	var credited []Line
	for _, s := range shares {
		for _, l := range receipt.Lines {
			if l.LineID == s.LineID && s.Amount > 0 {
				credited = append(credited, Line{LineID: l.LineID, Title: l.Title,
					Amount: s.Amount})
			}
		}
	}
	if len(credited) > 0 {
		return credited
	}
	titles := make([]string, len(receipt.Lines))
	for i, line := range receipt.Lines {
		titles[i] = line.Title
	}
	return []Line{{Title: strings.Join(titles, ", "), Amount: amount}}
}
