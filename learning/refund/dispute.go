package refund

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// Dispute is the objection of a buyer's bank to a payment.
type Dispute struct {
	ID         string
	PurchaseID string
	ProviderID string // at the provider
	Amount     core.Money
	Currency   string
	Reason     string // in the words of the provider; may be ""
	Status     payment.DisputeStatus
	CreatedAt  time.Time
	UpdatedAt  time.Time

	EndedAccess bool // an enrolment is ended because of it
}

// maxDisputeReason is the length of the longest reason that is stored, in code points.
const maxDisputeReason = 200

// DisputeReader reads disputes.
type DisputeReader interface {
	// DisputesOf lists the disputes of a purchase, the oldest first.
	DisputesOf(ctx context.Context, purchaseID string) ([]Dispute, error)
}

// DisputeWriter writes disputes.
type DisputeWriter interface {
	// InsertDispute adds a dispute. It returns [core.ErrDuplicate] if the purchase has one with its
	// id at the provider.
	InsertDispute(ctx context.Context, d Dispute) error
	// UpdateDispute stores the amount, the reason, the status, the time and EndedAccess.
	UpdateDispute(ctx context.Context, d Dispute) error
}

// firstNotWon returns the index of the first dispute that is open or lost, -1 for none.
func firstNotWon(list []Dispute) int {
	return slices.IndexFunc(list, func(d Dispute) bool { return d.Status != payment.DisputeWon })
}

// IsClosed reports whether the bank has decided.
func (d Dispute) IsClosed() bool {
	return d.Status == payment.DisputeWon || d.Status == payment.DisputeLost
}

// Reported returns d as the provider reports it.
func (d Dispute) Reported(got payment.Dispute, currency string, at time.Time) Dispute {
	d.ProviderID = got.ID
	d.Amount = got.Amount
	d.Currency = cmp.Or(got.Currency, currency)
	d.Reason = text.Truncate(text.Storable(got.Reason), maxDisputeReason)
	d.Status = got.Status
	d.UpdatedAt = at
	return d
}
