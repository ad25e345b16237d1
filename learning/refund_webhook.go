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
	if !validID(got.ID, maxProviderID) || !validID(got.PaymentID, maxProviderID) {
		p.log.WarnContext(ctx, "refund whose ids cannot be kept", "payment", got.PaymentID)
		return nil
	}
	purchase, err := p.purchaseOfRefund(ctx, got)
	if errors.Is(err, ErrNoRecord) && event.Payment.Captured && event.Payment.ID == got.PaymentID {
		if err := p.System().CapturePayment(ctx, event.Payment); err != nil {
			return err
		}
		purchase, err = p.purchaseOfRefund(ctx, got)
	}
	switch {
	case errors.Is(err, ErrNoRecord):
		p.log.WarnContext(ctx, "refund of an unknown payment", "payment", got.PaymentID, "refund", got.ID)
		return nil
	case err != nil:
		return fmt.Errorf("find the purchase of a refund: %w", err)
	case got.Currency != "" && got.Currency != purchase.Currency, got.Amount <= 0:
		p.log.WarnContext(ctx, "refund differs from its purchase", "purchase", purchase.ID, "payment", got.PaymentID, "refund", got.ID,
			"refunded", got.Amount.String()+" "+got.Currency, "expected", purchase.Currency)
		return nil
	}
	return p.applyRefund(ctx, purchase.ID, got)
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
