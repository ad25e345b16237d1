package learning

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/internal/lease"
)

// maxReservations limits how often a refund is tried to be reserved. Each further try
// follows a change of the purchase by another call.
const maxReservations = 10

// RefundPurchase refunds an amount of a completed purchase at the gateway, or all that is
// left if amount is nil, and returns the purchase. The amount is reserved in the database
// before the gateway is called, so that concurrent and repeated calls refund no more than
// was paid. While a refund of the same amount is pending, a call continues that one and
// starts no other, because the answer to the earlier call may have been lost. If the gateway
// processes the refund later, the amount is not counted yet in the returned purchase.
//
// Errors: [ErrUnauthenticated], [ErrForbidden], [ErrInvalidRequest],
// [ErrGatewayNotConfigured], [ErrPurchaseNotFound], and [ErrNotRefundable] if the purchase is
// not completed, if less is left, or if the gateway refuses. After any other error the refund
// may have been made: it stays pending, and [System.ReconcilePurchases] finds out.
func (p *Platform) RefundPurchase(ctx context.Context, actor Actor, purchaseID string, amount *Money, reason string) (Purchase, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return Purchase{}, err
	}
	reason = strings.TrimSpace(reason)
	if !isText(reason, 0, MaxRefundReason) || (amount != nil && *amount <= 0) {
		return Purchase{}, ErrInvalidRequest
	}
	if p.gateway == nil {
		return Purchase{}, ErrGatewayNotConfigured
	}
	r, err := p.reserveRefund(ctx, purchaseID, amount, Refund{Reason: reason, CreatedBy: actor.UserID})
	if err != nil {
		return Purchase{}, wrap("reserve a refund", err)
	}
	// The call continues if the caller cancels the request, so that its outcome is stored.
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.timeout+lease.Margin)
	defer cancel()
	if err := p.requestRefund(bound, r); err != nil {
		return Purchase{}, wrap("refund a purchase", err)
	}
	purchase, err := p.store.Purchase(bound, purchaseID)
	return purchase, wrap("read a refunded purchase", err)
}

// reserveRefund stores a pending refund and reserves its amount. It returns the pending
// refund that the call continues, if there is one.
func (p *Platform) reserveRefund(ctx context.Context, purchaseID string, amount *Money, r Refund) (Refund, error) {
	err := errPurchaseChanged
	for try := 0; errors.Is(err, errPurchaseChanged) && try < maxReservations; try++ {
		r, err = p.tryReserveRefund(ctx, purchaseID, amount, r)
	}
	return r, err
}

// errPurchaseChanged means that a concurrent call has changed the purchase.
var errPurchaseChanged = errors.New("learning: the purchase has changed")

// tryReserveRefund is one try of reserveRefund. It returns errPurchaseChanged if it must be
// repeated.
func (p *Platform) tryReserveRefund(ctx context.Context, purchaseID string, amount *Money, r Refund) (Refund, error) {
	purchase, err := p.store.Purchase(ctx, purchaseID)
	switch {
	case errors.Is(err, ErrNoRecord):
		return r, ErrPurchaseNotFound
	case err != nil:
		return r, err
	case purchase.Status != PurchaseCompleted:
		return r, ErrNotRefundable
	}
	left := purchase.Amount - purchase.RefundedAmount - purchase.PendingRefunds
	if amount != nil {
		r.Amount = *amount
	} else {
		r.Amount = left
	}
	if pending, err := p.pendingRefund(ctx, purchase, r.Amount, amount == nil); !errors.Is(err, ErrNoRecord) {
		return pending, err
	}
	if r.Amount <= 0 || r.Amount > left {
		return r, ErrNotRefundable
	}
	return p.insertRefund(ctx, purchase, r)
}

// pendingRefund returns the pending refund of an amount of a purchase, or any if the amount
// is 0 because all that is left is reserved. It returns [ErrNoRecord] if there is none.
func (p *Platform) pendingRefund(ctx context.Context, purchase Purchase, amount Money, isRest bool) (Refund, error) {
	if purchase.PendingRefunds == 0 {
		return Refund{}, ErrNoRecord
	}
	pending, err := p.store.PendingRefundsOf(ctx, purchase.ID)
	if err != nil {
		return Refund{}, err
	}
	for _, r := range pending {
		if r.Amount == amount || (isRest && amount == 0) {
			return r, nil
		}
	}
	return Refund{}, ErrNoRecord
}

// insertRefund reserves the amount of a refund and stores it. The changed row of the
// purchase decides whether enough is left.
func (p *Platform) insertRefund(ctx context.Context, purchase Purchase, r Refund) (Refund, error) {
	now := p.now()
	r.ID, r.PurchaseID, r.PaymentID, r.Currency = p.newID(), purchase.ID, purchase.PaymentID, purchase.Currency
	r.Status, r.CreatedAt, r.UpdatedAt = RefundPending, now, now
	err := p.store.InTx(ctx, func(tx Tx) error {
		reserved, err := tx.ReserveRefund(ctx, purchase.ID, r.Amount, now)
		if err == nil && !reserved {
			err = errPurchaseChanged
		}
		if err != nil {
			return err
		}
		return tx.InsertRefund(ctx, r)
	})
	if errors.Is(err, ErrDuplicate) { // a concurrent call has reserved the same amount
		err = errPurchaseChanged
	}
	return r, err
}

// requestRefund asks the gateway for a pending refund, and applies the answer. It may be
// repeated, because the id of the refund is the idempotency key.
func (p *Platform) requestRefund(ctx context.Context, r Refund) error {
	got, err := p.createRefund(ctx, r)
	switch {
	case errors.Is(err, ErrRefundRefused):
		p.log.WarnContext(ctx, "refund refused by the gateway", "refund", r.ID, "purchase", r.PurchaseID, "payment", r.PaymentID, "error", err)
		got = GatewayRefund{Status: RefundFailed, RefundID: r.ID, PurchaseID: r.PurchaseID, PaymentID: r.PaymentID, Amount: r.Amount}
		if err := p.applyRefund(ctx, r.PurchaseID, got); err != nil {
			return err
		}
		return ErrNotRefundable
	case err != nil:
		p.log.WarnContext(ctx, "refund of unknown outcome", "refund", r.ID, "purchase", r.PurchaseID, "payment", r.PaymentID)
		return fmt.Errorf("ask the gateway: %w", err)
	}
	return p.applyRefund(ctx, r.PurchaseID, got)
}

func (p *Platform) createRefund(ctx context.Context, r Refund) (GatewayRefund, error) {
	ctx, cancel := p.provider(ctx)
	defer cancel()
	got, err := p.gateway.CreateRefund(ctx, NewRefund{ID: r.ID, PurchaseID: r.PurchaseID, PaymentID: r.PaymentID, Amount: r.Amount, Currency: r.Currency})
	if err == nil && !validID(got.ID, maxProviderID) {
		return GatewayRefund{}, errors.New("the gateway answered no usable refund id")
	}
	got.RefundID, got.PurchaseID = r.ID, r.PurchaseID
	return got, err
}
