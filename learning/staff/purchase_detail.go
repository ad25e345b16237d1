package staff

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
)

// PurchaseDetail is a purchase with all that is stored about it.
type PurchaseDetail struct {
	purchase.Own
	Parts    []purchase.Part  // the lines of a bundle with the titles of their courses
	Refunds  []refund.Refund  // the oldest first, as in the other lists
	Disputes []refund.Dispute // objections of the buyer's bank
	Papers   []PaperReport    // those without a number too
	History  []PurchaseEvent  // what is known to have happened
}

// PaperReport is a paper of a purchase as administrators see it.
type PaperReport struct {
	papers.Paper
	URL string // works without a token; see [papers.Listed]
}

// PurchaseEvent is something that has happened to a purchase.
type PurchaseEvent struct {
	At   time.Time
	Kind PurchaseEventKind
	// ID is that of the refund, of the dispute at its provider, or of the payment, or the number of
	// the paper; "" if the event has none.
	ID     string
	By     string     // the admin who has started a refund; "" if nobody is stored
	Amount core.Money // as it was, 0 if the event has none
}

// PurchaseEventKind says what has happened to a purchase.
type PurchaseEventKind string

// The kinds of events of a purchase.
const (
	EventOrdered         PurchaseEventKind = "ordered"
	EventCompleted       PurchaseEventKind = "completed"
	EventFailed          PurchaseEventKind = "failed"   // the purchase was given up
	EventReturned        PurchaseEventKind = "returned" // see [purchase.Purchase.IsReturned]
	EventRefundStarted   PurchaseEventKind = "refund-started"
	EventRefundProcessed PurchaseEventKind = "refund-processed"
	EventRefundFailed    PurchaseEventKind = "refund-failed"
	EventDisputed        PurchaseEventKind = "disputed"
	EventDisputeWon      PurchaseEventKind = "dispute-won"
	EventDisputeLost     PurchaseEventKind = "dispute-lost"
	EventNumbered        PurchaseEventKind = "paper-numbered"
)

// Purchase returns a purchase with all that is stored about it. Errors: [core.ErrUnauthenticated],
// [core.ErrForbidden], [purchase.ErrNotFound], also for one whose order was never opened.
func (s *Service) Purchase(
	ctx context.Context, actor core.Actor, id string,
) (PurchaseDetail, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return PurchaseDetail{}, err
	}
	return s.System().Purchase(ctx, id)
}

// System has the operations of the host itself on what admins see. They take no actor and check no
// permission, so nothing that a user sends may reach them unchecked.
type System struct{ service *Service }

// System returns the operations that take no actor.
func (s *Service) System() System { return System{s} }

// Purchase is [Service.Purchase] without an actor.
func (s System) Purchase(ctx context.Context, id string) (PurchaseDetail, error) {
	store := s.service.store
	p, err := store.PurchaseWithTitle(ctx, id)
	if errors.Is(err, core.ErrNoRecord) || err == nil && p.Status == purchase.Created {
		return PurchaseDetail{}, purchase.ErrNotFound
	}
	detail := PurchaseDetail{Own: p}
	if err == nil && p.BundleID != "" {
		detail.Parts, err = store.PurchaseParts(ctx, id)
	}
	if err == nil {
		detail.Refunds, err = store.RefundsOf(ctx, id)
	}
	if err == nil {
		detail.Disputes, err = store.DisputesOf(ctx, id)
	}
	var made []papers.Paper
	if err == nil {
		made, err = store.PapersOf(ctx, id)
	}
	if err != nil {
		return PurchaseDetail{}, core.Wrap("read a purchase with its refunds", err)
	}
	for _, paper := range made {
		detail.Papers = append(detail.Papers,
			PaperReport{Paper: paper, URL: s.service.papers.LinkTo(paper)})
	}
	detail.History = historyOf(detail)
	return detail, nil
}

// historyOf returns what has happened to a purchase, in the order of time. It follows from the
// times that are stored. So a purchase that has failed and was completed later has not failed, and
// a refund that has failed after it was counted has failed only: its papers tell the rest.
func historyOf(d PurchaseDetail) []PurchaseEvent {
	all := []PurchaseEvent{{At: d.CreatedAt, Kind: EventOrdered, Amount: d.Amount}}
	add := func(e PurchaseEvent) { all = append(all, e) }
	switch {
	case !d.CompletedAt.IsZero():
		add(PurchaseEvent{At: d.CompletedAt, Kind: EventCompleted, ID: d.PaymentID,
			Amount: d.Amount})
	case d.Status == purchase.Failed:
		add(PurchaseEvent{At: d.UpdatedAt, Kind: EventFailed})
	case d.IsReturned():
		add(PurchaseEvent{At: d.UpdatedAt, Kind: EventReturned, ID: d.PaymentID, Amount: d.Amount})
	}
	for _, r := range d.Refunds {
		add(PurchaseEvent{At: r.CreatedAt, Kind: EventRefundStarted, ID: r.ID, By: r.CreatedBy,
			Amount: r.Amount})
		end := PurchaseEvent{At: r.UpdatedAt, ID: r.ID, Amount: r.Amount}
		switch r.Status {
		case payment.RefundProcessed:
			end.Kind = EventRefundProcessed
			add(end)
		case payment.RefundFailed:
			end.Kind = EventRefundFailed
			add(end)
		}
	}
	for _, o := range d.Disputes {
		add(PurchaseEvent{At: o.CreatedAt, Kind: EventDisputed, ID: o.ProviderID, Amount: o.Amount})
		end := PurchaseEvent{At: o.UpdatedAt, ID: o.ProviderID, Amount: o.Amount}
		switch o.Status {
		case payment.DisputeWon:
			end.Kind = EventDisputeWon
			add(end)
		case payment.DisputeLost:
			end.Kind = EventDisputeLost
			add(end)
		}
	}
	for _, p := range d.Papers {
		if p.IsNumbered() {
			add(PurchaseEvent{At: p.NumberedAt, Kind: EventNumbered, ID: p.Number.String(),
				Amount: p.Amount})
		}
	}
	// Events of one time stay in the order above: a refund is started before it is processed.
	slices.SortStableFunc(all, func(a, b PurchaseEvent) int {
		return cmp.Compare(a.At.UnixNano(), b.At.UnixNano())
	})
	return all
}

// purchaseDetailReader reads what is stored about a purchase.
type purchaseDetailReader interface {
	purchase.OwnReader
	refund.DisputeReader
	// PurchaseParts lists the lines of the purchase of a bundle, in their order.
	PurchaseParts(ctx context.Context, purchaseID string) ([]purchase.Part, error)
	papers.PurchasePapersReader
	// RefundsOf lists the refunds of a purchase, the oldest first.
	RefundsOf(ctx context.Context, purchaseID string) ([]refund.Refund, error)
}
