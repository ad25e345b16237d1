package httpapi

import "github.com/openlectern/openlectern/learning"

type purchaseRequest struct {
	CourseID   string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	CouponCode string `json:"couponCode,omitempty" jsonschema:"maxLength=200"`
}

type purchaseAnswer struct {
	PurchaseID string `json:"purchaseId"`
	OrderID    string `json:"orderId"`
	KeyID      string `json:"keyId"`
	Amount     int64  `json:"amount"` // in the smallest unit
	Currency   string `json:"currency"`
}

func (a *api) createPurchase(c *call, in purchaseRequest) (purchaseAnswer, error) {
	o, err := a.platform.OpenOrder(c.Context(), c.actor, learning.OrderRequest{CourseID: in.CourseID, CouponCode: in.CouponCode})
	if err != nil {
		return purchaseAnswer{}, err
	}
	return purchaseAnswer{o.PurchaseID, o.OrderID, o.KeyID, int64(o.Amount), o.Currency}, nil
}

type verifyPaymentRequest struct {
	OrderID    string `json:"gateway_order_id" jsonschema:"minLength=1"`
	PaymentID  string `json:"gateway_payment_id" jsonschema:"minLength=1"`
	Signature  string `json:"gateway_signature" jsonschema:"minLength=1"`
	PurchaseID string `json:"purchaseId,omitempty"`
}

func (a *api) verifyPayment(c *call, in verifyPaymentRequest) (messageAnswer, error) {
	err := a.platform.VerifyPayment(c.Context(), c.actor, learning.PaymentProof{
		PurchaseID: in.PurchaseID, OrderID: in.OrderID, PaymentID: in.PaymentID, Signature: in.Signature,
	})
	return messageAnswer{"Payment verified and enrollment complete"}, err
}
