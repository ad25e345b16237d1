package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// purchaseRoutes returns the routes of buying.
func purchaseRoutes() []Route {
	return []Route{
		{ID: "purchase.quote", Method: http.MethodPost, Access: SignedIn, Limit: QuoteLimit,
			Path:    "/api/user/quote",
			Summary: "Show the price of a course or a bundle, with a coupon or without one",
			Description: "`price` is that before the discount, `discount` is what " +
				"the discount and the coupon take off together, and `total` is the " +
				"rest: what a purchase costs. The coupon applies after the discount. A " +
				"total between 0 and 1 becomes 1. Nothing is reserved.",
			Errors: []error{catalog.ErrCourseNotFound, catalog.ErrCourseEnded,
				study.ErrCoursesRequired, offer.ErrCouponNotFound, offer.ErrCouponUnusable,
				payment.ErrCurrencyNotSold, bundle.ErrBundleNotFound, study.ErrAlreadyEnrolled},
			Do: do((*api).quote)},
		{ID: "purchase.create", Method: http.MethodPost, Access: SignedIn, Limit: PaymentLimit,
			agents:  withAllTools,
			Path:    "/api/user/purchase",
			Summary: "Open an order for a course or a bundle, or enrol at once if it is free",
			Description: "Opens an order at the payment provider that takes the currency; the client " +
				"then starts the checkout with `orderId` and `keyId`, and with `clientSecret` or " +
				"`checkoutUrl` if there is one. A repeated call answers the same order while " +
				"price, currency and coupon are unchanged, also when two calls arrive at once. " +
				"After five minutes the provider is asked first: an order that it has closed is " +
				"replaced. With a coupon it redeems the coupon. What is free enrols at once: `orderId` is " +
				"empty and `amount` is 0. The price of a bundle is the same whatever the caller " +
				"has; it gives the courses that the caller does not have then.",
			Errors: []error{people.ErrUserNotFound, catalog.ErrCourseNotFound,
				bundle.ErrBundleNotFound, catalog.ErrCourseEnded, study.ErrCoursesRequired,
				offer.ErrCouponNotFound, offer.ErrCouponUnusable,
				payment.ErrCurrencyNotSold, study.ErrAlreadyEnrolled, sale.ErrPaymentProcessing,
				payment.ErrNotConfigured},
			Do: do((*api).createPurchase)},
		{ID: "purchase.verify", Method: http.MethodPost, Access: SignedIn, Limit: PaymentLimit,
			agents:  withAllTools,
			Path:    "/api/user/verify-gateway",
			Summary: "Verify a payment and enrol the caller",
			Description: "The proof is what the checkout of the gateway hands to the client. The " +
				"signature is the HMAC-SHA-256 of `<order id>|<payment id>` with the key secret. " +
				"Other providers, such as Stripe, are asked about the order, so that its id is " +
				"enough: while it is not paid the answer is 409, and the client asks again. " +
				"A purchase that is completed already answers the same success again. The " +
				"gateway's webhook does the same if the client does not call. If the payment " +
				"came late and the coupon of the order cannot be redeemed again, the payment is " +
				"refunded.",
			Errors: []error{payment.ErrInvalidSignature, purchase.ErrNotFound,
				payment.ErrIncomplete, sale.ErrPaymentReturned, sale.ErrPaymentOfEnded,
				payment.ErrNotConfigured},
			Do: do((*api).verifyPayment)},
	}
}

// soldRoutes returns the routes of what was bought: of buyers, and of admins.
func soldRoutes() []Route {
	return []Route{
		{ID: "purchase.list", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/purchases",
			Summary: "List the purchases of the caller",
			Description: "The newest first: paid, refunded, given up, and those that wait for a " +
				"payment.",
			query:  pages(),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).ownPurchases).answering(ownPurchasesAnswer{})},
		{ID: "purchase.get", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/purchases/:purchaseId",
			Summary: "Show a purchase of the caller",
			Description: "A client that waits for a slow payment asks here, because no limit of " +
				"payments counts it.",
			Errors: []error{purchase.ErrNotFound},
			Do:     do((*api).ownPurchase)},
		{ID: "sale.record", Method: http.MethodPost, Access: Admins, Limit: AdminLimit,
			agents:  withAllTools,
			Path:    "/api/admin/sales",
			Summary: "Record a sale that was made elsewhere",
			Description: "It becomes a completed purchase: the buyer is enrolled, unless that is " +
				"so already, and the amount counts in the revenue of the day of `soldAt`. The " +
				"same `source` and `reference` again answer the same purchase, and change nothing. It " +
				"is refunded by hand.",
			Errors: []error{people.ErrUserNotFound, catalog.ErrCourseNotFound,
				bundle.ErrBundleNotFound, sale.ErrReferenceUsed},
			Do: do((*api).recordSale)},
		{ID: "purchase.refund", Method: http.MethodPost, Access: Admins, Limit: AdminLimit,
			agents:  withAllTools,
			Path:    "/api/admin/purchases/:purchaseId/refund",
			Summary: "Refund a purchase, or a part of it, at the payment gateway",
			Description: "A repeated call with the same `Idempotency-Key` gets the same answer " +
				"for 24 hours, and refunds nothing more. Without a key, a repeated call while a " +
				"refund of the same amount is pending continues that refund and starts no other, " +
				"so it is safe after a failure. After 500 the outcome is not known: the server " +
				"asks the gateway again. `courseIds` names courses of the purchase of a bundle: what " +
				"is left of them is refunded, and a course of which nothing is left ends the " +
				"enrolment that it gave. When all is refunded the purchase is `refunded`, and " +
				"the enrolments that it gave end; the host may have decided otherwise. A free " +
				"purchase cannot be refunded. One that was sold elsewhere is marked as refunded, " +
				"`refundedBy` is `hand`, and the money is given back where it was paid.",
			Errors: []error{purchase.ErrNotFound, refund.ErrNotRefundable,
				refund.ErrKeyReused, payment.ErrNotConfigured},
			Do: do((*api).refundPurchase)},
	}
}

