package sale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/schedule"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
)

// reconcilePage is how many rows are read at a time.
const reconcilePage = 100

// ageGroup is a group of unpaid orders by their age: from youngest up to oldest. Their providers
// are asked about them again after every; 0 is at each run.
type ageGroup struct {
	name             string // of its [core.Sweep]; "" if it is asked at each run
	youngest, oldest time.Duration
	every            time.Duration
}

// ageGroups are the groups of orders, which are asked for less often as they grow older. An order
// of less than 15 minutes is not asked for, so that the proof of the client and the webhook usually
// come first. One of more than 30 days is not either: the slowest payments, such as those by bank
// transfer, take two weeks.
var ageGroups = []ageGroup{
	{name: "orders of a month", youngest: 7 * 24 * time.Hour, oldest: 30 * 24 * time.Hour,
		every: 24 * time.Hour},
	{name: "orders of a week", youngest: 24 * time.Hour, oldest: 7 * 24 * time.Hour,
		every: time.Hour},
	{youngest: 15 * time.Minute, oldest: 24 * time.Hour},
}

// Reconciliation is the result of [System.ReconcilePurchases].
type Reconciliation struct {
	Checked   int // orders that the gateway was asked about
	Completed int // purchases of these that were paid and are now completed
	// orders with a coupon that were not paid in time, and have released their redemption
	Expired int

	refund.Reconciliation // of refunds
}

// ReconcilePurchases asks the providers for the state of every unpaid order that is older than 15
// minutes and younger than 30 days, completes the purchases with a captured payment, and fails
// those whose order is closed. Orders of more than a day are asked for about once an hour, and
// those of more than a week once a day. It is needed if both the proof of the client and the
// webhook were lost. It also finds out what became of the refunds whose outcome is not known, and
// requests those again that the provider does not have. For up to 100 purchases of the last 90 days
// it asks for refunds that were started at the provider and never reported, beginning with the
// oldest and about once a day for each; see [refund.System.Reconcile]. It asks for the payments of
// orders with a coupon that are older than a day, and gives up those that nobody pays. It is safe
// for concurrent use, also in several processes. If one order fails, it continues with the others
// and returns all errors joined.
func (host System) ReconcilePurchases(ctx context.Context) (Reconciliation, error) {
	s := host.service
	if s.desk.IsEmpty() {
		return Reconciliation{}, payment.ErrNotConfigured
	}

	// Each part adds to found. It returns the errors of single orders and refunds, after which it
	// has continued, and an error that ends the run, because the database fails or ctx is done.
	var found Reconciliation
	var failed []error
	for _, reconcile := range []func(context.Context, *Reconciliation) ([]error, error){
		s.reconcileRefunds, s.sweepRefunds, s.expireCouponOrders, s.reconcileOrders,
	} {
		more, err := reconcile(ctx, &found)
		failed = append(failed, more...)
		if err != nil {
			return found, errors.Join(append(failed, err)...)
		}
	}
	return found, errors.Join(append(failed, ctx.Err())...)
}

// reconcileRefunds and sweepRefunds are the parts that room refund does.
func (s *Service) reconcileRefunds(ctx context.Context, found *Reconciliation) ([]error, error) {
	return s.refunds.ReconcilePending(ctx, &found.Reconciliation)
}

func (s *Service) sweepRefunds(ctx context.Context, found *Reconciliation) ([]error, error) {
	return s.refunds.Sweep(ctx, &found.Reconciliation)
}

// reconcileOrders asks for the unpaid orders of each of the ageGroups that is due. If one order
// fails, it continues with the others and returns all their errors as failed. err is the error of
// the database. It counts in found. It ends without an error if ctx is done: the caller looks.
func (s *Service) reconcileOrders(ctx context.Context,
	found *Reconciliation) (failed []error, err error) {
	now := s.base.Now()
	for _, group := range ageGroups {
		ask := func() error {
			before := found.Checked
			more, err := s.reconcileGroup(ctx, group, now, found)
			failed = append(failed, more...)
			// One order may fail for ever, and all do while the provider does not answer.
			allFailed := len(more) > 0 && len(more) == found.Checked-before
			if err == nil && (allFailed || ctx.Err() != nil) {
				err = errIncomplete
			}
			return err
		}
		err := core.IfDue(ctx, s.store, s.base, group.name, group.every, ask)
		if err != nil && !errors.Is(err, errIncomplete) {
			return failed, err
		}
	}
	return failed, nil
}

