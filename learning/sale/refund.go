package sale

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// ErrNotRefundable is the public failure of refunds.
var ErrNotRefundable = &core.Error{Kind: core.Conflict, Code: "not_refundable",
	Message: "This purchase cannot be refunded"}

// MaxRefundReason is the length of the longest reason of a refund, in code points.
const MaxRefundReason = 500

// The decisions about purchases: a refund, whatever its provider makes of it, and a sale that was
// made elsewhere.
const (
	DecisionRefundStarted core.DecisionKind = "refund.started"
	DecisionSaleRecorded  core.DecisionKind = "sale.recorded"
)

// decide adds the decision of an admin about a purchase. The zero Refund is none.
func decide(changes *core.Changes, kind core.DecisionKind, by string, p purchase.Purchase, r Refund) {
	ids := core.DecisionIDs{CourseID: p.CourseID, PurchaseID: p.ID, RefundID: r.ID}
	changes.Decide(core.Decision{Kind: kind, ActorID: by, UserID: p.UserID, Reason: r.Reason,
		DecisionIDs: ids})
}

// Refund is the return of a payment, or of a part of it.
type Refund struct {
	ID         string // also the idempotency key at the gateway
	PurchaseID string
	PaymentID  string
	Provider   string // that of the purchase
	ProviderID string // at the provider; "" before it has answered, and if it refused
	Amount     core.Money
	Currency   string
	Status     payment.RefundStatus
	Reason     string
	CreatedBy  string // the admin; "" if it was started at the gateway
	CreatedAt  time.Time
	UpdatedAt  time.Time

	EndedAccess bool // an enrolment is ended because of this refund
	// the enrolment stays although all is refunded, by the [RefundPolicy] of that time
	KeptAccess bool

	// Shares are the parts that the lines of a bundle have. ByLines says that the admin has named the
	// lines, and not an amount.
	Shares  []purchase.Share
	ByLines bool
}

// fullRefund returns a pending refund of the whole payment of p.
func fullRefund(p purchase.Purchase, id string, at time.Time) Refund {
	return Refund{
		ID: id, PurchaseID: p.ID, PaymentID: p.PaymentID, Provider: p.Provider, Amount: p.Amount,
		Currency: p.Currency, Status: payment.RefundPending, CreatedAt: at, UpdatedAt: at,
		Shares: purchase.All(p.Lines),
	}
}

// handRefund begins the id at the provider of a refund that was made by hand.
const handRefund = "hand:"

// isByHand reports whether no provider makes the refund: it is of a [SaleElsewhere], and the admin
// gives the money back where it was paid.
func (r Refund) isByHand() bool { return r.PaymentID == "" }

// RefundPolicy is what follows from the refund of all that was paid. With the zero value the
// enrolment ends, and the certificate stays.
type RefundPolicy struct {
	KeepAccess        bool // the user stays enrolled
	RevokeCertificate bool // the certificate of the course is revoked, with a public reason
}

// refundReader reads refunds, with their shares.
type refundReader interface {
	Refund(ctx context.Context, id string) (Refund, error)
	// RefundByProviderID reads the refund that has an id at the gateway.
	RefundByProviderID(ctx context.Context, providerID string) (Refund, error)
	// PendingRefundsOf lists the refunds of a purchase whose amount is reserved, the oldest
	// first.
	PendingRefundsOf(ctx context.Context, purchaseID string) ([]Refund, error)
	// PendingRefunds lists a page of the refunds that are pending and were created before a
	// time, the oldest first.
	PendingRefunds(ctx context.Context, before time.Time, page core.PageRequest) ([]Refund, error)
	// RefundsWithReason lists the ids of the refunds of a user's purchases that have a reason.
	RefundsWithReason(ctx context.Context, userID string) ([]string, error)
	RefundKey(ctx context.Context, purchaseID, key string) (RefundKey, error)
}

