package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// How old a purchase must be before the gateway is asked about it, so that the
// client and the webhook have had their chance, and how old it may be: after that
// no payment can come any more.
const (
	reconcileAfter = 15 * time.Minute
	reconcileFor   = 7 * 24 * time.Hour
	reconcilePage  = 100
)

// Reconciliation is what [Platform.ReconcilePurchases] found.
type Reconciliation struct {
	Checked   int // orders that the gateway was asked about
	Completed int // of those, purchases that were paid and are completed now
}

// ReconcilePurchases asks the gateway for the payments of every order that was
// not paid as far as the platform knows, and completes what was captured: for the
// case that both the client's proof and the webhook were lost. It is safe to run
// at any time, and twice at once. One order's failure does not stop the others;
// the error joins them all.
func (p *Platform) ReconcilePurchases(ctx context.Context) (Reconciliation, error) {
	if p.gateway == nil {
		return Reconciliation{}, ErrGatewayNotConfigured
	}
	var found Reconciliation
	var failed []error
	now := p.now()
	last := Purchase{}
	for {
		page, err := p.store.UnpaidPurchases(ctx, now.Add(-reconcileFor), now.Add(-reconcileAfter), last, reconcilePage)
		if err != nil {
			return found, errors.Join(append(failed, fmt.Errorf("list unpaid purchases: %w", err))...)
		}
		for _, purchase := range page {
			found.Checked++
			paid, err := p.reconcile(ctx, purchase)
			if err != nil {
				failed = append(failed, fmt.Errorf("purchase %s: %w", purchase.ID, err))
			}
			if paid {
				found.Completed++
			}
		}
		if len(page) < reconcilePage || ctx.Err() != nil {
			return found, errors.Join(append(failed, ctx.Err())...)
		}
		last = page[len(page)-1]
	}
}

// reconcile asks the gateway whether a purchase's order was paid, and if so completes
// it.
func (p *Platform) reconcile(ctx context.Context, purchase Purchase) (paid bool, err error) {
	payments, err := p.paymentsOf(ctx, purchase)
	if err != nil {
		return false, err
	}
	return p.completePaid(ctx, purchase, payments)
}

// paymentsOf asks the gateway for the payments of a purchase's order.
func (p *Platform) paymentsOf(ctx context.Context, purchase Purchase) ([]Payment, error) {
	if p.gateway == nil {
		return nil, ErrGatewayNotConfigured
	}
	ctx, cancel := p.provider(ctx)
	defer cancel()
	payments, err := p.gateway.Payments(ctx, purchase.OrderID)
	if err != nil {
		return nil, fmt.Errorf("ask the gateway for payments: %w", err)
	}
	return payments, nil
}

// completePaid completes a purchase if one of the payments of its order was
// captured. A second captured payment is logged. If several purchases have the
// order, a payment counts only for the one that it is for.
func (p *Platform) completePaid(ctx context.Context, purchase Purchase, payments []Payment) (paid bool, err error) {
	for _, payment := range payments {
		if !payment.Captured {
			continue
		}
		payment.OrderID = purchase.OrderID
		payee, err := p.purchaseOfOrder(ctx, payment)
		if err != nil {
			return paid, fmt.Errorf("find the purchase of a payment: %w", err)
		}
		if payee.ID != purchase.ID {
			continue
		}
		_ = p.compare(ctx, purchase, payment) // logs; the order is proven to be paid
		if err := p.complete(ctx, purchase, payment.ID, true); err != nil {
			return paid, err
		}
		paid = true
	}
	return paid, nil
}
