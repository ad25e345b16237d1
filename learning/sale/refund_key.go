package sale

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/core"
)

// ErrKeyReused is the public failure of keys of refunds.
var ErrKeyReused = &core.Error{Kind: core.Conflict, Code: "key_reused",
	Message: "This key was used for another request"}

const (
	// MaxRefundKey is the length of the longest key of a request for a refund, in characters.
	MaxRefundKey = 255
	// refundKeyTime is how long a key is remembered.
	refundKeyTime = 24 * time.Hour
)

// RefundOutcome is the answer to a request for a refund that has a key.
type RefundOutcome string

const (
	// RefundUnanswered is a request that is being answered, or that ended with an unexpected
	// error: a repetition continues it.
	RefundUnanswered RefundOutcome = ""
	// RefundAccepted is a request that was answered with the purchase.
	RefundAccepted RefundOutcome = "accepted"
	// RefundDeclined is a request that was answered with [ErrNotRefundable].
	RefundDeclined RefundOutcome = "declined"
)

// RefundKey is the key of a request for a refund with its answer, so that a repeated request gets
// the same answer and refunds nothing more (docs/api.md §6).
type RefundKey struct {
	PurchaseID string
	Key        string
	BodyHash   string // tells a request with another body
	RefundID   string // "" if no refund was begun
	CreatedAt  time.Time

	Outcome        RefundOutcome
	Status         PurchaseStatus // of the purchase in the answer
	RefundedAmount core.Money     // of the purchase in the answer
}

// bodyHash returns a hash of what is asked for: the amount and the reason. A repeated request must
// have the same hash.
func (r RefundRequest) bodyHash() string {
	amount := "rest" // all that is left
	if r.Amount != nil {
		amount = r.Amount.String()
	}
	sum := sha256.Sum256([]byte(amount + "\n" + r.Reason))
	return hex.EncodeToString(sum[:])
}

// leaseName returns the name of the lease to answer a request with a key. It contains a hash,
// because names of leases are shorter than keys. Half of it is enough to tell keys apart.
func (r RefundRequest) leaseName() string {
	sum := sha256.Sum256([]byte(r.Key))
	return "refund:" + r.PurchaseID + ":" + hex.EncodeToString(sum[:16])
}

// keyState is what is stored about the key of a request.
type keyState struct {
	key     RefundKey  // zero if there is none
	isStale bool       // whether the key is not remembered any more
	lease   core.Lease // of the call that is answering the request; zero if there is none
}

// readKeyState reads the state of the key of a request, in a transaction that has locked the user.
// The state is zero if the request has no key.
func (s *Service) readKeyState(ctx context.Context, tx Tx,
	r RefundRequest) (state keyState, err error) {
	if r.Key == "" {
		return state, nil
	}
	state.key, err = tx.RefundKey(ctx, r.PurchaseID, r.Key)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return state, err
	}

	// A key is remembered for refundKeyTime.
	state.isStale = state.key.Key != "" &&
		state.key.CreatedAt.Before(s.base.Now().Add(-refundKeyTime))
	state.lease, err = tx.Lease(ctx, r.leaseName()) // the zero Lease and no error if there is none
	return state, err
}

// keyStep is what becomes of a request with a key.
type keyStep int

const (
	keyNew       keyStep = iota // the request is the first one, or has no key
	keyMisused                  // a request with another body had this key
	keyAnswered                 // the stored answer is given
	keyAwaited                  // another call is answering the request
	keyContinued                // the refund of an earlier call is continued
)

// decideKey returns what becomes of a request. The first row that fits decides. The lease is that
// of the call which answers the request.
//
//	stored            body      lease    step
//	nothing, or stale any       any      keyNew
//	a key             another   any      keyMisused
//	an answer         the same  any      keyAnswered
//	a key             the same  alive    keyAwaited
//	a key             the same  expired  keyContinued
func decideKey(s keyState, r RefundRequest, now time.Time) keyStep {
	switch {
	case s.key.Key == "" || s.isStale:
		return keyNew
	case s.key.BodyHash != r.bodyHash():
		return keyMisused
	case s.key.Outcome != RefundUnanswered:
		return keyAnswered
	case !s.lease.Expired(now):
		return keyAwaited
	}
	return keyContinued
}

// storeKey stores the key of a new request r, in place of a stale one. k has the refund that was
// begun or the answer; storeKey sets its other fields. old is the state of the key before.
func (s *Service) storeKey(ctx context.Context, tx Tx, r RefundRequest, old keyState,
	k RefundKey) error {
	if old.isStale {
		if err := tx.DeleteRefundKey(ctx, r.PurchaseID, r.Key); err != nil {
			return err
		}
	}
	k.PurchaseID = r.PurchaseID
	k.Key = r.Key
	k.BodyHash = r.bodyHash()
	k.CreatedAt = s.base.Now()
	return tx.InsertRefundKey(ctx, k)
}

// takeKey takes the lease to answer a request. old is the state of its key before. It returns
// [lease.ErrHeld] if another call has taken the lease since. The lease lasts for the time-out of
// the request to the gateway, a margin to apply what it answers, and a margin to store the answer.
func (s *Service) takeKey(ctx context.Context, tx Tx, r RefundRequest,
	old keyState) (core.Lease, error) {
	l := s.base.Leases.New(r.leaseName(), s.base.Timeout+lease.Margin) // New adds the other margin
	return l, lease.Acquire(ctx, tx, old.lease, l, s.base.Now())
}

// answerKey stores the answer to a request and releases its lease. outcome is RefundUnanswered
// after an unexpected error, so that a repetition continues the refund at once. It returns
// [lease.ErrLost] if another call has taken the lease over.
func (s *Service) answerKey(ctx context.Context, r RefundRequest, l core.Lease,
	outcome RefundOutcome,
	answer Purchase) error {
	// The answer has its own time limit, because the time limit of ctx may have ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Margin)
	defer cancel()
	err := s.base.InTx(ctx, func(tx Tx) error {
		// Only the holder of the lease answers.
		if err := lease.Release(ctx, tx, l); err != nil {
			return err
		}
		if outcome == RefundUnanswered {
			return nil
		}
		return tx.AnswerRefundKey(ctx, RefundKey{
			PurchaseID: r.PurchaseID, Key: r.Key, Outcome: outcome,
			Status: answer.Status, RefundedAmount: answer.RefundedAmount,
		})
	})
	if err != nil {
		return fmt.Errorf("store the answer to a request with a key: %w", err)
	}
	return nil
}

// deleteRefundKeys deletes the keys that are not remembered any more.
func (s *ForRooms) deleteRefundKeys(ctx context.Context) error {
	err := s.base.InTx(ctx, func(tx Tx) error {
		tx.Repeatable() // a second run finds nothing to delete
		return tx.DeleteRefundKeys(ctx, s.base.Now().Add(-refundKeyTime))
	})
	return core.Wrap("delete the keys of refunds", err)
}
