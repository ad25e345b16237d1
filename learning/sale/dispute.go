package sale

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/study"
)

// reasonDisputed is the reason of an enrolment's end.
const reasonDisputed = "The payment is disputed"

// DisputePolicy is what follows from a dispute. With the zero value nothing does: the host learns of
// it by an event.
type DisputePolicy struct {
	// EndAccess ends the enrolment while a dispute of its payment is open, and after one that was
	// lost. One that was won gives it back.
	EndAccess bool
}

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

// disputeWriter writes disputes.
type disputeWriter interface {
	// InsertDispute adds a dispute. It returns [core.ErrDuplicate] if the purchase has one with its
	// id at the provider.
	InsertDispute(ctx context.Context, d Dispute) error
	// UpdateDispute stores the amount, the reason, the status, the time and EndedAccess.
	UpdateDispute(ctx context.Context, d Dispute) error
}

// askChangedDisputes asks for the disputes of a payment. A payment of no purchase belongs to another
// system.
func (s *Service) askChangedDisputes(ctx context.Context, provider, paymentID string) error {
	paid, err := s.purchaseOfRefund(ctx, provider, payment.Refund{PaymentID: paymentID})
	if errors.Is(err, core.ErrNoRecord) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the purchase of a dispute: %w", err)
	}
	return s.askDisputes(ctx, paid)
}

// askDisputes asks the provider for the disputes of a paid purchase, and stores what has changed.
func (s *Service) askDisputes(ctx context.Context, paid Purchase) error {
	list, err := s.desk.Disputes(ctx, paid.Provider, paid.PaymentID)
	if err != nil || len(list) == 0 {
		return err
	}
	title, err := s.catalog.EventTitle(ctx, paid.CourseID)
	if err != nil {
		return fmt.Errorf("store disputes: %w", err)
	}
	for _, got := range list {
		if !text.ValidID(got.ID, payment.MaxID) {
			s.base.Log.WarnContext(ctx, "dispute whose id cannot be kept", "purchase", paid.ID)
			continue
		}
		err := s.base.ChangeOfUser(ctx, paid.UserID, func(tx Tx, changes *core.Changes) error {
			return s.applyDispute(ctx, tx, changes, paid.ID, got, title)
		})
		if err != nil {
			return fmt.Errorf("store a dispute: %w", err)
		}
	}
	return nil
}

// applyDispute stores what a provider says about a dispute, in a transaction that has locked the
// buyer. A dispute that is closed stays as it is, because an earlier answer may come later.
//
//	stored  reported     result
//	none    open         stored, told; the access ends, if the policy says so
//	none    won or lost  stored, told twice; after a lost one the access ends
//	open    open         the amount and the reason are stored
//	open    won          stored, told; the access is given back that it had ended
//	open    lost         stored, told
//	closed  any          nothing
func (s *Service) applyDispute(ctx context.Context, tx Tx, changes *core.Changes,
	purchaseID string, got payment.Dispute, title string) error {
	// Read the whole state.
	var state refundState
	var err error
	if state.PurchaseState, err = tx.PurchaseState(ctx, purchaseID, ""); err != nil {
		return err
	}
	stored, err := disputeOf(ctx, tx, purchaseID, got.ID)
	if err != nil || stored.isClosed() {
		return err
	}
	if state.paying, err = s.otherCauses(ctx, tx, state.PurchaseState); err != nil {
		return err
	}

	// Decide.
	now := s.base.Now()
	after := stored.reported(got, state.Currency, now)
	isNew, isClosed := stored.ID == "", after.isClosed()
	ends := s.disputes.EndAccess && after.Status != payment.DisputeWon && !stored.EndedAccess &&
		state.Enrollment.Without(state.ID, state.paying) == study.AccessEnds
	givesBack := after.Status == payment.DisputeWon && stored.EndedAccess &&
		state.Status == PurchaseCompleted
	after.EndedAccess = (stored.EndedAccess || ends) && !givesBack

	// Store the dispute, with its events.
	if isNew {
		after.ID, after.PurchaseID, after.CreatedAt = s.base.NewID(), purchaseID, now
		err = tx.InsertDispute(ctx, after)
		addDisputeEvent(changes, EventPurchaseDisputed, state.Purchase, after, title)
	} else {
		err = tx.UpdateDispute(ctx, after)
	}
	if err != nil {
		return err
	}
	if isClosed {
		addDisputeEvent(changes, EventDisputeClosed, state.Purchase, after, title)
	}

	// Change the access.
	switch {
	case ends:
		return s.changeAccess(ctx, tx, changes, state, study.AccessEnds,
			accessCause{reason: reasonDisputed, title: title})
	case givesBack:
		return s.study.RestoreAccess(ctx, tx, changes, state.cause(), state.Enrollment, title)
	}
	return nil
}

// disputeOf returns the dispute of a purchase with an id at the provider; zero for none.
func disputeOf(ctx context.Context, tx Tx, purchaseID, providerID string) (Dispute, error) {
	list, err := tx.DisputesOf(ctx, purchaseID)
	for _, d := range list {
		if d.ProviderID == providerID {
			return d, err
		}
	}
	return Dispute{}, err
}

// isClosed reports whether the bank has decided.
func (d Dispute) isClosed() bool {
	return d.Status == payment.DisputeWon || d.Status == payment.DisputeLost
}

// reported returns d as the provider reports it.
func (d Dispute) reported(got payment.Dispute, currency string, at time.Time) Dispute {
	d.ProviderID = got.ID
	d.Amount = got.Amount
	d.Currency = cmp.Or(got.Currency, currency)
	d.Reason = text.Truncate(text.Storable(got.Reason), maxDisputeReason)
	d.Status = got.Status
	d.UpdatedAt = at
	return d
}

// addDisputeEvent adds an event of a dispute. Its amount is what is disputed.
func addDisputeEvent(
	changes *core.Changes, t core.EventType, p Purchase, d Dispute, title string,
) {
	data := purchaseData(p, title)
	data.Amount, data.Currency = d.Amount, d.Currency
	data.DisputeID = d.ProviderID
	if t == EventDisputeClosed {
		data.Won = new(d.Status == payment.DisputeWon)
	}
	changes.Add(t, "purchase", p.ID, data)
}
