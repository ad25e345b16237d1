package learning

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// sweepRefundsFor is the age of the oldest purchases whose refunds the gateway is asked
	// for. sweepRefundsEvery is how often it is asked for those of each purchase.
	sweepRefundsFor   = 90 * 24 * time.Hour
	sweepRefundsEvery = 24 * time.Hour

	// sweepRefundsPage is the number of purchases of one run. sweepRefundsFailures is the
	// number of failures after which a run ends, because the gateway does not answer.
	sweepRefundsPage     = 100
	sweepRefundsFailures = 3

	refundSweep = "refunds"
)

// ReconcileRefunds asks the gateway for the refunds of every purchase that was created since
// a time and paid, and counts those that no webhook has reported. A refund of which the
// gateway reports a failure is taken back. [System.ReconcilePurchases] does this in parts, for
// purchases of 90 days. It is safe for concurrent use, also in several processes. If
// one purchase fails, it continues with the others, ends after the third one, and returns all errors joined.
func (s System) ReconcileRefunds(ctx context.Context, since time.Time) (Reconciliation, error) {
	p := s.platform
	if p.gateway == nil {
		return Reconciliation{}, ErrGatewayNotConfigured
	}
	run := refundSearch{Platform: p}
	before, after := p.now(), Position{At: since}
	for {
		next, err := run.page(ctx, before, after)
		if err != nil || next == after || run.isOver(ctx) {
			return run.found, errors.Join(append(run.failed, err)...)
		}
		after = next
	}
}

// sweepRefunds asks the gateway for the refunds of the next purchases of the sweep. A new
// sweep begins a day after the last one, if that has come to its end. If one purchase fails,
// it continues with the others and returns all their errors. err is that of the database.
func (p *Platform) sweepRefunds(ctx context.Context, found *Reconciliation) (failed []error, err error) {
	from, err := p.refundSweep(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the sweep of refunds: %w", err)
	}
	run := refundSearch{Platform: p}
	to := from
	to.After, err = run.page(ctx, from.StartedAt, from.After)
	now := p.now()
	if err == nil && to.After == from.After && !now.Before(from.StartedAt.Add(sweepRefundsEvery)) {
		to.StartedAt = now
		to.After, err = run.page(ctx, now, Position{At: now.Add(-sweepRefundsFor)})
	}
	found.CheckedPayments, found.FoundRefunds = run.found.CheckedPayments, run.found.FoundRefunds
	if err == nil && to != from {
		err = p.moveSweep(ctx, from, to)
	}
	return run.failed, err
}

// refundSweep reads the sweep of refunds. The first one has begun so long ago that the next
// one begins at once.
func (p *Platform) refundSweep(ctx context.Context) (Sweep, error) {
	s, err := p.store.Sweep(ctx, refundSweep)
	if !errors.Is(err, ErrNoRecord) {
		return s, err
	}
	begin := p.now().Add(-sweepRefundsFor)
	s = Sweep{Name: refundSweep, StartedAt: begin, After: Position{At: begin}}
	err = p.store.InTx(ctx, func(tx Tx) error { return tx.InsertSweep(ctx, s) })
	if errors.Is(err, ErrDuplicate) {
		return p.store.Sweep(ctx, refundSweep)
	}
	return s, err
}

// moveSweep stores how far a sweep has come. If a concurrent run has moved it, that one's
// position stays.
func (p *Platform) moveSweep(ctx context.Context, from, to Sweep) error {
	err := p.store.InTx(ctx, func(tx Tx) error {
		tx.Repeatable()
		_, err := tx.MoveSweep(ctx, from, to)
		return err
	})
	return wrap("move the sweep of refunds", err)
}

// refundSearch is one search for refunds that no webhook has reported.
type refundSearch struct {
	*Platform
	found  Reconciliation
	failed []error
}

// isOver reports whether the search must end before its last purchase.
func (s *refundSearch) isOver(ctx context.Context) bool {
	return len(s.failed) >= sweepRefundsFailures || ctx.Err() != nil
}

// page asks for the refunds of the next purchases after a position, and returns the position
// of the last one that it has asked for. err is the error of reading the purchases.
func (s *refundSearch) page(ctx context.Context, before time.Time, after Position) (Position, error) {
	list, err := s.store.PaidPurchases(ctx, before, after, sweepRefundsPage)
	if err != nil {
		return after, fmt.Errorf("list paid purchases: %w", err)
	}
	for _, purchase := range list {
		if s.isOver(ctx) {
			return after, ctx.Err()
		}
		s.found.CheckedPayments++
		if err := s.ask(ctx, purchase); err != nil {
			s.failed = append(s.failed, fmt.Errorf("refunds of purchase %s: %w", purchase.ID, err))
		}
		after = Position{At: purchase.CreatedAt, ID: purchase.ID}
	}
	return after, nil
}

// ask asks for the refunds of a purchase, and counts those that differ from the stored ones.
func (s *refundSearch) ask(ctx context.Context, purchase Purchase) error {
	list, err := s.refundsOf(ctx, purchase.PaymentID)
	if err != nil {
		return err
	}
	for _, got := range list {
		isKnown, err := s.isKnownRefund(ctx, purchase, got)
		if err != nil {
			return err
		}
		if isKnown {
			continue
		}
		got.PaymentID = purchase.PaymentID
		isCounted, err := s.countRefund(ctx, got)
		if err != nil {
			return err
		}
		if isCounted {
			s.found.FoundRefunds++
		}
	}
	return nil
}

// isKnownRefund reports whether a refund of the gateway has changed nothing since it was
// stored. A pending one is left to the webhook, or to reconcileRefunds. One of which only a part
// was counted is known as long as nothing is left of its purchase.
func (s *refundSearch) isKnownRefund(ctx context.Context, purchase Purchase, got GatewayRefund) (bool, error) {
	stored, err := s.store.RefundByProviderID(ctx, got.ID)
	if errors.Is(err, ErrNoRecord) {
		return got.Status != RefundProcessed, nil
	}
	if err == nil && got.Status == RefundProcessed && stored.Status == RefundProcessed && stored.Amount < got.Amount {
		now, err := s.store.Purchase(ctx, purchase.ID) // an earlier refund in the list may have failed
		return now.RefundedAmount == now.Amount, wrap("read the purchase of a refund", err)
	}
	return got.Status == RefundPending || stored.Status == got.Status || stored.Status == RefundFailed, wrap("find a refund", err)
}
