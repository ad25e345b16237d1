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
			paid, err := p.settle(ctx, purchase)
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

// settle asks the gateway whether a purchase's order was paid, and if so completes
// it. A second captured payment of the order ends up in the log.
func (p *Platform) settle(ctx context.Context, purchase Purchase) (paid bool, err error) {
	if p.gateway == nil {
		return false, ErrGatewayNotConfigured
	}
	asked, cancel := p.provider(ctx)
	defer cancel()
	payments, err := p.gateway.Payments(asked, purchase.OrderID)
	if err != nil {
		return false, fmt.Errorf("ask the gateway for payments: %w", err)
	}
	for _, payment := range payments {
		if !payment.Captured {
			continue
		}
		switch err := p.complete(ctx, purchase, payment.ID); {
		case err == nil:
			paid = true
		case !errors.Is(err, errPaymentUsed): // which paid for something else
			return paid, err
		}
	}
	return paid, nil
}
