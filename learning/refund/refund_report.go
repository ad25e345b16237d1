package refund

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// Receive applies what an event tells of a refund, which the platform or an operator of the gateway
// may have started. It reports whether no purchase has its payment, perhaps because the event of
// that has not come yet. It logs a refund that cannot be counted and returns nil, because the
// gateway would repeat its webhook after an error.
func (s *ForRooms) Receive(
	ctx context.Context, provider string, got payment.Refund,
) (isUnknown bool, err error) {
	service := (*Service)(s)
	if !service.hasStorableIDs(ctx, got) {
		return false, nil
	}
	paid, err := service.purchaseOfRefund(ctx, provider, got)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return true, nil
	case err != nil:
		return false, fmt.Errorf("find the purchase of a refund: %w", err)
	}
	_, err = service.countRefund(ctx, paid, got) // logs a refund that it does not count
	return false, err
}

// hasStorableIDs reports whether the ids of a refund can be stored. It logs those that cannot.
func (s *Service) hasStorableIDs(ctx context.Context, got payment.Refund) bool {
	if text.ValidID(got.ID, payment.MaxID) && text.ValidID(got.PaymentID, payment.MaxID) {
		return true
	}
	s.base.Log.WarnContext(ctx, "refund whose ids cannot be kept", "payment", got.PaymentID)
	return false
}

// purchaseOfRefund returns the purchase that the payment of a refund has completed. If there
// are several, it returns the one in the notes, else the first one. Error: [core.ErrNoRecord].
func (s *Service) purchaseOfRefund(
	ctx context.Context, provider string, got payment.Refund,
) (purchase.Purchase, error) {
	list, err := s.store.PurchasesByPayment(ctx, got.PaymentID)
	if err != nil {
		return purchase.Purchase{}, err
	}
	if list = purchase.OfProvider(list, provider); len(list) == 0 {
		return purchase.Purchase{}, core.ErrNoRecord
	}
	isNamed := func(o purchase.Purchase) bool { return o.ID == got.PurchaseID } // in the notes
	return purchase.FirstMatching(list, isNamed), nil
}

// countRefund applies a refund that the gateway reports to the purchase of its payment. A refund
// that has failed, or that was counted before, is applied too, as DecideReport says. countRefund
// reports false, and logs the refund, if it has another currency or no amount, so that it cannot
// be counted.
func (s *Service) countRefund(
	ctx context.Context, p purchase.Purchase, got payment.Refund,
) (counted bool, err error) {
	sameCurrency := got.Currency == "" || got.Currency == p.Currency
	if !sameCurrency || got.Amount <= 0 {
		s.base.Log.WarnContext(ctx, "refund differs from its purchase",
			"purchase", p.ID, "payment", got.PaymentID, "refund", got.ID,
			"refunded", core.FormatMoney(got.Amount, got.Currency)+" "+got.Currency,
			"expected", p.Currency)
		return false, nil
	}
	if err := s.applyRefund(ctx, p.ID, got); err != nil {
		return false, err
	}
	return true, nil
}