// errIncomplete means that not all orders of a group were asked for, so that it is due again.
var errIncomplete = errors.New("learning: not all orders were asked for")

// reconcileGroup asks for every unpaid order of the ages of a group at a time. Its results are
// those of reconcileOrders.
func (s *Service) reconcileGroup(ctx context.Context, group ageGroup, now time.Time,
	found *Reconciliation) (failed []error, err error) {
	oldest, newest := now.Add(-group.oldest), now.Add(-group.youngest)
	last := purchase.Purchase{} // the last one of the page before; zero for the first page
	for {
		page, err := s.store.UnpaidPurchases(ctx, oldest, newest, last, reconcilePage)
		if err != nil {
			return failed, fmt.Errorf("list unpaid purchases: %w", err)
		}
		// An error concerns one order: the others are reconciled too.
		for _, p := range page {
			found.Checked++
			paid, err := s.reconcile(ctx, p)
			if err != nil {
				failed = append(failed, fmt.Errorf("purchase %s: %w", p.ID, err))
			}
			if paid {
				found.Completed++
			}
		}
		// A page that is not full is the last one.
		if len(page) < reconcilePage || ctx.Err() != nil {
			return failed, nil
		}
		last = page[len(page)-1]
	}
}

// RunReconciliation calls [System.ReconcilePurchases] about every interval until ctx is
// done, and logs the results. If several instances run it on one database, one of them
// reconciles at a time, and another one continues if that one ends. The first call is
// about a minute after the start (or an interval, if that is shorter), or later if the last
// call of any instance is less than an interval ago. So instances that are often restarted
// reconcile too. RunReconciliation returns at once if there is no provider or every is not
// positive.
func (host System) RunReconciliation(ctx context.Context, every time.Duration) {
	if host.service.desk.IsEmpty() || every <= 0 {
		return
	}
	schedule.Loop(ctx, host.reconciliation(every))
}

// reconciliation is the schedule of reconcileAndLog.
func (host System) reconciliation(every time.Duration) core.Work {
	return core.Work{
		// Instances take turns by a lease of this name.
		Schedule: schedule.New(host.service.base.Leases, "reconcile", every,
			host.reconcileAndLog),
		FirstPause: schedule.FirstPause(every),
	}
}

// reconcileAndLog reconciles once, and logs the result or the error. It returns an error only if
// ctx has ended. Any other one is logged here, and not by the schedule too.
func (host System) reconcileAndLog(ctx context.Context) error {
	found, err := host.ReconcilePurchases(ctx)
	log := host.service.base.Log.With("checked", found.Checked, "completed", found.Completed,
		"expired",
		found.Expired,
		"checked_refunds", found.CheckedRefunds,
		"decided_refunds", found.DecidedRefunds, "checked_payments", found.CheckedPayments,
		"found_refunds", found.FoundRefunds)
	switch {
	case err == nil:
		log.InfoContext(ctx, "reconcile")
	case ctx.Err() != nil: // the lease was lost, or the instance stops
		return err
	default:
		log.ErrorContext(ctx, "reconcile", "error", err)
	}
	return nil
}

// reconcile asks the provider for the order of a purchase, and completes the purchase if it was
// paid, or fails it if the order is closed. It reports whether it was paid; false for a payment
// that is refunded instead.
func (s *Service) reconcile(ctx context.Context, p purchase.Purchase) (paid bool, err error) {
	report, err := s.desk.Order(ctx, p.Provider, p.OrderID)
	if err != nil {
		return false, err
	}
	state, err := s.settleOrder(ctx, p, report)
	if isReturned(err) { // refunded instead of completed: not a failure
		return false, nil
	}
	return state == payment.OrderPaid, err
}

// completePaid completes a purchase if one of payments was captured, and reports whether one was,
// also if the purchase was completed before. payments are those of the order of the purchase. A
// second captured payment is logged. If several purchases have the order, completePaid ignores
// payments of the others. Errors: [ErrPaymentReturned],
// [ErrPaymentOfEnded].
func (s *Service) completePaid(ctx context.Context, p purchase.Purchase,
	payments []payment.Payment) (paid bool, err error) {
	for _, payment := range payments {
		if !payment.Captured {
			continue
		}
		// Several purchases may have the order. Each is completed by its own payment. A host'state
		// gateway may leave out the order, by which purchaseOfOrder finds the purchase.
		payment.OrderID = p.OrderID
		payee, err := s.purchaseOfOrder(ctx, p.Provider, payment)
		if err != nil {
			return paid, fmt.Errorf("find the purchase of a payment: %w", err)
		}
		if payee.ID != p.ID {
			continue
		}
		_ = s.matches(ctx, p, payment) // only logs, because a payment of the order is proven
		const isProven = true
		if err := s.complete(ctx, p, payment.ID, isProven); err != nil {
			return paid, err
		}
		paid = true
	}
	return paid, nil
}

