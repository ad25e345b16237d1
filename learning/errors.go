package learning

import (
	"errors"
	"time"

	"github.com/openlectern/openlectern/internal/record"
)

// Kind classifies an [Error]. The list is complete: a transport (HTTP, a queue, a
// command) maps each kind once.
type Kind uint8

// The kinds of failure.
const (
	Internal        Kind = iota // a failure of the platform or a provider; the caller may retry
	Invalid                     // the request itself is wrong
	Unauthenticated             // the caller is not signed in
	Forbidden                   // signed in, but not allowed
	NotFound                    // does not exist, or the caller may not know that it exists
	Conflict                    // valid, but not possible in the current state
	TooLarge                    // exceeds the limit of bytes
	RateLimited                 // too many requests
	Unavailable                 // a provider does not answer or is not configured
)

// Error is a failure that callers may see. Its message is public. Every other error
// is internal and is only logged.
type Error struct {
	Kind    Kind
	Code    string // stable, for programs: "course_not_found"
	Message string // for people: "Course not found"
}

// Error returns the public message.
func (e *Error) Error() string { return e.Message }

// RetryableError is a failure that the client may retry after After. It wraps Failure.
type RetryableError struct {
	Failure *Error
	After   time.Duration
}

// Error returns the public message.
func (p *RetryableError) Error() string { return p.Failure.Error() }

// Unwrap returns the failure.
func (p *RetryableError) Unwrap() error { return p.Failure }

// The public failures, all of them. Front ends compare the texts, so they do not change
// (docs/api.md §2).
var (
	ErrInvalidPaymentSignature = &Error{Invalid, "invalid_payment_signature", "Invalid payment signature"}
	ErrInvalidRequest          = &Error{Invalid, "invalid_request", "Invalid request data"}

	ErrUnauthenticated = &Error{Unauthenticated, "unauthenticated", "Unauthorized Access"}
	ErrForbidden       = &Error{Forbidden, "forbidden", "Unauthorized Access"}

	ErrUserNotFound     = &Error{NotFound, "user_not_found", "User Not Found"}
	ErrCourseNotFound   = &Error{NotFound, "course_not_found", "Course not found"}
	ErrPurchaseNotFound = &Error{NotFound, "purchase_not_found", "Purchase not found"}

	ErrCourseDenied   = &Error{Forbidden, "course_denied", "Access denied or course not found"}
	ErrNotPurchased   = &Error{Forbidden, "course_not_purchased", "Course not purchased"}
	ErrInvalidLecture = &Error{Invalid, "invalid_lecture", "Invalid lecture for this course"}

	ErrCourseChanged     = &Error{Conflict, "course_changed", "The course has changed. Please load it again."}
	ErrCouponNotFound    = &Error{NotFound, "coupon_not_found", "Coupon not found"}
	ErrCouponUnusable    = &Error{Conflict, "coupon_unusable", "This coupon cannot be used"}
	ErrPaymentReturned   = &Error{Conflict, "payment_returned", "This coupon cannot be used any more. Your payment is being refunded."}
	ErrKeyReused         = &Error{Conflict, "key_reused", "This key was used for another request"}
	ErrCouponExists      = &Error{Conflict, "coupon_exists", "A coupon with this code already exists"}
	ErrTooManyCoupons    = &Error{Conflict, "too_many_coupons", "Your courses have 1,000 coupons, which is the maximum. Change one of them, or ask an admin to add this one."}
	ErrNotRefundable     = &Error{Conflict, "not_refundable", "This purchase cannot be refunded"}
	ErrCourseHasStudents = &Error{Conflict, "course_has_students", "This course has students. Unpublish it instead."}

	ErrAlreadyEnrolled    = &Error{Conflict, "already_enrolled", "You are already enrolled in this course"}
	ErrEnrollmentNotFound = &Error{NotFound, "enrollment_not_found", "Enrollment not found"}

	ErrThumbnailMissing = &Error{Invalid, "thumbnail_missing", "Thumbnail Not Attached"}
	ErrThumbnailRefused = &Error{Invalid, "thumbnail_refused", "Only JPEG, PNG and WebP images up to 5 MB are allowed"}
	ErrThumbnailBusy    = &Error{Unavailable, "thumbnail_busy", "Too many images are being processed. Please try again later."}

	ErrApplicationNotFound = &Error{NotFound, "application_not_found", "Application not found"}
	ErrApplicationPending  = &Error{Conflict, "application_pending", "You already have a pending application."}
	ErrApplicationApproved = &Error{Conflict, "application_approved", "Your application has already been approved."}
	ErrAlreadyApproved     = &Error{Conflict, "already_approved", "Application is already approved."}
	ErrAlreadyRejected     = &Error{Conflict, "already_rejected", "Application is already rejected."}
	ErrBeingReviewed       = &Error{Conflict, "being_reviewed", "Application is being reviewed."}
	ErrOwnApplication      = &Error{Conflict, "own_application", "You cannot decide on your own application."}

	ErrCertificateNotFound     = &Error{NotFound, "certificate_not_found", "Certificate not found"}
	ErrCertificateNotEarned    = &Error{NotFound, "certificate_not_earned", "Certificate not available yet"}
	ErrCertificateNotGenerated = &Error{NotFound, "certificate_not_generated", "Certificate not generated yet"}
	ErrCertificateRevoked      = &Error{Conflict, "certificate_revoked", "Certificate has been revoked"}
	ErrStatusListNotFound      = &Error{NotFound, "status_list_not_found", "Status list not found"}
	ErrPublicKeyNotFound       = &Error{NotFound, "public_key_not_found", "Public key not found"}

	ErrGroupNotFound     = &Error{NotFound, "group_not_found", "Group not found"}
	ErrPostNotFound      = &Error{NotFound, "post_not_found", "Post not found"}
	ErrReplyNotFound     = &Error{NotFound, "reply_not_found", "Reply not found"}
	ErrGroupExists       = &Error{Conflict, "group_exists", "A group with this name already exists"}
	ErrNotPostAuthor     = &Error{Forbidden, "not_post_author", "Only the post author can do this"}
	ErrNotReplyAuthor    = &Error{Forbidden, "not_reply_author", "Only the reply author can do this"}
	ErrComplaintNotFound = &Error{NotFound, "report_not_found", "Report not found"}
	ErrComplaintRemoved  = &Error{Conflict, "report_removed", "What was reported has been removed already."}

	ErrChapterNotFound = &Error{NotFound, "chapter_not_found", "Chapter not found"}
	ErrQuizNotFound    = &Error{NotFound, "quiz_not_found", "Quiz not found"}
	ErrQuizChanged     = &Error{Conflict, "quiz_changed", "The quiz has changed. Please start again."}
	ErrAnswerCount     = &Error{Invalid, "answer_count", "Answer count does not match question count"}

	ErrChatNotFound = &Error{NotFound, "chat_not_found", "Chat session not found"}
	ErrChatFull     = &Error{Conflict, "chat_full", "This chat is full. Please start a new one."}
	ErrNoCourses    = &Error{Conflict, "no_courses", "Enroll in a course first"}

	ErrIdentityUnavailable   = &Error{Unavailable, "identity_unavailable", "Identity provider is unavailable"}
	ErrIdentityNotConfigured = &Error{Unavailable, "identity_not_configured", "Identity provider is not configured"}
	ErrGatewayNotConfigured  = &Error{Unavailable, "gateway_not_configured", "Payment gateway is not configured"}
	ErrMediaNotConfigured    = &Error{Unavailable, "media_not_configured", "Media store is not configured"}

	ErrCertificatesNotConfigured = &Error{Unavailable, "certificates_not_configured", "Certificates are not configured"}
	ErrCredentialsNotConfigured  = &Error{Unavailable, "credentials_not_configured", "Credential issuer is not configured"}
	ErrAINotConfigured           = &Error{Unavailable, "ai_not_configured", "AI provider is not configured"}

	ErrAIBusy   = &Error{RateLimited, "ai_busy", "Too many requests at once. Please try again later."}
	ErrAIBudget = &Error{RateLimited, "ai_budget", "Daily AI budget used up. Please try again tomorrow."}
)

