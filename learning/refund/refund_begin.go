package refund

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// errAwaited means that another call is answering the request with the same key. The caller must
// begin again, after a pause.
var errAwaited = errors.New("learning: another call is answering the request")

// refundOrWait reserves a refund in the name of the admin by, requests it from the gateway, and
// stores the answer to a request with a key. It returns errAwaited if another call is
// answering the request: the caller must try again after a pause. Its other errors are those of
// Refund.
func (s *Service) refundOrWait(
	ctx context.Context, r Request, by string,
) (purchase.Purchase, error) {
	begun, err := s.beginRefund(ctx, r, by)
	if err != nil {
		return purchase.Purchase{}, err
	}
	if begun.isAnswered { // by an earlier call with the same key
		return begun.answer, nil
	}

	// The call continues if the caller cancels the request, so that its outcome is stored.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.base.Timeout+lease.Margin)
	defer cancel()
	answer, err := s.finishRefund(ctx, begun.refund)
	if begun.lease.Holder == "" { // a request without a key
		return answer, err
	}

	// Store the answer, if this call still has the lease of the key: success or ErrNotRefundable.
	// After any other error the key stays unanswered, so that a repetition continues the refund.
	outcome := Unanswered
	switch {
	case err == nil:
		outcome = Accepted
	case errors.Is(err, ErrNotRefundable):
		outcome = Declined
	}
	switch keyErr := s.answerKey(ctx, r, begun.lease, outcome, answer); {
	case errors.Is(keyErr, lease.ErrLost): // another call continues the refund and answers
		return purchase.Purchase{}, errAwaited
	case keyErr != nil:
		return purchase.Purchase{}, errors.Join(err, keyErr)
	}
	return answer, err
}

// begunRefund is the result of beginRefund: a refund to be requested, or an answer.
type begunRefund struct {
	refund     Refund
	lease      core.Lease // to answer the request; zero if it has no key
	isAnswered bool       // whether the request with this key was answered before
	answer     purchase.Purchase
	// nil, or [ErrNotRefundable]; not returned by the transaction, which stores it with the key
	declined error
}

// beginRefund stores a pending refund and reserves its amount, or finds the pending refund that the
// request continues. Errors: [purchase.ErrNotFound], [ErrNotRefundable], [ErrKeyReused],
// errAwaited.
func (s *Service) beginRefund(
	ctx context.Context, r Request, by string,
) (begun begunRefund, err error) {
	p, err := s.store.Purchase(ctx, r.PurchaseID)
	if errors.Is(err, core.ErrNoRecord) {
		return begun, purchase.ErrNotFound
	}
	if err != nil {
		return begun, fmt.Errorf("read a purchase: %w", err)
	}
	if r.Amount != nil {
		err := s.desk.RequireStep(p.Provider, "amount", *r.Amount, p.Currency)
		if err != nil {
			return begun, err
		}
	}
	err = s.base.ChangeOfUser(ctx, p.UserID, func(tx Tx, changes *core.Changes) (err error) {
		begun, err = s.runBeginRefund(ctx, tx, changes, r, by)
		return err
	})
	if errors.Is(err, lease.ErrHeld) { // another call has begun to answer the request
		err = errAwaited
	}
	if err == nil {
		err = begun.declined
	}
	return begun, core.Wrap("reserve a refund", err)
}

