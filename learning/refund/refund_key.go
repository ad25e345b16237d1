package refund

import (
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
)

// Outcome is the answer to a request for a refund that has a key.
type Outcome string

const (
	// Unanswered is a request that is being answered, or that ended with an unexpected
	// error: a repetition continues it.
	Unanswered Outcome = ""
	// RefundAccepted is a request that was answered with the purchase.
	Accepted Outcome = "accepted"
	// RefundDeclined is a request that was answered with [ErrNotRefundable].
	Declined Outcome = "declined"
)

// Key is the key of a request for a refund with its answer, so that a repeated request gets
// the same answer and refunds nothing more (docs/api.md §6).
type Key struct {
	PurchaseID string
	Key        string
	BodyHash   string // tells a request with another body
	RefundID   string // "" if no refund was begun
	CreatedAt  time.Time

	Outcome        Outcome
	Status         purchase.Status // of the purchase in the answer
	RefundedAmount core.Money      // of the purchase in the answer
}

// KeyState is what is stored about the key of a request.
type KeyState struct {
	Key     Key        // zero if there is none
	IsStale bool       // whether the key is not remembered any more
	Lease   core.Lease // of the call that is answering the request; zero if there is none
}

// KeyStep is what becomes of a request with a key.
type KeyStep int

const (
	KeyNew       KeyStep = iota // the request is the first one, or has no key
	KeyMisused                  // a request with another body had this key
	KeyAnswered                 // the stored answer is given
	KeyAwaited                  // another call is answering the request
	KeyContinued                // the refund of an earlier call is continued
)

// DecideKey returns what becomes of a request. The first row that fits decides. The lease is that
// of the call which answers the request.
//
//	stored            body      lease    step
//	nothing, or stale any       any      KeyNew
//	a key             another   any      KeyMisused
//	an answer         the same  any      KeyAnswered
//	a key             the same  alive    KeyAwaited
//	a key             the same  expired  KeyContinued
func DecideKey(s KeyState, bodyHash string, now time.Time) KeyStep {
	switch {
	case s.Key.Key == "" || s.IsStale:
		return KeyNew
	case s.Key.BodyHash != bodyHash:
		return KeyMisused
	case s.Key.Outcome != Unanswered:
		return KeyAnswered
	case !s.Lease.Expired(now):
		return KeyAwaited
	}
	return KeyContinued
}
