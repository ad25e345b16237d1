package sale

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// askOrderAfter is the age of an open order from which its provider is asked whether it can still
// be paid, before it is answered again.
const askOrderAfter = 5 * time.Minute

// answerOpen returns the open order of a purchase. The provider of an older one is asked first, so
// that nobody is kept from buying by an order that nobody can pay:
//
//	state       result
//	open        the order
//	processing  [ErrPaymentProcessing]
//	paid        the purchase is completed: [study.ErrAlreadyEnrolled]
//	closed      the purchase fails: errStateChanged, so that the caller opens another order
func (s *Service) answerOpen(ctx context.Context, open purchase.Purchase) (Order, error) {
	// UpdatedAt is when the order was opened: nothing else changes a pending purchase.
	if s.base.Now().Sub(open.UpdatedAt) < askOrderAfter {
		return orderOf(open, s.desk.KeyID(open.Provider)), nil
	}
	report, err := s.desk.Order(ctx, open.Provider, open.OrderID)
	if err != nil {
		return Order{}, err
	}
	settled, err := s.settleOrder(ctx, open, report)
	switch {
	case isReturned(err), err == nil && settled == payment.OrderClosed:
		return Order{}, errStateChanged // the purchase has failed, by this call or another one
	case err != nil:
		return Order{}, err
	case settled == payment.OrderPaid:
		return Order{}, study.ErrAlreadyEnrolled
	case settled == payment.OrderProcessing:
		return Order{}, ErrPaymentProcessing
	}
	return orderOf(open, s.desk.KeyID(open.Provider)), nil
}

// settleOrder completes a purchase whose order is paid, and fails an open one whose order is
// closed. It returns the state that the order then counts as: OrderPaid only if a payment has
// completed this purchase, now or before. Errors: [ErrPaymentReturned], [ErrPaymentOfEnded].
func (s *Service) settleOrder(
	ctx context.Context, p purchase.Purchase, report payment.OrderReport,
) (payment.OrderState, error) {
	paid, err := s.completePaid(ctx, p, report.Payments)
	switch {
	case err != nil:
		return payment.OrderOpen, err
	case paid:
		return payment.OrderPaid, nil
	case report.State == payment.OrderClosed && p.Status.Open():
		if err := s.failPurchase(ctx, p, orderWasClosed); err != nil {
			return payment.OrderOpen, fmt.Errorf("give up an order that was closed: %w", err)
		}
	case report.State == payment.OrderPaid: // by a payment that completes another purchase
		return payment.OrderOpen, nil
	}
	return report.State, nil
}

// giveUpOrder marks an open purchase at another price or with another coupon as failed, and returns
// errStateChanged, so that the next run opens another order. If the order was paid meanwhile, it
// completes the purchase instead, and returns [study.ErrAlreadyEnrolled], and if a payment of it is
// being processed, [ErrPaymentProcessing]. So it always returns an error. If the provider does not
// answer, giveUpOrder returns its error, unless the course is free now: then the order is given up
// without its answer, so that the user can enrol.
func (s *Service) giveUpOrder(ctx context.Context, want wanted, old purchase.Purchase) error {
	// Ask the provider whether the order was paid, and let it cancel the order.
	state, err := s.closeOrder(ctx, old)
	isFree := want.Amount == 0
	switch {
	case isReturned(err): // another call has marked the purchase as failed
		return errStateChanged
	case err != nil && !isFree:
		return err
	case err != nil:
		s.base.Log.WarnContext(ctx,
			"open order of a free course is given up without asking the provider",
			"purchase", old.ID, "order", old.OrderID, "error", err)
	case state == payment.OrderPaid:
		return study.ErrAlreadyEnrolled
	case state == payment.OrderProcessing:
		return ErrPaymentProcessing
	}

	// Mark it as failed. A payment that is captured later completes it or is returned.
	if err := s.failPurchase(ctx, old, orderWasReplaced); err != nil {
		return fmt.Errorf("give up an order at an old price: %w", err)
	}
	return errStateChanged
}

// closeOrder makes sure that the order of an open purchase cannot be paid any more, as far as its
// provider can: it returns OrderClosed, OrderPaid after it has completed the purchase, or
// OrderProcessing if the provider cannot cancel the order. Errors:
// [ErrPaymentReturned], [ErrPaymentOfEnded].
func (s *Service) closeOrder(ctx context.Context, p purchase.Purchase) (payment.OrderState, error) {
	report, err := s.desk.Order(ctx, p.Provider, p.OrderID)
	if err != nil {
		return payment.OrderOpen, err
	}
	state, err := s.settleOrder(ctx, p, report)
	if err != nil || state == payment.OrderPaid || state == payment.OrderClosed {
		return state, err
	}
	err = s.desk.CancelOrder(ctx, p.Provider, p.OrderID)
	if !errors.Is(err, payment.ErrOrderPaid) {
		return payment.OrderClosed, err
	}

	// It was paid between the question and the cancellation, or the payment is being processed.
	if report, err = s.desk.Order(ctx, p.Provider, p.OrderID); err != nil {
		return payment.OrderOpen, err
	}
	if state, err = s.settleOrder(ctx, p, report); err == nil && state == payment.OrderOpen {
		state = payment.OrderProcessing // the provider keeps it, so a payment is on its way
	}
	return state, err
}

// failReason is why a purchase fails: whether the provider has closed the order, which is told.
type failReason bool

const orderWasReplaced, orderWasClosed failReason = false, true

// failPurchase marks a pending purchase as failed and gives its coupon back. If another call has
// changed its status or its order since old was read, it changes nothing and returns nil.
func (s *Service) failPurchase(ctx context.Context, old purchase.Purchase, why failReason) error {
	title := ""
	if why == orderWasClosed {
		var err error
		if title, err = purchase.TitleOf(ctx, s.catalog, old); err != nil {
			return err
		}
	}
	return s.base.ChangeOfUser(ctx, old.UserID, func(tx Tx, changes *core.Changes) error {
		current, err := tx.Purchase(ctx, old.ID)
		if err != nil {
			return err
		}
		hasChanged := current.Status != old.Status || current.OrderID != old.OrderID
		if hasChanged {
			return nil
		}
		failed := current.Failed(s.base.Now())
		if err := purchase.Store(ctx, tx, current, failed); err != nil {
			return err
		}
		if why == orderWasClosed {
			purchase.AddEvent(changes, purchase.EventFailed, failed, title)
		}
		return offer.GiveBack(ctx, tx, current.CouponID, current.HoldsCoupon)
	})
}
