package httpapi

import (
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sale"
)

type refundRequest struct {
	// in major units; nil for all that is left
	Amount *decimal `json:"amount,omitempty" jsonschema:"minimum=0.01,maximum=10000000" doc:"Without it all that is left."`
	Reason string   `json:"reason,omitempty" jsonschema:"maxLength=500" doc:"For the records of the school."`
}

type refundAnswer struct {
	Purchase refundedPurchaseJSON `json:"purchase"`
}

type refundedPurchaseJSON struct {
	ID       string  `json:"_id"`
	Status   string  `json:"status" jsonschema:"enum=completed,enum=refunded" doc:"'refunded' if nothing is left, else 'completed'."`
	Amount   decimal `json:"amount" doc:"What was paid."`
	Refunded decimal `json:"refundedAmount" doc:"Without refunds that the gateway has not processed yet."`
	Currency string  `json:"currency"`
	By       string  `json:"refundedBy,omitempty" jsonschema:"enum=hand" doc:"'hand' if the purchase was sold elsewhere: give the money back where it was paid. Else left out."`
}

// refundPurchase refunds a purchase, or the amount in the request. A request is repeated safely
// with the same Idempotency-Key. If there is an error, the answer is not sent.
func (a *api) refundPurchase(c *call, in refundRequest) (refundAnswer, error) {
	p, err := a.platform.Sales.RefundPurchase(c.Context(), c.actor, sale.RefundRequest{
		PurchaseID: c.Param("purchaseId"), Amount: (*core.Money)(in.Amount), Reason: in.Reason,
		Key: c.Header.Get("Idempotency-Key"),
	})
	by := ""
	if p.Provider == sale.ProviderManual {
		by = "hand"
	}
	return refundAnswer{refundedPurchaseJSON{
		By:       by,
		ID:       p.ID,
		Status:   string(p.Status),
		Amount:   decimal(p.Amount),
		Refunded: decimal(p.RefundedAmount),
		Currency: p.Currency,
	}}, err
}
