package refund

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

// MaxReason is the length of the longest reason of a refund, in code points.
const MaxReason = 500

// DecisionStarted is the decision of a refund, whatever its provider makes of it.
const DecisionStarted core.DecisionKind = "refund.started"

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
	// the enrolment stays although all is refunded, by the [Policy] of that time
	KeptAccess bool

	// Shares are the parts that the lines of a bundle have. ByLines says that the admin has named
	// the lines, and not an amount.
	Shares  []purchase.Share
	ByLines bool
}

// InsertFull inserts a pending refund of the whole payment of p, which is returned, in a
// transaction that has locked the buyer. Request it after that: see [ForRooms.RequestAtOnce].
func (s *ForRooms) InsertFull(
	ctx context.Context, tx InsertTx, p purchase.Purchase, at time.Time,
) (Refund, error) {
	r := fullRefund(p, s.base.NewID(), at)
	return r, insertRefund(ctx, tx, r)
}

// fullRefund returns a pending refund of the whole payment of p.
func fullRefund(p purchase.Purchase, id string, at time.Time) Refund {
	return Refund{
		ID: id, PurchaseID: p.ID, PaymentID: p.PaymentID, Provider: p.Provider, Amount: p.Amount,
		Currency: p.Currency, Status: payment.RefundPending, CreatedAt: at, UpdatedAt: at,
		Shares: purchase.AllShares(p.Lines),
	}
}

// handRefund begins the id at the provider of a refund that was made by hand.
const handRefund = "hand:"

// isByHand reports whether no provider makes the refund: it is of a sale that was made elsewhere,
// and the admin gives the money back where it was paid.
func (r Refund) isByHand() bool { return r.PaymentID == "" }

// Policy is what follows from the refund of all that was paid. With the zero value the
// enrolment ends, and the certificate stays.
type Policy struct {
	KeepAccess        bool // the user stays enrolled
	RevokeCertificate bool // the certificate of the course is revoked, with a public reason
}

// rowReader reads refunds, with their shares.
type rowReader interface {
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
	RefundKey(ctx context.Context, purchaseID, key string) (Key, error)
}

// InsertTx inserts a refund with its shares.
type InsertTx interface {
	// InsertRefund adds a refund. It returns [core.ErrDuplicate] if the purchase has a pending
	// refund of this amount, both without lines, or if the id at the gateway is known.
	InsertRefund(ctx context.Context, r Refund) error
	// InsertShares adds the shares of a refund, of which there must be one.
	InsertShares(ctx context.Context, refundID string, shares []purchase.Share) error
}

// rowWriter writes refunds, without their shares.
type rowWriter interface {
	InsertTx
	DeleteShares(ctx context.Context, refundID string) error
	// UpdateRefund stores the status, the id at the gateway, the amount, the time, EndedAccess and
	// KeptAccess of a refund that has the status and the amount of before. It reports whether it
	// did, and returns [core.ErrDuplicate] if another refund has the id at the gateway.
	UpdateRefund(ctx context.Context, before, after Refund) (bool, error)
	// ClearRefundEndedAccess removes the records that an enrolment is ended because of refunds of a
	// purchase. It reports whether there was one.
	ClearRefundEndedAccess(ctx context.Context, purchaseID string) (bool, error)
	// ForgetRefundReasons removes the reasons of refunds.
	ForgetRefundReasons(ctx context.Context, ids []string) error
	InsertRefundKey(ctx context.Context, k Key) error
	// AnswerRefundKey stores the answer to the request with a key.
	AnswerRefundKey(ctx context.Context, k Key) error
	DeleteRefundKey(ctx context.Context, purchaseID, key string) error
	// DeleteRefundKeys deletes the keys that were stored before a time.
	DeleteRefundKeys(ctx context.Context, before time.Time) error
}

// DecideReservation returns the pending refund that a request continues, or a new one without an
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
func DecideReservation(p purchase.Purchase, pending []Refund, amount *core.Money) (Refund, error) {
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

// addEvent adds the event of a refund that changes by how much p was refunded. counted is
// positive for a refund that was processed, and negative for one that has failed after that.
func addEvent(
	changes *core.Changes, p purchase.Purchase, r Refund, counted core.Money, title string,
) {
	t := purchase.EventRefunded
	if counted < 0 {
		t = purchase.EventRefundFailed
	}
	data := purchase.EventData(p, title)
	data.Amount = max(counted, -counted)
	data.Lines = shareEvents(p.Lines, r.Shares)
	data.PaymentID = cmp.Or(r.PaymentID, p.PaymentID)
	data.RefundID = r.ID
	changes.Add(t, "purchase", p.ID, data)
}

// shareEvents returns the shares of a refund as events tell them.
func shareEvents(lines []purchase.Line, shares []purchase.Share) []core.EventLine {
	var told []core.EventLine
	for _, s := range shares {
		i := slices.IndexFunc(lines, func(l purchase.Line) bool { return l.ID == s.LineID })
		if i >= 0 {
			told = append(told, core.EventLine{CourseID: lines[i].CourseID, Amount: s.Amount})
		}
	}
	return told
}

// forgetReasonsOf removes what admins wrote about the refunds of a user.
func forgetReasonsOf(ctx context.Context, tx StoreTx, userID string) error {
	ids, err := tx.RefundsWithReason(ctx, userID)
	if err != nil || len(ids) == 0 { // ForgetRefundReasons needs at least one id
		return err
	}
	return tx.ForgetRefundReasons(ctx, ids)
}
