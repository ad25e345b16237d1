package httpapi

import (
	"net/http"

	"github.com/openlectern/learning/learning"
)

// table is every route of the contract, in its order.
func table() []Route {
	return []Route{
		{ID: "health", Method: http.MethodGet, Path: "/", Access: Public,
			Summary: "Say that the API works", Do: raw((*api).health)},

		{ID: "course.list", Method: http.MethodGet, Path: "/api/course/all", Access: Public,
			Summary: "List the published courses", Do: raw((*api).listCourses).answering(listAnswer{})},
		{ID: "course.get", Method: http.MethodGet, Path: "/api/course/:id", Access: Public,
			Summary: "Show a course; URLs of lectures that are no free preview are empty",
			Errors:  []error{learning.ErrCourseNotFound}, Do: do((*api).getCourse)},

		{ID: "user.data", Method: http.MethodGet, Path: "/api/user/data", Access: AnyToken,
			Summary: "Show the caller's record", Errors: []error{errNoUser}, Do: do((*api).userData)},
		{ID: "purchase.create", Method: http.MethodPost, Path: "/api/user/purchase", Access: SignedIn, Limit: PaymentLimit,
			Summary: "Open an order for a course, or enrol at once when it is free",
			Errors:  []error{learning.ErrUserNotFound, learning.ErrCourseNotFound, learning.ErrAlreadyEnrolled, learning.ErrGatewayNotConfigured},
			Do:      do((*api).createPurchase)},
		{ID: "purchase.verify", Method: http.MethodPost, Path: "/api/user/verify-gateway", Access: SignedIn, Limit: PaymentLimit,
			Summary: "Prove a payment, and be enrolled",
			Errors:  []error{learning.ErrInvalidPaymentSignature, learning.ErrPurchaseNotFound, learning.ErrGatewayNotConfigured},
			Do:      do((*api).verifyPayment)},

		{ID: "course.add", Method: http.MethodPost, Path: "/api/educator/add-course", Access: Educators,
			Summary: "Publish a course with its thumbnail",
			Errors: []error{learning.ErrInvalidRequest, learning.ErrThumbnailMissing, learning.ErrThumbnailRefused, learning.ErrMediaNotConfigured,
				errBodyTooLarge, errNotMultipart},
			Do: raw((*api).addCourse).answering(addCourseAnswer{})},

		{ID: "gateway.webhook", Method: http.MethodPost, Path: "/gateway", Access: Signature,
			Summary: "Take in an event of the payment gateway", Errors: []error{errGatewaySignature, learning.ErrInvalidRequest, learning.ErrGatewayNotConfigured, errBodyTooLarge},
			Do: raw((*api).gatewayWebhook)},
		{ID: "identity.webhook", Method: http.MethodPost, Path: "/idp", Access: Signature,
			Summary: "Take in an event of the identity provider", Errors: []error{learning.ErrInvalidRequest, learning.ErrIdentityNotConfigured, errBodyTooLarge},
			Do: raw((*api).identityWebhook)},

		{ID: "openapi", Method: http.MethodGet, Path: "/openapi.json", Access: Public,
			Summary: "Describe the API (beside the contract)", Do: raw((*api).document)},
	}
}