// ErrBusy means that the database did not answer in time, or that a transaction was given up
// because of others on the same rows. Nothing has changed. Errors of a [Store] that mean this wrap
// it, and methods of [Platform] return them as they are, so that the log has the cause.
var ErrBusy = &RetryableError{
	Failure: &Error{Unavailable, "busy", "The server is busy. Please try again."},
	After:   5 * time.Second,
}

// Errors of a [Store]. Methods of [Platform] convert them to public errors.
var (
	// ErrNoRecord means that the row does not exist.
	ErrNoRecord = record.ErrNone
	// ErrDuplicate means that a row with the same key exists. The transaction has failed.
	ErrDuplicate = record.ErrDuplicate
	// ErrUnknownOutcome means that COMMIT was sent and not answered, and that the store
	// could not find out whether the transaction has taken effect.
	ErrUnknownOutcome = errors.New("learning: COMMIT was not answered; the transaction may have taken effect or not")
)

// Errors of a [TokenVerifier], a [WebhookVerifier] and a [Gateway].
var (
	// ErrInvalidToken means that a token is malformed, expired, wrongly signed, or of
	// another issuer.
	ErrInvalidToken = errors.New("learning: invalid token")
	// ErrInvalidWebhook means that the signature or the age of a webhook is wrong.
	ErrInvalidWebhook = errors.New("learning: invalid webhook message")
	// ErrMalformedEvent means that a provider has signed an event with invalid content, such
	// as one without a user id.
	ErrMalformedEvent = errors.New("learning: malformed event")
	// ErrRefundRefused means that the gateway has refused a refund and has not created it.
	ErrRefundRefused = errors.New("learning: the gateway refused the refund")
)
