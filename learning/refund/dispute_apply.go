package refund

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// reasonDisputed is the reason of an enrolment's end.
const reasonDisputed = "The payment is disputed"

// DisputePolicy is what follows from a dispute. With the zero value nothing does: the host learns
// of it by an event.
type DisputePolicy struct {
	// EndAccess ends the enrolment while a dispute of its payment is open, and after one that was
	// lost. One that was won gives it back.
	EndAccess bool
}

// AskChangedDisputes asks for the disputes of a payment. A payment of no purchase belongs to
// another system.
func (s *ForRooms) AskChangedDisputes(ctx context.Context, provider, paymentID string) error {
	paid, err := (*Service)(s).purchaseOfRefund(ctx, provider, payment.Refund{PaymentID: paymentID})
	if errors.Is(err, core.ErrNoRecord) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the purchase of a dispute: %w", err)
	}
	return (*Service)(s).askDisputes(ctx, paid)
}

// askDisputes asks the provider for the disputes of a paid purchase, and stores what has changed.
func (s *Service) askDisputes(ctx context.Context, paid purchase.Purchase) error {
	list, err := s.desk.Disputes(ctx, paid.Provider, paid.PaymentID)
	if err != nil || len(list) == 0 {
		return err
	}
	title, err := purchase.TitleOf(ctx, s.catalog, paid)
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
// buyer: see [disputeChange].
func (s *Service) applyDispute(ctx context.Context, tx Tx, changes *core.Changes,
	purchaseID string, got payment.Dispute, title string) error {
	// Read the whole state.
	state, err := tx.PurchaseState(ctx, purchaseID, "")
	if err != nil {
		return err
	}
	list, err := tx.DisputesOf(ctx, purchaseID)
	if err != nil {
		return err
	}
	stored, others := splitDisputes(list, got.ID)
	if stored.IsClosed() {
		return nil
	}
	given, err := purchase.Causes(ctx, tx, state.AllParts(""))
	if err != nil {
		return err
	}

	// Decide.
	after := stored.Reported(got, state.Currency, s.base.Now())
	d := s.disputes.decide(state, given, stored, after, others, title)

	// Store the disputes, with their events.
	if stored.ID == "" {
		d.after.ID, d.after.PurchaseID = s.base.NewID(), purchaseID
		d.after.CreatedAt = d.after.UpdatedAt
		err = tx.InsertDispute(ctx, d.after)
		addDisputeEvent(changes, purchase.EventDisputed, state.Purchase, d.after, title)
	} else {
		err = tx.UpdateDispute(ctx, d.after)
	}
	if err == nil && d.keeper.ID != "" {
		err = tx.UpdateDispute(ctx, d.keeper)
	}
	if err != nil {
		return err
	}
	if d.after.IsClosed() {
		addDisputeEvent(changes, purchase.EventDisputeClosed, state.Purchase, d.after, title)
	}

	// Change the access.
	marked := state.Purchase
	marked.Lines = purchase.MarkLines(marked.Lines, d.parts)
	if err := purchase.StoreLines(ctx, tx, state.Purchase, marked); err != nil {
		return err
	}
	const wasEnded, byNobody = true, ""
	for _, part := range purchase.InCourseOrder(d.parts) {
		err := part.Store(ctx, s.study, tx, changes, wasEnded, byNobody, reasonDisputed)
		if err != nil {
			return err
		}
	}
	return nil
}

// disputeChange is what a report about a dispute changes. A dispute that is closed stays as it is,
// because an earlier answer may come later.
//
//	stored  reported     result
//	none    open         stored, told; the access ends, if the policy says so
//	none    won or lost  stored, told twice; after a lost one the access ends
//	open    open         the amount and the reason are stored
//	open    won          stored, told; the access is given back that it had ended, unless another
//	                     dispute is not won, which keeps it ended then
//	open    lost         stored, told
//	closed  any          nothing
type disputeChange struct {
	after  Dispute
	keeper Dispute // the other that keeps access ended; zero for none
	parts  []purchase.PartChange
}

// decide returns what follows from a dispute, which was stored before, is after as it is reported,
// and is not the only one of the purchase if there are others. given is what gives access now.
func (p DisputePolicy) decide(state purchase.State, given []study.Cause, stored, after Dispute,
	others []Dispute, title string) disputeChange {
	d := disputeChange{after: after}
	isWon := after.Status == payment.DisputeWon
	ends := p.EndAccess && !isWon && !stored.EndedAccess
	givesBack := isWon && stored.EndedAccess
	d.after.EndedAccess = stored.EndedAccess
	if i := firstNotWon(others); givesBack && p.EndAccess && i >= 0 {
		givesBack, d.after.EndedAccess = false, false
		d.keeper = others[i]
		d.keeper.EndedAccess = true
	}
	// What was refunded is not given back. The dispute keeps its record for a refund that fails.
	givesBack = givesBack && state.Status == purchase.Completed
	d.parts = purchase.AfterDispute(state.AllParts(title), given, ends, givesBack,
		state.BundleID != "", after.UpdatedAt)
	ended := d.after.EndedAccess || purchase.HasChange(d.parts, study.AccessEnds)
	d.after.EndedAccess = ended && !givesBack
	return d
}

// splitDisputes returns the dispute with an id at the provider, zero for none, and the others.
func splitDisputes(list []Dispute, providerID string) (one Dispute, others []Dispute) {
	for _, d := range list {
		if d.ProviderID == providerID {
			one = d
		} else {
			others = append(others, d)
		}
	}
	return one, others
}

// addDisputeEvent adds an event of a dispute. Its amount is what is disputed.
func addDisputeEvent(
	changes *core.Changes, t core.EventType, p purchase.Purchase, d Dispute, title string,
) {
	data := purchase.EventData(p, title)
	data.Amount, data.Currency = d.Amount, d.Currency
	data.DisputeID = d.ProviderID
	if t == purchase.EventDisputeClosed {
		data.Won = new(d.Status == payment.DisputeWon)
	}
	changes.Add(t, "purchase", p.ID, data)
}