// couponOrderTime is how long an open purchase holds a redemption of a coupon before
// expireCouponOrders releases the redemption.
const couponOrderTime = 24 * time.Hour

// expireCouponOrders releases the redemptions that open purchases have held for a day, unless a
// purchase is or may be paid, so that users who never pay do not use up a coupon. If one fails, it
// continues with the others and returns all their errors as failed. err is the error of reading the
// list, or that of ctx. It counts in found.
func (s *Service) expireCouponOrders(ctx context.Context,
	found *Reconciliation) (failed []error, err error) {
	before := s.base.Now().Add(-couponOrderTime)
	page := core.PageRequest{Limit: reconcilePage}
	for {
		list, err := s.store.OpenPurchasesWithCoupon(ctx, before, page)
		if err != nil {
			return failed, fmt.Errorf("list the open purchases with a coupon: %w", err)
		}
		for _, p := range list {
			expired, err := s.expireCouponOrder(ctx, p)
			if err != nil {
				failed = append(failed, fmt.Errorf("purchase %s: %w", p.ID, err))
			}
			if expired {
				found.Expired++
			}
		}
		if len(list) < reconcilePage || ctx.Err() != nil {
			return failed, ctx.Err()
		}
		// Continue after the last one, because orders that may still be paid stay in the list.
		last := list[len(list)-1]
		page.After = core.Position{At: last.CreatedAt, ID: last.ID}
	}
}

// expireCouponOrder releases the redemption of an open purchase, unless it is or may be paid. It
// reports whether it did, also if another call has changed the purchase meanwhile. The first row
// that fits decides; the first and the last two release the redemption.
//
//	order   payments                   result
//	none    none                       deleted, unless a call is opening the order
//	some    one was captured           completed
//	some    one may still be captured  nothing
//	some    the order is closed        failed
//	some    any other                  cancelled and failed; a late payment is completed or returned
func (s *Service) expireCouponOrder(ctx context.Context,
	p purchase.Purchase) (expired bool, err error) {
	if p.OrderID == "" {
		return s.deleteUnopened(ctx, p)
	}
	report, err := s.desk.Order(ctx, p.Provider, p.OrderID)
	if err != nil {
		return false, err
	}
	mayBePaid := slices.ContainsFunc(report.Payments,
		func(payment payment.Payment) bool { return payment.Pending })
	state, err := s.settleOrder(ctx, p, report)
	switch {
	case err != nil || state == payment.OrderPaid:
		return false, err
	case state == payment.OrderClosed:
		return true, nil
	case state == payment.OrderProcessing || mayBePaid:
		return false, nil
	}
	if err := s.desk.CancelOrder(ctx, p.Provider, p.OrderID); err != nil {
		if errors.Is(err, payment.ErrOrderPaid) { // meanwhile: its webhook or the next run completes it
			return false, nil
		}
		return false, err
	}
	if err := s.failPurchase(ctx, p, orderWasReplaced); err != nil {
		return false, fmt.Errorf("give up an order that was not paid in time: %w", err)
	}
	return true, nil
}

// deleteUnopened deletes a purchase without an order, unless a call is opening its order, and
// reports whether it did. It reports true also if another call has changed the purchase meanwhile,
// although the purchase then stays: see deletePurchase.
func (s *Service) deleteUnopened(ctx context.Context,
	p purchase.Purchase) (deleted bool, err error) {
	err = s.base.ChangeOfUser(ctx, p.UserID, func(tx Tx, _ *core.Changes) error {
		// While a call holds the lease, it opens the order. A purchase without a lease has the zero
		// Lease, which is expired.
		l, err := tx.Lease(ctx, orderLease(p.ID))
		deleted = err == nil && l.Expired(s.base.Now())
		if !deleted {
			return err
		}
		return deletePurchase(ctx, tx, p, l)
	})
	if err != nil {
		return false, core.Wrap("delete a purchase without an order", err)
	}
	return deleted, nil
}