// refundWriter writes refunds, without their shares.
type refundWriter interface {
	shareWriter
	// InsertRefund adds a refund. It returns [core.ErrDuplicate] if the purchase has a pending
	// refund of this amount, both without lines, or if the id at the gateway is known.
	InsertRefund(ctx context.Context, r Refund) error
	// UpdateRefund stores the status, the id at the gateway, the amount, the time, EndedAccess and
	// KeptAccess of a refund that has the status and the amount of before. It reports whether it
	// did, and returns [core.ErrDuplicate] if another refund has the id at the gateway.
	UpdateRefund(ctx context.Context, before, after Refund) (bool, error)
	// ClearRefundEndedAccess removes the records that an enrolment is ended because of refunds of a
	// purchase. It reports whether there was one.
	ClearRefundEndedAccess(ctx context.Context, purchaseID string) (bool, error)
	// ForgetRefundReasons removes the reasons of refunds.
	ForgetRefundReasons(ctx context.Context, ids []string) error
	InsertRefundKey(ctx context.Context, k RefundKey) error
	// AnswerRefundKey stores the answer to the request with a key.
	AnswerRefundKey(ctx context.Context, k RefundKey) error
	DeleteRefundKey(ctx context.Context, purchaseID, key string) error
	// DeleteRefundKeys deletes the keys that were stored before a time.
	DeleteRefundKeys(ctx context.Context, before time.Time) error
}

// decideReservation returns the pending refund that a request continues, or a new one without an
// id. pending are the pending refunds of the purchase, the oldest first. What is left is neither
// refunded nor pending; amount is nil for all of it. Error: [ErrNotRefundable]. The first row that
// fits decides:
//
//	status     amount  left      wanted: amount, or left for nil  result
//	any other  any     any       any                              ErrNotRefundable
//	completed  nil     0         0, and something is pending      the oldest pending refund
//	completed  any     any       that of a pending refund         that refund
//	completed  any     any       nothing, or more than left       ErrNotRefundable
//	completed  any     positive  any other                        a new refund
//
// In the third row nil is meant too: a purchase has only one pending refund of an amount (see
// InsertRefund), so a refund of as much as is left cannot begin before the pending one is decided.
// Refunds of lines are not continued by such a request.
func decideReservation(p purchase.Purchase, pending []Refund, amount *core.Money) (Refund, error) {
	pending = slices.DeleteFunc(slices.Clone(pending), func(r Refund) bool { return r.ByLines })
	if p.Status != purchase.Completed {
		return Refund{}, ErrNotRefundable
	}
	left := p.Amount - p.RefundedAmount - p.PendingRefunds
	wanted := left
	if amount != nil {
		wanted = *amount
	}
	isAllPending := amount == nil && left == 0
	if isAllPending && len(pending) > 0 {
		return pending[0], nil
	}
	for _, r := range pending {
		if r.Amount == wanted {
			return r, nil
		}
	}
	if wanted <= 0 || wanted > left {
		return Refund{}, ErrNotRefundable
	}
	return Refund{
		PurchaseID: p.ID, PaymentID: p.PaymentID, Provider: p.Provider,
		Amount: wanted, Currency: p.Currency, Status: payment.RefundPending,
	}, nil
}

// addRefundEvent adds the event of a refund that changes by how much p was refunded. counted is
// positive for a refund that was processed, and negative for one that has failed after that.
func addRefundEvent(changes *core.Changes, p purchase.Purchase, r Refund, counted core.Money, title string) {
	t := purchase.EventRefunded
	if counted < 0 {
		t = purchase.EventRefundFailed
	}
	data := purchase.EventData(p, title)
	data.Amount = max(counted, -counted)
	data.Lines = purchase.ShareEvents(p.Lines, r.Shares)
	data.PaymentID = cmp.Or(r.PaymentID, p.PaymentID)
	data.RefundID = r.ID
	changes.Add(t, "purchase", p.ID, data)
}

// forgetRefundReasonsOf removes what admins wrote about the refunds of a user.
func forgetRefundReasonsOf(ctx context.Context, tx StoreTx, userID string) error {
	ids, err := tx.RefundsWithReason(ctx, userID)
	if err != nil || len(ids) == 0 { // ForgetRefundReasons needs at least one id
		return err
	}
	return tx.ForgetRefundReasons(ctx, ids)
}
