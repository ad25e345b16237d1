package httpapi

import "github.com/openlectern/openlectern/learning"

type refundRequest struct {
	Amount *decimal `json:"amount,omitempty" jsonschema:"minimum=0.01,maximum=10000000"` // in major units; nil for all that is left
	Reason string   `json:"reason,omitempty" jsonschema:"maxLength=500"`
}

type refundAnswer struct {
	Purchase refundedPurchaseJSON `json:"purchase"`
}

type refundedPurchaseJSON struct {
	ID       string  `json:"_id"`
	Status   string  `json:"status" jsonschema:"enum=completed,enum=refunded"`
	Amount   decimal `json:"amount"`
	Refunded decimal `json:"refundedAmount"`
	Currency string  `json:"currency"`
}

func (a *api) refundPurchase(c *call, in refundRequest) (refundAnswer, error) {
	p, err := a.platform.RefundPurchase(c.Context(), c.actor, learning.RefundRequest{
		PurchaseID: c.param("purchaseId"), Amount: (*learning.Money)(in.Amount), Reason: in.Reason,
		Key: c.Header.Get("Idempotency-Key"),
	})
	return refundAnswer{refundedPurchaseJSON{p.ID, string(p.Status), decimal(p.Amount), decimal(p.RefundedAmount), p.Currency}}, err
}
