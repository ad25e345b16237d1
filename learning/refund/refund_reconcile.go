package refund

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// reconcilePage is how many rows are read at a time.
const reconcilePage = 100

// Reconciliation is what became known of refunds.
type Reconciliation struct {
	CheckedRefunds int // pending refunds that the gateway was asked about
	DecidedRefunds int // refunds of these that are no longer pending

	CheckedPayments int // payments whose refunds the gateway was asked for
	FoundRefunds    int // refunds of these, or failures of refunds, that no webhook had reported
}

// ReconcilePending asks the gateway about all refunds whose outcome is not known, except
// those that may be in progress. If one fails, it continues with the others and returns all
// their errors as failed. err is the error of reading the list, or that of ctx. It counts in found.
func (s *ForRooms) ReconcilePending(ctx context.Context,
	found *Reconciliation) (failed []error, err error) {
	// The first request for a refund that was created before this time has ended: refundOrWait and
	// RequestAtOnce limit it.
	before := s.base.Now().Add(-s.base.Timeout - lease.Margin)
	page := core.PageRequest{Limit: reconcilePage}
	for {
		list, err := s.store.PendingRefunds(ctx, before, page)
		if err != nil {
			return failed, fmt.Errorf("list pending refunds: %w", err)
		}
		for _, r := range list {
			found.CheckedRefunds++
			isDecided, err := (*Service)(s).reconcileRefund(ctx, r)
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
		// Continue after the last one, because refunds that are still pending stay in the list.
		last := list[len(list)-1]
		page.After = core.Position{At: last.CreatedAt, ID: last.ID}
	}
}

// reconcileRefund looks for a pending refund among the refunds of its payment, and requests
// it again, with the same idempotency key, if it is not there and the gateway has never given it an
// id. It reports whether the refund is no longer pending.
func (s *Service) reconcileRefund(ctx context.Context, r Refund) (isDecided bool, err error) {
	var list []payment.Refund // none if it is made by hand
	if !r.isByHand() {
		if list, err = s.desk.Refunds(ctx, r.Provider, r.PaymentID); err != nil {
			return false, err
		}
	}

	// Apply what the gateway says about the refund: it is found by our id or by its own. There is
	// one such entry, unless the gateway does not know idempotency keys.
	isKnown := false
	for _, got := range list {
		hasItsID := r.ProviderID != "" && got.ID == r.ProviderID
		if got.RefundID != r.ID && !hasItsID {
			continue
		}
		isKnown = true
		if err := s.applyRefund(ctx, r.PurchaseID, got); err != nil {
			return false, err
		}
	}

	// The gateway has never had it, so the request was lost: repeat it. A refusal is no failure,
	// because requestRefund has applied it. If the gateway has answered the request before with an
	// id, its list must be incomplete, and the refund is looked up again at the next run.
	hasAnswered := r.ProviderID != ""
	if !isKnown && !hasAnswered {
		if err := s.requestRefund(ctx, r, s.base.Timeout); err != nil &&
			!errors.Is(err, ErrNotRefundable) {
			return false, err
		}
	}

	// Read what became of it.
	current, err := s.store.Refund(ctx, r.ID)
	if err != nil {
		return false, core.Wrap("read a refund", err)
	}
	return current.Status != payment.RefundPending, nil
}

const (
	// sweepRefundsFor is the age of the oldest purchases whose refunds the gateway is asked
	// for. sweepRefundsEvery is how often it is asked for those of each purchase.
	sweepRefundsFor   = 90 * 24 * time.Hour
	sweepRefundsEvery = 24 * time.Hour

	// sweepRefundsPage is the largest number of purchases of one run of the sweep; System.Reconcile
	// reads as many at a time. sweepRefundsFailures is the number of failures after which either
	// ends, because the gateway does not answer.
	sweepRefundsPage     = 100
	sweepRefundsFailures = 3

	refundSweep = "refunds" // the name of the [core.Sweep]
)

// Reconcile asks the gateway for the refunds of every purchase that was created since a time
// and paid, and counts those that no webhook has reported. If the gateway reports that a refund
// failed, its amount is subtracted again. The reconciliation of room sale does this in parts, for
// purchases of 90 days. It is safe for concurrent use, also in several processes. If one purchase
// fails, it continues with the others, ends after the third one, and returns all errors joined.
func (host System) Reconcile(
	ctx context.Context, since time.Time,
) (Reconciliation, error) {
	s := host.service
	if s.desk.IsEmpty() {
		return Reconciliation{}, payment.ErrNotConfigured
	}
	var search refundSearch
	before, after := s.base.Now(), core.Position{At: since}
	for {
		next, err := s.searchRefunds(ctx, &search, before, after)
		isAtEnd := next == after // no purchase follows
		if err != nil || isAtEnd || search.isOver(ctx) {
			return search.found, errors.Join(append(search.failed, err)...)
		}
		after = next
	}
}

// Sweep asks the gateway for the refunds of the next purchases of the sweep. A new
// sweep begins a day after the start of the last one, if that has come to its end. If one purchase
// fails, it continues with the others, ends after the third one, and returns all their errors as
// failed. err is the error of the database, or that of ctx. It counts in found.
func (s *ForRooms) Sweep(
	ctx context.Context, found *Reconciliation,
) (failed []error, err error) {
	// Read the saved position. If none is saved, use that of a sweep which began 90 days ago: it
	// finds no purchase, so the first real sweep begins at once.
	service := (*Service)(s)
	begin := s.base.Now().Add(-sweepRefundsFor)
	from, err := core.BeginSweep(ctx, s.store, s.base,
		core.Sweep{Name: refundSweep, StartedAt: begin, After: core.Position{At: begin}})
	if err != nil {
		return nil, fmt.Errorf("read the sweep of refunds: %w", err)
	}

	// Continue there, among the purchases before the start of the sweep, or begin a new sweep.
	var search refundSearch
	to := from
	to.After, err = service.searchRefunds(ctx, &search, from.StartedAt, from.After)
	now := s.base.Now()
	isAtEnd := to.After == from.After // no purchase follows
	isDue := !now.Before(from.StartedAt.Add(sweepRefundsEvery))
	if err == nil && isAtEnd && isDue {
		to.StartedAt = now
		to.After, err = service.searchRefunds(ctx, &search, now,
			core.Position{At: now.Add(-sweepRefundsFor)})
	}
	found.CheckedPayments = search.found.CheckedPayments
	found.FoundRefunds = search.found.FoundRefunds

	// Save the position. If a concurrent run has saved another one, that one stays.
	if err != nil || to == from {
		return search.failed, err
	}
	err = s.base.InTx(ctx, func(tx Tx) error {
		tx.Repeatable()                       // a second run finds the sweep moved
		_, err := tx.MoveSweep(ctx, from, to) // false if a concurrent run has moved it
		return err
	})
	return search.failed, core.Wrap("move the sweep of refunds", err)
}

// refundSearch is the result of a search for refunds that no webhook has reported.
type refundSearch struct {
	found  Reconciliation
	failed []error
}

// isOver reports whether the search must end before its last purchase.
func (s *refundSearch) isOver(ctx context.Context) bool {
	return len(s.failed) >= sweepRefundsFailures || ctx.Err() != nil
}

// searchRefunds asks for the refunds of the next purchases after a position that were created
// before a time, adds what it finds to search, and returns the position of the last purchase that
// it has asked for, or after if there is none. It asks for at most sweepRefundsPage purchases. The
// error is that of reading the purchases, or that of ctx; failures of purchases are in search.
func (s *Service) searchRefunds(
	ctx context.Context, search *refundSearch, before time.Time, after core.Position,
) (core.Position, error) {
	list, err := s.store.PaidPurchases(ctx, before, after, sweepRefundsPage)
	if err != nil {
		return after, fmt.Errorf("list paid purchases: %w", err)
	}
	for _, p := range list {
		if search.isOver(ctx) {
			return after, ctx.Err()
		}
		search.found.CheckedPayments++
		counted, err := s.countNewRefunds(ctx, p)
		search.found.FoundRefunds += counted
		if err == nil {
			err = s.askDisputes(ctx, p)
		}
		if err != nil {
			search.failed = append(search.failed,
				fmt.Errorf("refunds of purchase %s: %w", p.ID, err))
		}
		after = core.Position{At: p.CreatedAt, ID: p.ID}
	}
	return after, nil
}

// AskChanged asks for the refunds of a payment, and applies what has changed. A payment of
// no purchase belongs to another system, or its own event has not come yet: the refunds are found
// by the reconciliation then.
func (s *ForRooms) AskChanged(ctx context.Context, provider, paymentID string) error {
	paid, err := (*Service)(s).purchaseOfRefund(ctx, provider, payment.Refund{PaymentID: paymentID})
	if errors.Is(err, core.ErrNoRecord) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the purchase of a refund: %w", err)
	}
	_, err = (*Service)(s).countNewRefunds(ctx, paid)
	return err
}