// runBeginRefund is the transaction of beginRefund, which has locked the buyer.
func (s *Service) runBeginRefund(
	ctx context.Context, tx Tx, changes *core.Changes, r Request, by string,
) (begun begunRefund, err error) {
	// Read the whole state.
	p, err := tx.Purchase(ctx, r.PurchaseID)
	if err != nil {
		return begun, err
	}
	known, err := s.readKeyState(ctx, tx, r)
	if err != nil {
		return begun, err
	}

	// A request with a known key is answered, waits, or continues its refund. KeyNew goes on below.
	switch DecideKey(known, r.BodyHash(), s.base.Now()) {
	case KeyMisused:
		return begun, ErrKeyReused
	case KeyAwaited:
		return begun, errAwaited
	case KeyAnswered:
		return answeredRefund(p, known.Key)
	case KeyContinued:
		if begun.refund, err = tx.Refund(ctx, known.Key.RefundID); err == nil {
			begun.lease, err = s.takeKey(ctx, tx, r, known)
		}
		return begun, err
	}

	// A new request continues a pending refund, or reserves its amount.
	begun.refund, begun.declined, err = s.decideNew(ctx, tx, p, r)
	if err != nil {
		return begun, err
	}
	if begun.declined == nil && begun.refund.ID == "" {
		begun.refund.Reason = r.Reason
		begun.refund.CreatedBy = by
		if begun.refund, err = s.reserveRefund(ctx, tx, p, begun.refund); err != nil {
			return begun, err
		}
		ids := core.DecisionIDs{CourseID: p.CourseID, PurchaseID: p.ID, RefundID: begun.refund.ID}
		changes.Decide(core.Decision{Kind: DecisionStarted, ActorID: by, UserID: p.UserID,
			Reason: begun.refund.Reason, DecisionIDs: ids})
	}

	// Store the key, with its answer if that is known.
	if r.Key == "" {
		return begun, nil
	}
	if begun.declined != nil {
		return begun, s.storeKey(ctx, tx, r, known, Key{
			Outcome: Declined, Status: p.Status,
			RefundedAmount: p.RefundedAmount,
		})
	}
	err = s.storeKey(ctx, tx, r, known, Key{RefundID: begun.refund.ID})
	if err == nil {
		begun.lease, err = s.takeKey(ctx, tx, r, known)
	}
	return begun, err
}

// decideNew returns the pending refund that a request continues, or a new one without an id.
// declined is nil or [ErrNotRefundable]. Error: [core.ErrInvalidRequest].
func (s *Service) decideNew(
	ctx context.Context, tx Tx, p purchase.Purchase, r Request,
) (begun Refund, declined, err error) {
	pending, err := tx.PendingRefundsOf(ctx, p.ID)
	if err != nil {
		return Refund{}, nil, err
	}
	if r.CourseIDs == nil {
		begun, declined = DecideReservation(p, pending, r.Amount)
		if declined == nil && begun.ID == "" {
			begun.Shares = Spread(p.Lines, begun.Amount,
				s.desk.StepOf(p.Provider, p.Currency))
		}
		return begun, declined, nil
	}
	begun, err = DecideLines(p, pending, r.CourseIDs)
	if errors.Is(err, ErrNotRefundable) {
		return Refund{}, err, nil
	}
	if err == nil {
		err = s.desk.RequireStep(p.Provider, "courseIds", begun.Amount, p.Currency)
	}
	return begun, nil, err
}

// answeredRefund returns the answer that a key had, with the values of that time: the purchase may
// have changed since.
func answeredRefund(p purchase.Purchase, key Key) (begunRefund, error) {
	if key.Outcome == Declined {
		return begunRefund{}, ErrNotRefundable
	}
	p.Status, p.RefundedAmount = key.Status, key.RefundedAmount
	return begunRefund{isAnswered: true, answer: p}, nil
}

// reserveRefund gives a new refund its id and stores it, and reserves its amount in the purchase,
// so that concurrent calls refund no more than is left. It returns the stored refund.
func (s *Service) reserveRefund(
	ctx context.Context, tx Tx, p purchase.Purchase, r Refund,
) (Refund, error) {
	now := s.base.Now()
	r.ID = s.base.NewID()
	r.CreatedAt = now
	r.UpdatedAt = now
	const counted = 0 // nothing is refunded yet; the amount becomes pending
	reserved := p.Refunded(counted, -r.Amount, now)
	reserved.Lines = purchase.Reserve(p.Lines, r.Shares)
	if err := purchase.Store(ctx, tx, p, reserved); err != nil {
		return Refund{}, err
	}
	return r, insertRefund(ctx, tx, r)
}
