package httpapi

import (
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/refund"
)

type refundRequest struct {
	// in major units; nil for all that is left
	Amount *sentAmount `json:"amount,omitempty" jsonschema:"minimum=0.001,maximum=1000000000" doc:"In the currency of the purchase, with no more decimals than that has. Without it all that is left."`
	// nil for no courses
	CourseIDs []string `json:"courseIds,omitempty" jsonschema:"minItems=1,maxItems=50" doc:"Courses of the purchase of a bundle, each once, in place of amount: what is left of their lines. A course of which nothing is left ends the enrolment that it gave."`
	Reason    string   `json:"reason,omitempty" jsonschema:"maxLength=500" doc:"For the records of the school."`
}

type refundAnswer struct {
	Purchase refundedPurchaseJSON `json:"purchase"`
}

type refundedPurchaseJSON struct {
	ID       string `json:"_id"`
	Status   string `json:"status" jsonschema:"enum=completed,enum=refunded" doc:"'refunded' if nothing is left, else 'completed'."`
	Amount   amount `json:"amount" doc:"What was paid."`
	Refunded amount `json:"refundedAmount" doc:"Without refunds that the gateway has not processed yet."`
	Currency string `json:"currency"`
	By       string `json:"refundedBy,omitempty" jsonschema:"enum=hand" doc:"'hand' if the purchase was sold elsewhere: give the money back where it was paid. Else left out."`
}

// refundPurchase refunds a purchase, or the amount in the request. A request is repeated safely
// with the same Idempotency-Key. If there is an error, the answer is not sent.
func (a *api) refundPurchase(c *call, in refundRequest) (refundAnswer, error) {
	request := refund.Request{PurchaseID: c.Param("purchaseId"), Reason: in.Reason,
		CourseIDs: in.CourseIDs, Key: c.Header.Get("Idempotency-Key")}
	if in.Amount != nil {
		currency, err := a.platform.Refunds.Currency(c.Context(), c.actor, request.PurchaseID)
		if err != nil {
			return refundAnswer{}, err
		}
		wanted, err := in.Amount.of("amount", currency)
		if err != nil {
			return refundAnswer{}, err
		}
		request.Amount = &wanted
	}
	p, err := a.platform.Refunds.Refund(c.Context(), c.actor, request)
	by := ""
	if p.Provider == payment.NameManual {
		by = "hand"
	}
	return refundAnswer{refundedPurchaseJSON{
		By:       by,
		ID:       p.ID,
		Status:   string(p.Status),
		Amount:   amountOf(p.Amount, p.Currency),
		Refunded: amountOf(p.RefundedAmount, p.Currency),
		Currency: p.Currency,
	}}, err
}
