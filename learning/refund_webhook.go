package learning

import (
	"context"
	"errors"
	"fmt"
)

// receiveRefund applies the event of a refund, which the platform or an operator of the gateway
// may have started. A refund that cannot be counted is logged and returns nil, because the
// gateway would repeat its webhook after an error. If the payment is not known yet, its
// purchase is completed first, as by the event of the payment, which may come later.
func (p *Platform) receiveRefund(ctx context.Context, event GatewayEvent) error {
	got := event.Refund
	_, err := p.countRefund(ctx, got)
	if errors.Is(err, errUnknownPayment) && event.Payment.Captured && event.Payment.ID == got.PaymentID {
		if err := p.System().CapturePayment(ctx, event.Payment); err != nil {
			return err
		}
		_, err = p.countRefund(ctx, got)
	}
	if errors.Is(err, errUnknownPayment) {
		p.log.WarnContext(ctx, "refund of an unknown payment", "payment", got.PaymentID, "refund", got.ID)
		return nil
	}
	return err
}

// errUnknownPayment means that a payment has completed no purchase.
var errUnknownPayment = errors.New("learning: the payment has completed no purchase")

// countRefund applies a refund that the gateway reports to the purchase of its payment, and
// reports whether it did: it logs a refund that cannot be counted. It returns
// errUnknownPayment if the payment has completed no purchase.
func (p *Platform) countRefund(ctx context.Context, got GatewayRefund) (counted bool, err error) {
	if !validID(got.ID, maxProviderID) || !validID(got.PaymentID, maxProviderID) {
		p.log.WarnContext(ctx, "refund whose ids cannot be kept", "payment", got.PaymentID)
		return false, nil
	}
	purchase, err := p.purchaseOfRefund(ctx, got)
	switch {
	case errors.Is(err, ErrNoRecord):
		return false, errUnknownPayment
	case err != nil:
		return false, fmt.Errorf("find the purchase of a refund: %w", err)
	case got.Currency != "" && got.Currency != purchase.Currency, got.Amount <= 0:
		p.log.WarnContext(ctx, "refund differs from its purchase", "purchase", purchase.ID, "payment", got.PaymentID, "refund", got.ID,
			"refunded", got.Amount.String()+" "+got.Currency, "expected", purchase.Currency)
		return false, nil
	}
	err = p.applyRefund(ctx, purchase.ID, got)
	return err == nil, err
}

// purchaseOfRefund returns the purchase that the payment of a refund has completed. If there
// are several, it returns the one in the notes, else the first one.
func (p *Platform) purchaseOfRefund(ctx context.Context, got GatewayRefund) (Purchase, error) {
	list, err := p.store.PurchasesByPayment(ctx, got.PaymentID)
	if err != nil {
		return Purchase{}, err
	}
	if len(list) == 0 {
		return Purchase{}, ErrNoRecord
	}
	return firstMatching(list, func(o Purchase) bool { return o.ID == got.PurchaseID }), nil
}