// countNewRefunds asks the provider for the refunds of a purchase, applies those that differ from
// the stored ones, and returns how many it has applied.
func (s *Service) countNewRefunds(
	ctx context.Context, paid purchase.Purchase,
) (counted int, err error) {
	list, err := s.desk.Refunds(ctx, paid.Provider, paid.PaymentID)
	if err != nil {
		return 0, err
	}
	// Those that are counted come last: they may need what a failed one gives back, and providers
	// list them in any order.
	slices.SortStableFunc(list, func(a, b payment.Refund) int {
		return cmp.Compare(rankOf(a.Status), rankOf(b.Status))
	})
	for _, got := range list {
		// Leave out what is stored as the gateway reports it.
		isKnown, err := s.isKnownRefund(ctx, paid, got)
		if err != nil {
			return counted, err
		}
		got.PaymentID = paid.PaymentID // a host'state gateway may leave it out
		if isKnown || !s.hasStorableIDs(ctx, got) {
			continue
		}
		// Several purchases may have the payment, so look for the one of this refund.
		p, err := s.purchaseOfRefund(ctx, paid.Provider, got)
		if err != nil {
			return counted, fmt.Errorf("find the purchase of a refund: %w", err)
		}
		isCounted, err := s.countRefund(ctx, p, got)
		if err != nil {
			return counted, err
		}
		if isCounted {
			counted++
		}
	}
	return counted, nil
}

