package offer

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/learning/core"
)

// BuyPolicy decides who may buy. It is asked before a price is quoted, an order is opened or
// answered again, and what is free is taken. An error that matches a [core.Error] of the kind
// [core.Forbidden] or [core.Conflict] refuses it, and is answered with the message of the host; any
// other error is a failure, of which only the log has the cause. It is called outside of
// transactions, may be called again for the same offer, and must not take long.
type BuyPolicy func(ctx context.Context, actor core.Actor, o Offered) error

// Offered is what the actor would buy.
type Offered struct {
	CourseID    string     // "" for a bundle
	CourseTitle string     // or that of the bundle
	BundleID    string     // "" for a course
	Amount      core.Money // with the discount and the coupon; 0 for free
	Currency    string
}

// Require returns the refusal of the policy of the host, if there is one. A nil policy refuses
// nothing.
func (policy BuyPolicy) Require(ctx context.Context, actor core.Actor, o Offer, p Price) error {
	if policy == nil {
		return nil
	}
	err := policy(ctx, actor, Offered{CourseID: o.CourseID, CourseTitle: o.Title,
		BundleID: o.BundleID, Amount: p.Amount, Currency: p.Currency})
	refusal, isRefusal := errors.AsType[*core.Error](err)
	if isRefusal && (refusal.Kind == core.Forbidden || refusal.Kind == core.Conflict) {
		return refusal
	}
	if err != nil { // not wrapped, because an error of another kind must not be answered
		return fmt.Errorf("ask the host who may buy: %v", err)
	}
	return nil
}
