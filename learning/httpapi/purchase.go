package httpapi

import (
	"cmp"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sale"
)

type purchaseRequest struct {
	CourseID   string `json:"courseId,omitempty" jsonschema:"minLength=1,maxLength=200" doc:"A published course. Required unless there is a bundleId."`
	BundleID   string `json:"bundleId,omitempty" jsonschema:"minLength=1,maxLength=200" doc:"A bundle that is for sale, in place of courseId."`
	CouponCode string `json:"couponCode,omitempty" jsonschema:"maxLength=200" doc:"The code of a coupon, in upper or lower case. Without it, or if it is empty, no coupon."`
	Currency   string `json:"currency,omitempty" jsonschema:"maxLength=3" doc:"One in which the course or the bundle has a price. Without it, or if it is empty, that of the platform."`
}

type purchaseAnswer struct {
	_ struct{} `doc:"An open order at a payment provider, with which the checkout starts; or, for a free course, the enrolment."`

	PurchaseID   string `json:"purchaseId"`
	Provider     string `json:"provider" doc:"What takes the payment: 'gateway', 'stripe' or the name of a provider of the host, and empty for what is free."`
	OrderID      string `json:"orderId" doc:"The id of the order at the provider, such as a PaymentIntent of Stripe. Empty for a free course: the caller is enrolled and there is nothing to pay."`
	KeyID        string `json:"keyId" doc:"The public key of the provider, for its checkout."`
	ClientSecret string `json:"clientSecret,omitempty" doc:"What the checkout of the provider needs beside the id, such as that of Stripe. Else left out."`
	CheckoutURL  string `json:"checkoutUrl,omitempty" doc:"Where the buyer pays, if the provider has a page for that. Else left out."`
	// in the smallest unit
	Amount   int64  `json:"amount" doc:"The price after the discount as an integer in minor units of the currency: 49900 is INR 499.00, and JPY 49900. 0 for a free course."`
	Currency string `json:"currency"`
}

// createPurchase opens an order for a course or a bundle. What is free is taken at once: the
// order has no id.
func (a *api) createPurchase(c *call, in purchaseRequest) (purchaseAnswer, error) {
	if err := requireOffer(in.CourseID, in.BundleID); err != nil {
		return purchaseAnswer{}, err
	}
	o, err := a.platform.Sales.OpenOrder(c.Context(), c.actor,
		sale.OrderRequest{CourseID: in.CourseID, BundleID: in.BundleID,
			CouponCode: in.CouponCode,
			Currency:   in.Currency, Language: text.Truncate(
				text.Storable(c.Header.Get("Accept-Language")), sale.MaxLanguage)})
	if err != nil {
		return purchaseAnswer{}, err
	}
	return purchaseAnswer{
		PurchaseID:   o.PurchaseID,
		Provider:     o.Provider,
		OrderID:      o.OrderID,
		KeyID:        o.KeyID,
		ClientSecret: o.ClientSecret,
		CheckoutURL:  o.CheckoutURL,
		Amount:       int64(o.Amount),
		Currency:     o.Currency,
	}, nil
}

// requireOffer returns an error unless a request names one of a course and a bundle.
func requireOffer(courseID, bundleID string) error {
	return cmp.Or(
		core.Require(courseID != "" || bundleID != "", "courseId", "is required"),
		core.Require(courseID == "" || bundleID == "", "bundleId", "must not come with courseId"))
}

type verifyPaymentRequest struct {
	_ struct{} `doc:"The proof of a payment, as the checkout hands it to the page."`

	OrderID    string `json:"gateway_order_id" jsonschema:"minLength=1" doc:"The id of the order, 'orderId' of the purchase."`
	PaymentID  string `json:"gateway_payment_id,omitempty" doc:"Required for an order of the gateway."`
	Signature  string `json:"gateway_signature,omitempty" doc:"The signature of both ids by the gateway, in lower-case hex. Required for an order of the gateway."`
	PurchaseID string `json:"purchaseId,omitempty" doc:"The id of the purchase. If it is sent, the order must belong to it."`
}

// verifyPayment completes a purchase with the proof of its payment. The message is answered if
// there is no error.
func (a *api) verifyPayment(c *call, in verifyPaymentRequest) (messageAnswer, error) {
	err := a.platform.Sales.VerifyPayment(c.Context(), c.actor, payment.Proof{
		PurchaseID: in.PurchaseID, OrderID: in.OrderID, PaymentID: in.PaymentID,
		Signature: in.Signature,
	})
	return messageAnswer{"Payment verified and enrollment complete"}, err
}