// rankOf returns 1 for the status of refunds that are counted, and 0 for the others.
func rankOf(s payment.RefundStatus) int {
	if s == payment.RefundProcessed {
		return 1
	}
	return 0
}

// isKnownRefund reports whether a refund of the gateway need not be applied, because it would
// change nothing. The first row that fits decides:
//
//	stored               reported as      result
//	nothing              processed        false
//	nothing              any other        true: nothing would be counted
//	processed in part    processed        whether nothing is left of the purchase
//	failed               any              true: it stays failed
//	any other            the same status  true
//	any other            pending          true: a later report decides
//	any other            any other        false
func (s *Service) isKnownRefund(ctx context.Context, p purchase.Purchase,
	got payment.Refund) (bool, error) {
	stored, err := s.store.RefundByProviderID(ctx, got.ID)
	if errors.Is(err, core.ErrNoRecord) {
		return got.Status != payment.RefundProcessed, nil
	}
	if err != nil {
		return false, core.Wrap("find a refund", err)
	}

	// Read what is left of the purchase again: an earlier refund in the list may have failed.
	isCountedInPart := got.Status == payment.RefundProcessed &&
		stored.Status == payment.RefundProcessed && stored.Amount < got.Amount
	if isCountedInPart {
		current, err := s.store.Purchase(ctx, p.ID)
		if err != nil {
			return false, core.Wrap("read the purchase of a refund", err)
		}
		isNothingLeft := current.RefundedAmount == current.Amount
		return isNothingLeft, nil
	}

	staysAsStored := stored.Status == got.Status || stored.Status == payment.RefundFailed
	isUndecided := got.Status == payment.RefundPending // left to a webhook or ReconcilePending
	return staysAsStored || isUndecided, nil
}