// paymentRoutes returns the routes of coupons and of payments as admins see them.
func paymentRoutes() []Route {
	return []Route{
		{ID: "coupon.create", Method: http.MethodPost, Access: Staff, Limit: CouponLimit,
			agents:  withAllTools,
			Path:    "/api/educator/coupons",
			Summary: "Create a coupon: for an own course, or as an admin for any or every course",
			Description: "Either `percentOff` or `amountOff`. Letters of the code are stored in " +
				"upper case, and codes are compared without case. Without `courseId` the coupon " +
				"is for every course, which only admins may create. An educator whose courses " +
				"have 1,000 coupons cannot add another one.",
			Errors: []error{catalog.ErrCourseNotFound, offer.ErrCouponExists,
				offer.ErrTooManyCoupons},
			Do: do((*api).createCoupon)},
		{ID: "coupon.list", Method: http.MethodGet, Access: Staff,
			Path:    "/api/educator/coupons",
			Summary: "List the coupons of the caller's courses, or all for an admin",
			Description: "The newest first, in full. `redemptions` counts open, completed and " +
				"refunded purchases.",
			Do: do((*api).listCoupons)},
		{ID: "coupon.change", Method: http.MethodPatch, Access: Staff, Limit: CouponLimit,
			agents:  withAllTools,
			Path:    "/api/educator/coupons/:couponId",
			Summary: "Change a coupon: stop it, or change its end or its limit",
			Description: "What is not sent stays unchanged, and null removes the end or the " +
				"limit. A limit below `redemptions` stops the coupon and takes nothing back. " +
				"Orders that are open with the coupon can still be paid.",
			Errors: []error{offer.ErrCouponNotFound},
			Do:     do((*api).changeCoupon)},
	}
}

// providerRoutes returns the routes of the webhooks of payment providers.
func providerRoutes() []Route {
	return []Route{
		{ID: "gateway.webhook", Method: http.MethodPost, Access: Signature,
			Path:    gatewayPath,
			Summary: "Receive an event of the payment gateway",
			Description: "`payment.captured` completes the purchase of the order. " +
				"`refund.processed` and `refund.failed` change what was refunded of the purchase " +
				"of the payment, each refund once, also if it was started at the gateway. Every " +
				"other event changes nothing. However many deliveries and verifications race, " +
				"there is one enrolment. An unknown purchase is 200, because a new delivery " +
				"cannot help. A failure to complete is 500, so that the gateway delivers again. " +
				"At most 1 MiB.",
			Errors: []error{errGatewaySignature, core.ErrInvalidRequest,
				payment.ErrNotConfigured, web.ErrBodyTooLarge},
			Do: raw((*api).gatewayWebhook).receiving(gatewayEventJSON{}).
				writing(jsonContent, receivedJSON{})},
		{ID: "stripe.webhook", Method: http.MethodPost, Access: Signature,
			Path:    stripePath,
			Summary: "Receive an event of Stripe",
			Description: "What an event of a payment, a refund or a dispute says is not taken from " +
				"it: Stripe is asked, so that neither the order nor the repetition of events " +
				"matters. Every other event changes nothing. The signature may be 300 seconds " +
				"old. A failure to ask is 500, so that Stripe delivers again. At most 1 MiB.",
			Errors: []error{errStripeSignature, core.ErrInvalidRequest,
				payment.ErrNotConfigured, web.ErrBodyTooLarge},
			Do: raw((*api).stripeWebhook).receiving(stripeEventJSON{}).
				writing(jsonContent, receivedJSON{})},
		{ID: "provider.webhook", Method: http.MethodPost, Access: Signature,
			Path:    providerPath + ":provider",
			Summary: "Receive an event of a payment provider of the host",
			Description: "The adapter of the provider verifies the event and says what it reports. A " +
				"name that no provider has is 404. A failure to complete is 500, so that the " +
				"provider delivers again. At most 1 MiB.",
			Errors: []error{errProviderSignature, core.ErrInvalidRequest, errUnknownProvider,
				web.ErrBodyTooLarge},
			Do: raw((*api).providerWebhook).receiving(providerEventJSON{}).
				writing(jsonContent, receivedJSON{})},
	}
}
