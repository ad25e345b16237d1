package staff

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/refund"
)

// BookingKind says what a [Booking] is.
type BookingKind string

// The kinds of bookings. The first two are the money: the sum of their amounts in a currency is the
// revenue of the time. The others are the papers.
const (
	BookedPurchase   BookingKind = "purchase"
	BookedRefund     BookingKind = "refund"
	BookedReceipt    BookingKind = "receipt"
	BookedCreditNote BookingKind = "credit-note"
	BookedReversal   BookingKind = "reversal"
)

// Booking is what the books of a school have of a time: a completed purchase, a counted refund, or
// a paper with a number.
type Booking struct {
	Kind       BookingKind
	At         time.Time // of the payment, the refund or the numbering
	PurchaseID string
	UserID     string
	Title      string // of the course or the bundle; "" for a refund
	Currency   string
	Amount     core.Money // negative for a refund and a credit note

	Provider  string // of a purchase and a refund
	PaymentID string // the same
	RefundID  string // of a refund, a credit note and a reversal

	// The paper; all is zero for a purchase and a refund. Its tax has the sign of the amount.
	Number papers.Number
	Tax    papers.Tax
	Buyer  papers.Billing
}

// Bookings returns the bookings of a time, from included and to not, for the books of the school:
// the purchases, then the refunds, then the papers, each of them in the order of time. It reads
// them while the caller ranges over them, and may give an error then. Payments that were returned
// because their coupon could not be redeemed are no bookings. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [core.ErrInvalidRequest] unless from is before to.
func (s *Service) Bookings(
	ctx context.Context, actor core.Actor, from, to time.Time,
) (iter.Seq2[Booking, error], error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return nil, err
	}
	if err := core.Require(from.Before(to), "to", "must be after from"); err != nil {
		return nil, err
	}
	const action = "list the bookings"
	sold := paging.PagesOf(ctx, action,
		func(ctx context.Context, page core.PageRequest) ([]PurchaseReport, error) {
			return s.store.PurchasesCompletedIn(ctx, from, to, page)
		},
		func(p PurchaseReport) core.Position { return core.Position{At: p.CompletedAt, ID: p.ID} })
	returned := paging.PagesOf(ctx, action,
		func(ctx context.Context, page core.PageRequest) ([]refund.Refund, error) {
			return s.store.RefundsProcessedIn(ctx, from, to, page)
		},
		func(r refund.Refund) core.Position { return core.Position{At: r.UpdatedAt, ID: r.ID} })
	numbered := paging.PagesOf(ctx, action,
		func(ctx context.Context, page core.PageRequest) ([]papers.Paper, error) {
			return s.store.PapersNumberedIn(ctx, from, to, page)
		},
		func(p papers.Paper) core.Position { return core.Position{At: p.NumberedAt, ID: p.ID} })
	return func(yield func(Booking, error) bool) {
		_ = book(sold, ofPurchase, yield) && book(returned, ofRefund, yield) &&
			book(numbered, ofPaper, yield)
	}, nil
}

// book yields rows as bookings. It reports whether yield wants more; there are none after an error.
func book[Row any](
	rows iter.Seq2[Row, error], of func(Row) Booking, yield func(Booking, error) bool,
) bool {
	for row, err := range rows {
		if err != nil {
			yield(Booking{}, err)
			return false
		}
		if !yield(of(row), nil) {
			return false
		}
	}
	return true
}

// ofPurchase returns the booking of a completed purchase.
func ofPurchase(p PurchaseReport) Booking {
	return Booking{Kind: BookedPurchase, At: p.CompletedAt, PurchaseID: p.ID, UserID: p.UserID,
		Title: p.CourseTitle, Currency: p.Currency, Amount: p.Amount, Provider: p.Provider,
		PaymentID: p.PaymentID}
}

// ofRefund returns the booking of a counted refund.
func ofRefund(r refund.Refund) Booking {
	return Booking{Kind: BookedRefund, At: r.UpdatedAt, PurchaseID: r.PurchaseID,
		Currency: r.Currency, Amount: -r.Amount, Provider: r.Provider, PaymentID: r.PaymentID,
		RefundID: r.ID}
}

// ofPaper returns the booking of a paper.
func ofPaper(p papers.Paper) Booking {
	b := Booking{At: p.NumberedAt, PurchaseID: p.PurchaseID, UserID: p.UserID, Currency: p.Currency,
		Amount: p.Amount, RefundID: p.RefundID, Number: p.Number, Buyer: p.Buyer}
	if p.Tax != nil {
		b.Tax = *p.Tax
	}
	titles := make([]string, len(p.Lines))
	for i, line := range p.Lines {
		titles[i] = line.Title
	}
	b.Title = strings.Join(titles, ", ")
	switch p.Kind {
	case papers.Receipt:
		b.Kind = BookedReceipt
	case papers.CreditNote:
		b.Kind, b.Amount, b.Tax.Amount = BookedCreditNote, -b.Amount, -b.Tax.Amount
	case papers.Reversal:
		b.Kind = BookedReversal
	}
	return b
}

// bookingReader reads bookings, the first of a time first.
type bookingReader interface {
	// PurchasesCompletedIn lists a page of the purchases that were completed in a time, from
	// included and to not. They have no URL of their receipts.
	PurchasesCompletedIn(ctx context.Context, from, to time.Time,
		page core.PageRequest) ([]PurchaseReport, error)
	// RefundsProcessedIn lists a page of the refunds of completed purchases that were counted in a
	// time.
	RefundsProcessedIn(ctx context.Context, from, to time.Time,
		page core.PageRequest) ([]refund.Refund, error)
	// PapersNumberedIn lists a page of the papers that were numbered in a time.
	PapersNumberedIn(ctx context.Context, from, to time.Time,
		page core.PageRequest) ([]papers.Paper, error)
}
