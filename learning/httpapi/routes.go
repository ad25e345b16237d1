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
		{ID: "credential.get", Method: http.MethodGet, Path: "/api/certificate/:certificateId/credential", Access: Public,
			Summary: "Show a certificate as an Open Badges 3.0 credential, a JWT (beyond the contract)",
			Errors:  []error{learning.ErrCertificateNotFound, learning.ErrCredentialsNotConfigured}, Do: raw((*api).credential)},
		{ID: "credential.status", Method: http.MethodGet, Path: "/api/certificate/status/:list", Access: Public,
			Summary: "Show which credentials were revoked, as a Bitstring Status List, a JWT (beyond the contract)",
			Errors:  []error{learning.ErrStatusListNotFound, learning.ErrCredentialsNotConfigured}, Do: raw((*api).statusList)},
		{ID: "credential.key", Method: http.MethodGet, Path: "/api/certificate/key/:keyId", Access: Public,
			Summary: "Show a key with which credentials are verified, a JSON Web Key (beyond the contract)",
			Errors:  []error{learning.ErrPublicKeyNotFound, learning.ErrCredentialsNotConfigured}, Do: raw((*api).publicKey)},

		{ID: "certificate.verify", Method: http.MethodGet, Path: "/api/certificate/verify/:certificateId", Access: Public,
			Summary: "Verify a certificate: as JSON, or as a page for browsers",
			Errors:  []error{errUnknownCertificate}, Do: raw((*api).verifyCertificate).answering(verifyCertificateAnswer{})},

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
		{ID: "enrollment.list", Method: http.MethodGet, Path: "/api/user/enrolled-courses", Access: SignedIn,
			Summary: "List the courses that the caller is enrolled in", Do: do((*api).enrolledCourses)},
		{ID: "enrollment.get", Method: http.MethodGet, Path: "/api/user/enrolled-courses/:courseId", Access: SignedIn,
			Summary: "Show a course that the caller is enrolled in, with the URLs of all lectures",
			Errors:  []error{learning.ErrCourseDenied}, Do: do((*api).enrolledCourse)},
		{ID: "progress.update", Method: http.MethodPost, Path: "/api/user/update-course-progress", Access: SignedIn,
			Summary: "Note that the caller has completed a lecture",
			Errors:  []error{learning.ErrCourseNotFound, learning.ErrNotPurchased, learning.ErrInvalidLecture}, Do: do((*api).completeLecture)},
		{ID: "progress.get", Method: http.MethodPost, Path: "/api/user/get-course-progress", Access: SignedIn,
			Summary: "Show how far the caller is in a course", Do: do((*api).courseProgress)},
		{ID: "rating.add", Method: http.MethodPost, Path: "/api/user/add-rating", Access: SignedIn,
			Summary: "Rate a course, or change the rating",
			Errors:  []error{learning.ErrCourseNotFound, learning.ErrNotPurchased}, Do: do((*api).addRating)},
		{ID: "certificate.check", Method: http.MethodGet, Path: "/api/user/certificate/check/:courseId", Access: SignedIn,
			Summary: "Tell whether the caller has earned a certificate, and whether there is one",
			Errors:  []error{learning.ErrCourseNotFound, learning.ErrNotPurchased}, Do: do((*api).checkCertificate)},
		{ID: "certificate.generate", Method: http.MethodPost, Path: "/api/user/certificate/generate/:courseId", Access: SignedIn,
			Summary: "Make the caller's certificate, once", Errors: append([]error{learning.ErrCertificateNotEarned}, certificateErrors...),
			Do: do((*api).generateCertificate)},
		{ID: "certificate.get", Method: http.MethodGet, Path: "/api/user/certificate/:courseId", Access: SignedIn,
			Summary: "Show where the caller's certificate is", Errors: append([]error{learning.ErrCertificateNotGenerated}, certificateErrors...),
			Do: do((*api).ownCertificate)},

		{ID: "time.track", Method: http.MethodPost, Path: "/api/user/track-time", Access: SignedIn,
			Summary: "Add a visit to the caller's time", Do: do((*api).trackTime)},
		{ID: "analytics.get", Method: http.MethodGet, Path: "/api/user/analytics", Access: SignedIn,
			Summary: "Sum up the caller's time by page, day and course", Do: do((*api).analytics)},

		{ID: "application.apply", Method: http.MethodPost, Path: "/api/educator/apply", Access: SignedIn,
			Summary: "Apply to become an educator, or apply again after a rejection",
			Errors:  []error{learning.ErrApplicationPending, learning.ErrApplicationApproved}, Do: do((*api).apply)},
		{ID: "application.status", Method: http.MethodGet, Path: "/api/educator/application-status", Access: SignedIn,
			Summary: "Show the caller's own application", Do: do((*api).applicationStatus)},
		{ID: "course.add", Method: http.MethodPost, Path: "/api/educator/add-course", Access: Educators,
			Summary: "Publish a course with its thumbnail",
			Errors: []error{learning.ErrInvalidRequest, learning.ErrThumbnailMissing, learning.ErrThumbnailRefused, learning.ErrMediaNotConfigured,
				errBodyTooLarge, errNotMultipart},
			Do: raw((*api).addCourse).answering(addCourseAnswer{})},
		{ID: "educator.courses", Method: http.MethodGet, Path: "/api/educator/courses", Access: Educators,
			Summary: "List the caller's own courses, drafts too", Do: do((*api).taughtCourses)},
		{ID: "educator.dashboard", Method: http.MethodGet, Path: "/api/educator/dashboard", Access: Educators,
			Summary: "Sum up the caller's own courses", Do: do((*api).dashboard)},
		{ID: "educator.students", Method: http.MethodGet, Path: "/api/educator/enrolled-students", Access: Educators,
			Summary: "List who is enrolled in the caller's own courses", Do: do((*api).taughtStudents)},

		{ID: "admin.applications", Method: http.MethodGet, Path: "/api/admin/educator-applications", Access: Admins, Limit: AdminLimit,
			Summary: "List the applications, of one status or all", Errors: []error{learning.ErrInvalidRequest}, Do: do((*api).listApplications)},
		{ID: "admin.approve", Method: http.MethodPatch, Path: "/api/admin/educator-applications/:id/approve", Access: Admins, Limit: AdminLimit,
			Summary: "Approve an application and grant the role educator", Errors: reviewErrors, Do: do((*api).approveApplication)},
		{ID: "admin.reject", Method: http.MethodPatch, Path: "/api/admin/educator-applications/:id/reject", Access: Admins, Limit: AdminLimit,
			Summary: "Reject an application", Errors: reviewErrors, Do: do((*api).rejectApplication)},
		{ID: "admin.stats", Method: http.MethodGet, Path: "/api/admin/stats", Access: Admins, Limit: AdminLimit,
			Summary: "Count the platform", Do: do((*api).stats)},
		{ID: "admin.charts", Method: http.MethodGet, Path: "/api/admin/chart-data", Access: Admins, Limit: AdminLimit,
			Summary: "Show the top courses and the last week's revenue", Do: do((*api).charts)},
		{ID: "admin.courses", Method: http.MethodGet, Path: "/api/admin/courses", Access: Admins, Limit: AdminLimit,
			Summary: "List all courses with what they earned", Do: do((*api).courseReports)},
		{ID: "admin.purchases", Method: http.MethodGet, Path: "/api/admin/purchases", Access: Admins, Limit: AdminLimit,
			Summary: "List the purchases, of one status or all", Errors: []error{learning.ErrInvalidRequest},
			Do: raw((*api).purchaseReports).answering(purchaseReportsAnswer{})},
		{ID: "admin.users", Method: http.MethodGet, Path: "/api/admin/users", Access: Admins, Limit: AdminLimit,
			Summary: "List everybody", Do: raw((*api).userReports).answering(userReportsAnswer{})},

		{ID: "gateway.webhook", Method: http.MethodPost, Path: "/gateway", Access: Signature,
			Summary: "Take in an event of the payment gateway", Errors: []error{errGatewaySignature, learning.ErrInvalidRequest, learning.ErrGatewayNotConfigured, errBodyTooLarge},
			Do: raw((*api).gatewayWebhook)},
		{ID: "identity.webhook", Method: http.MethodPost, Path: "/idp", Access: Signature,
			Summary: "Take in an event of the identity provider", Errors: []error{learning.ErrInvalidRequest, learning.ErrIdentityNotConfigured, errBodyTooLarge},
			Do: raw((*api).identityWebhook)},

		{ID: "credential.keys", Method: http.MethodGet, Path: "/.well-known/jwks.json", Access: Public,
			Summary: "Show the keys with which credentials are verified, a JSON Web Key Set (beside the contract)",
			Errors:  []error{learning.ErrCredentialsNotConfigured}, Do: raw((*api).publicKeys)},
		{ID: "openapi", Method: http.MethodGet, Path: "/openapi.json", Access: Public,
			Summary: "Describe the API (beside the contract)", Do: raw((*api).document)},
	}
}

// reviewErrors are what a decision on an application may meet.
var reviewErrors = []error{learning.ErrApplicationNotFound, learning.ErrAlreadyApproved, learning.ErrAlreadyRejected,
	learning.ErrBeingReviewed, learning.ErrCannotApprove}

// certificateErrors are what whoever wants a certificate may meet.
var certificateErrors = []error{learning.ErrCourseNotFound, learning.ErrNotPurchased, learning.ErrCertificateRevoked,
	learning.ErrCertificatesNotConfigured, learning.ErrMediaNotConfigured}
