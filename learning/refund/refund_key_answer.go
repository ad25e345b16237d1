package refund

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// ErrKeyReused is the public failure of keys of refunds.
var ErrKeyReused = &core.Error{Kind: core.Conflict, Code: "key_reused",
	Message: "This key was used for another request"}

const (
	// MaxKey is the length of the longest key of a request for a refund, in characters.
	MaxKey = 255
	// keyTime is how long a key is remembered.
	keyTime = 24 * time.Hour
)

// BodyHash returns a hash of what is asked for: the amount or the courses, and the reason. A
// repeated request must have the same hash.
func (r Request) BodyHash() string {
	amount := "rest" // all that is left
	if r.Amount != nil {
		amount = r.Amount.String()
	}
	if r.CourseIDs != nil {
		amount = "courses " + strings.Join(slices.Sorted(slices.Values(r.CourseIDs)), " ")
	}
	sum := sha256.Sum256([]byte(amount + "\n" + r.Reason))
	return hex.EncodeToString(sum[:])
}

// leaseName returns the name of the lease to answer a request with a key. It contains a hash,
// because names of leases are shorter than keys. Half of it is enough to tell keys apart.
func (r Request) leaseName() string {
	sum := sha256.Sum256([]byte(r.Key))
	return "refund:" + r.PurchaseID + ":" + hex.EncodeToString(sum[:16])
}

// readKeyState reads the state of the key of a request, in a transaction that has locked the user.
// The state is zero if the request has no key.
func (s *Service) readKeyState(ctx context.Context, tx Tx,
	r Request) (state KeyState, err error) {
	if r.Key == "" {
		return state, nil
	}
	state.Key, err = tx.RefundKey(ctx, r.PurchaseID, r.Key)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return state, err
	}

	// A key is remembered for keyTime.
	state.IsStale = state.Key.Key != "" &&
		state.Key.CreatedAt.Before(s.base.Now().Add(-keyTime))
	state.Lease, err = tx.Lease(ctx, r.leaseName()) // the zero Lease and no error if there is none
	return state, err
}

// storeKey stores the key of a new request r, in place of a stale one. k has the refund that was
// begun or the answer; storeKey sets its other fields. old is the state of the key before.
func (s *Service) storeKey(ctx context.Context, tx Tx, r Request, old KeyState,
	k Key) error {
	if old.IsStale {
		if err := tx.DeleteRefundKey(ctx, r.PurchaseID, r.Key); err != nil {
			return err
		}
	}
	k.PurchaseID = r.PurchaseID
	k.Key = r.Key
	k.BodyHash = r.BodyHash()
	k.CreatedAt = s.base.Now()
	return tx.InsertRefundKey(ctx, k)
}

// takeKey takes the lease to answer a request. old is the state of its key before. It returns
// [lease.ErrHeld] if another call has taken the lease since. The lease lasts for the time-out of
// the request to the gateway, a margin to apply what it answers, and a margin to store the answer.
func (s *Service) takeKey(ctx context.Context, tx Tx, r Request,
	old KeyState) (core.Lease, error) {
	l := s.base.Leases.New(r.leaseName(), s.base.Timeout+lease.Margin) // New adds the other margin
	return l, lease.Acquire(ctx, tx, old.Lease, l, s.base.Now())
}

// answerKey stores the answer to a request and releases its lease. outcome is Unanswered
// after an unexpected error, so that a repetition continues the refund at once. It returns
// [lease.ErrLost] if another call has taken the lease over.
func (s *Service) answerKey(ctx context.Context, r Request, l core.Lease,
	outcome Outcome,
	answer purchase.Purchase) error {
	// The answer has its own time limit, because the time limit of ctx may have ended.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lease.Margin)
	defer cancel()
	err := s.base.InTx(ctx, func(tx Tx) error {
		// Only the holder of the lease answers.
		if err := lease.Release(ctx, tx, l); err != nil {
			return err
		}
		if outcome == Unanswered {
			return nil
		}
		return tx.AnswerRefundKey(ctx, Key{
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
		return tx.DeleteRefundKeys(ctx, s.base.Now().Add(-keyTime))
	})
	return core.Wrap("delete the keys of refunds", err)
}
