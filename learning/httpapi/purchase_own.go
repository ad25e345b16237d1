package httpapi

import (
	"net/http"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
)

type ownPurchaseJSON struct {
	ID          string   `json:"_id"`
	CourseID    string   `json:"courseId" doc:"Empty for a bundle."`
	BundleID    string   `json:"bundleId" doc:"Empty for a course."`
	Title       string   `json:"title" doc:"The title of the course, also if it was deleted, or of the bundle."`
	Amount      amount   `json:"amount" doc:"The price after the discount."`
	Refunded    amount   `json:"refundedAmount" doc:"What was refunded of the amount."`
	Currency    string   `json:"currency"`
	Provider    string   `json:"provider" doc:"What took the payment: 'gateway', 'stripe' or the name of a provider of the host, 'manual' for a sale that was made elsewhere, and empty for a free course."`
	Status      string   `json:"status" jsonschema:"enum=pending,enum=completed,enum=failed,enum=refunded" doc:"'pending' while it waits for a payment, then 'completed', 'failed' or 'refunded'."`
	CreatedAt   instant  `json:"createdAt"`
	CompletedAt *instant `json:"completedAt" jsonschema:"nullable" doc:"When it was paid. Null if it was not."`

	Receipt     *receiptJSON     `json:"receipt" jsonschema:"nullable" doc:"Null before it has its number, and if there is none."`
	CreditNotes []creditNoteJSON `json:"creditNotes" doc:"Of its refunds, the first one first."`
}

// soldPurchase is a purchase with its papers.
type soldPurchase struct {
	purchase.Own
	papers papers.OfPurchase
}

type ownPurchasesAnswer struct {
	Purchases []ownPurchaseJSON `json:"purchases" doc:"The purchases of the caller, the newest first."`
	Next      nextCursor        `json:"nextCursor,omitzero"`
}

type ownPurchaseAnswer struct {
	Purchase ownPurchaseJSON `json:"purchase"`
}

// ownPurchases answers the purchases of the caller: one page of them if the query has a limit or a
// cursor.
func (a *api) ownPurchases(w http.ResponseWriter, c *call) error {
	return listing[soldPurchase, ownPurchaseJSON]{
		field: "purchases",
		page: func(page core.PageRequest) (core.Page[soldPurchase], error) {
			found, err := a.platform.Sales.Purchases(c.Context(), c.actor, page)
			if err != nil {
				return core.Page[soldPurchase]{}, err
			}
			rows, err := a.withPapers(c, found.Rows)
			return core.Page[soldPurchase]{Rows: rows, Next: found.Next}, err
		},
		shape: ownPurchaseOf,
		answer: func(rows []ownPurchaseJSON, next nextCursor) any {
			return ownPurchasesAnswer{rows, next}
		},
	}.write(w, c)
}

// withPapers returns purchases of the caller with their papers, which it reads at once.
func (a *api) withPapers(c *call, list []purchase.Own) ([]soldPurchase, error) {
	ids := make([]string, len(list))
	for i, p := range list {
		ids[i] = p.ID
	}
	found, err := a.platform.Papers.OfPurchases(c.Context(), c.actor, ids)
	return shaped(list, func(p purchase.Own) soldPurchase {
		return soldPurchase{Own: p, papers: found[p.ID]}
	}), err
}

// ownPurchase answers a purchase of the caller.
func (a *api) ownPurchase(c *call, _ none) (ownPurchaseAnswer, error) {
	p, err := a.platform.Sales.Purchase(c.Context(), c.actor, c.Param("purchaseId"))
	if err != nil {
		return ownPurchaseAnswer{}, err
	}
	sold, err := a.withPapers(c, []purchase.Own{p})
	return ownPurchaseAnswer{ownPurchaseOf(sold[0])}, err
}

// ownPurchaseOf returns the wire shape of a purchase as its buyer sees it.
func ownPurchaseOf(p soldPurchase) ownPurchaseJSON {
	return ownPurchaseJSON{
		ID:          p.ID,
		CourseID:    p.CourseID,
		BundleID:    p.BundleID,
		Title:       p.CourseTitle,
		Amount:      amountOf(p.Amount, p.Currency),
		Refunded:    amountOf(p.RefundedAmount, p.Currency),
		Currency:    p.Currency,
		Provider:    p.Provider,
		Status:      string(p.Status),
		CreatedAt:   instant(p.CreatedAt),
		CompletedAt: nullableTime(p.CompletedAt),
		Receipt:     receiptOf(p.papers),
		CreditNotes: creditNotesOf(p.papers, p.Currency),
	}
}

type saleRequest struct {
	UserID    string     `json:"userId" jsonschema:"minLength=1,maxLength=191" doc:"The buyer, of whom there is a record."`
	CourseID  string     `json:"courseId,omitempty" jsonschema:"minLength=1,maxLength=64" doc:"A course, which may be a draft. Required unless there is a bundleId."`
	BundleID  string     `json:"bundleId,omitempty" jsonschema:"minLength=1,maxLength=64" doc:"A bundle, which may be a draft, in place of courseId."`
	Amount    sentAmount `json:"amount" jsonschema:"minimum=0,maximum=1000000000" doc:"What was paid, with no more decimals than the currency has."`
	Currency  string     `json:"currency" jsonschema:"minLength=3,maxLength=3" doc:"The code of ISO 4217."`
	Reference string     `json:"reference" jsonschema:"minLength=1,maxLength=200" doc:"The number of the sale where it was made."`
	Source    string     `json:"source" jsonschema:"minLength=1,maxLength=40" doc:"Where it was made, such as 'invoice' or 'app-store'. With the reference it names one sale."`
	SoldAt    *instant   `json:"soldAt,omitempty" doc:"When it was made, in UTC; not in the future. Without it, now."`
	Paper     bool       `json:"paper,omitempty" doc:"Whether it gets a receipt here, as a purchase does. A sale by invoice has one already."`
}

// recordSale stores a sale that was made elsewhere.
func (a *api) recordSale(c *call, in saleRequest) (ownPurchaseAnswer, error) {
	if err := requireOffer(in.CourseID, in.BundleID); err != nil {
		return ownPurchaseAnswer{}, err
	}
	paid, err := in.Amount.of("amount", in.Currency)
	if err != nil {
		return ownPurchaseAnswer{}, err
	}
	e := sale.SaleElsewhere{UserID: in.UserID, CourseID: in.CourseID, BundleID: in.BundleID,
		Amount:   paid,
		Currency: in.Currency, Reference: in.Reference, Source: in.Source, Paper: in.Paper}
	if in.SoldAt != nil {
		e.SoldAt = time.Time(*in.SoldAt)
	}
	p, err := a.platform.Sales.RecordSale(c.Context(), c.actor, e)
	return ownPurchaseAnswer{ownPurchaseOf(soldPurchase{Own: p})}, err
}
