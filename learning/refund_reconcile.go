package learning

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/lease"
)

// reconcileRefunds asks the gateway about all refunds whose outcome is not known, except
// those that may be in progress. If one fails, it continues with the others and returns all
// their errors. err is the error of reading the list.
func (p *Platform) reconcileRefunds(ctx context.Context, found *Reconciliation) (failed []error, err error) {
	before := p.now().Add(-p.timeout - lease.Margin)
	page := Page{Limit: reconcilePage}
	for {
		list, err := p.store.PendingRefunds(ctx, before, page)
		if err != nil {
			return failed, fmt.Errorf("list pending refunds: %w", err)
		}
		for _, r := range list {
			found.CheckedRefunds++
			isDecided, err := p.reconcileRefund(ctx, r)
			if err != nil {
				failed = append(failed, fmt.Errorf("refund %s: %w", r.ID, err))
			}
			if isDecided {
				found.DecidedRefunds++
			}
		}
		if len(list) < reconcilePage || ctx.Err() != nil {
			return failed, ctx.Err()
		}
		last := list[len(list)-1]
		page.After = Position{At: last.CreatedAt, ID: last.ID}
	}
}

// reconcileRefund looks for a pending refund among the refunds of its payment, and requests
// it again, with the same idempotency key, if it is not there. It reports whether the
// refund is no longer pending.
func (p *Platform) reconcileRefund(ctx context.Context, r Refund) (isDecided bool, err error) {
	list, err := p.refundsOf(ctx, r.PaymentID)
	if err != nil {
		return false, err
	}
	isKnown := false
	for _, got := range list {
		if got.RefundID != r.ID && (r.ProviderID == "" || got.ID != r.ProviderID) {
			continue
		}
		isKnown = true
		if err := p.applyRefund(ctx, r.PurchaseID, got); err != nil {
			return false, err
		}
	}
	if !isKnown && r.ProviderID == "" {
		if err := p.requestRefund(ctx, r, p.timeout); err != nil && !errors.Is(err, ErrNotRefundable) {
			return false, err
		}
	}
	now, err := p.store.Refund(ctx, r.ID)
	return err == nil && now.Status != RefundPending, wrap("read a refund", err)
}

// refundsOf returns the refunds of a payment from the gateway.
func (p *Platform) refundsOf(ctx context.Context, paymentID string) ([]GatewayRefund, error) {
	ctx, cancel := p.provider(ctx)
	defer cancel()
	list, err := p.gateway.Refunds(ctx, paymentID)
	if err != nil {
		return nil, fmt.Errorf("ask the gateway for refunds: %w", err)
	}
	return list, nil
}
