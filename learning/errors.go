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
	NoSpace                     // the disk or the bucket is full
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

// ImportError says why something that is imported or uploaded is refused, and what to do about it. It
// wraps Failure: [ErrPackageRefused], [ErrQuizFileRefused] or [ErrFileRefused].
type ImportError struct {
	Failure *Error
	Reason  string
}

// Error returns the public message with the reason.
func (e *ImportError) Error() string { return e.Failure.Message + ": " + e.Reason }

// Unwrap returns the failure.
func (e *ImportError) Unwrap() error { return e.Failure }

// The public failures, all of them. Front ends compare the texts, so they do not change
// (docs/api.md §2).
var (
	ErrInvalidPaymentSignature = &Error{Kind: Invalid, Code: "invalid_payment_signature",
		Message: "Invalid payment signature"}
	ErrInvalidRequest = &Error{Kind: Invalid, Code: "invalid_request",
		Message: "Invalid request data"}

	ErrUnauthenticated = &Error{Kind: Unauthenticated, Code: "unauthenticated",
		Message: "Unauthorized Access"}
	ErrForbidden = &Error{Kind: Forbidden, Code: "forbidden", Message: "Unauthorized Access"}

	ErrUserNotFound   = &Error{Kind: NotFound, Code: "user_not_found", Message: "User Not Found"}
	ErrCourseNotFound = &Error{Kind: NotFound, Code: "course_not_found",
		Message: "Course not found"}
	ErrPurchaseNotFound = &Error{Kind: NotFound, Code: "purchase_not_found",
		Message: "Purchase not found"}

	ErrCourseDenied = &Error{Kind: Forbidden, Code: "course_denied",
		Message: "Access denied or course not found"}
	ErrNotPurchased = &Error{Kind: Forbidden, Code: "course_not_purchased",
		Message: "Course not purchased"}
	ErrInvalidLecture = &Error{Kind: Invalid, Code: "invalid_lecture",
		Message: "Invalid lecture for this course"}

	ErrCourseChanged = &Error{Kind: Conflict, Code: "course_changed",
		Message: "The course has changed. Please load it again."}
	ErrCouponNotFound = &Error{Kind: NotFound, Code: "coupon_not_found",
		Message: "Coupon not found"}
	ErrCouponUnusable = &Error{Kind: Conflict, Code: "coupon_unusable",
		Message: "This coupon cannot be used"}
	ErrPaymentReturned = &Error{Kind: Conflict, Code: "payment_returned",
		Message: "This coupon cannot be used any more. Your payment is being refunded."}
	ErrKeyReused = &Error{Kind: Conflict, Code: "key_reused",
		Message: "This key was used for another request"}
	ErrCouponExists = &Error{Kind: Conflict, Code: "coupon_exists",
		Message: "A coupon with this code already exists"}
	ErrTooManyCoupons = &Error{Kind: Conflict, Code: "too_many_coupons",
		Message: "Your courses have 1,000 coupons, which is the maximum. Change one of them, or " +
			"ask an admin to add this one."}
	ErrNotRefundable = &Error{Kind: Conflict, Code: "not_refundable",
		Message: "This purchase cannot be refunded"}
	ErrCourseHasStudents = &Error{Kind: Conflict, Code: "course_has_students",
		Message: "This course has students. Unpublish it instead."}

	ErrAlreadyEnrolled = &Error{Kind: Conflict, Code: "already_enrolled",
		Message: "You are already enrolled in this course"}
	ErrEnrollmentNotFound = &Error{Kind: NotFound, Code: "enrollment_not_found",
		Message: "Enrollment not found"}

	ErrThumbnailMissing = &Error{Kind: Invalid, Code: "thumbnail_missing",
		Message: "Thumbnail Not Attached"}
	ErrThumbnailRefused = &Error{Kind: Invalid, Code: "thumbnail_refused",
		Message: "Only JPEG, PNG and WebP images up to 5 MB are allowed"}
	ErrThumbnailBusy = &Error{Kind: Unavailable, Code: "thumbnail_busy",
		Message: "Too many images are being processed. Please try again later."}

	ErrFileNotFound = &Error{Kind: NotFound, Code: "file_not_found", Message: "File not found"}
	ErrFileInUse    = &Error{Kind: Conflict, Code: "file_in_use", Message: "This file is in use"}
	ErrFileMissing  = &Error{Kind: Invalid, Code: "file_missing", Message: "File Not Attached"}
	ErrFileRefused  = &Error{Kind: Invalid, Code: "file_refused",
		Message: "Only video, audio, PDF, images, zip, office documents and text are allowed"}
	ErrFileTooLarge = &Error{Kind: TooLarge, Code: "file_too_large",
		Message: "This file is too large"}
	ErrImportRunning = &Error{Kind: Conflict, Code: "import_running",
		Message: "Your last import is still running"}
	ErrNoSpace        = &Error{Kind: NoSpace, Code: "no_space", Message: "There is no space left"}
	ErrStorageFull    = &Error{Kind: TooLarge, Code: "storage_full", Message: "Your storage is full"}
	ErrUploadNotFound = &Error{Kind: NotFound, Code: "upload_not_found",
		Message: "Upload not found"}
	ErrUploadOffset = &Error{Kind: Conflict, Code: "upload_offset",
		Message: "The upload is at another offset. Ask for it, and continue there."}
	ErrUploadBusy = &Error{Kind: Conflict, Code: "upload_busy",
		Message: "This upload is being completed. Please try again later."}

	ErrNoteNotFound   = &Error{Kind: NotFound, Code: "note_not_found", Message: "Note not found"}
	ErrReviewNotFound = &Error{Kind: NotFound, Code: "review_not_found",
		Message: "Review not found"}
	ErrTooManyNotes = &Error{Kind: Conflict, Code: "too_many_notes",
		Message: "You have 1,000 notes in this course. Please delete some first."}
	ErrPackageRefused = &Error{Kind: Invalid, Code: "package_refused",
		Message: "This package cannot be imported"}
	ErrQuizFileRefused = &Error{Kind: Invalid, Code: "quiz_file_refused",
		Message: "This quiz cannot be imported"}
	ErrPackageTooLarge = &Error{Kind: TooLarge, Code: "package_too_large",
		Message: "This course is too large for a package"}

	ErrApplicationNotFound = &Error{Kind: NotFound, Code: "application_not_found",
		Message: "Application not found"}
	ErrApplicationPending = &Error{Kind: Conflict, Code: "application_pending",
		Message: "You already have a pending application."}
	ErrApplicationApproved = &Error{Kind: Conflict, Code: "application_approved",
		Message: "Your application has already been approved."}
	ErrAlreadyApproved = &Error{Kind: Conflict, Code: "already_approved",
		Message: "Application is already approved."}
	ErrAlreadyRejected = &Error{Kind: Conflict, Code: "already_rejected",
		Message: "Application is already rejected."}
	ErrBeingReviewed = &Error{Kind: Conflict, Code: "being_reviewed",
		Message: "Application is being reviewed."}
	ErrOwnApplication = &Error{Kind: Conflict, Code: "own_application",
		Message: "You cannot decide on your own application."}

	ErrCertificateNotFound = &Error{Kind: NotFound, Code: "certificate_not_found",
		Message: "Certificate not found"}
	ErrCertificateNotEarned = &Error{Kind: NotFound, Code: "certificate_not_earned",
		Message: "Certificate not available yet"}
	ErrCertificateNotGenerated = &Error{Kind: NotFound, Code: "certificate_not_generated",
		Message: "Certificate not generated yet"}
	ErrCertificateRevoked = &Error{Kind: Conflict, Code: "certificate_revoked",
		Message: "Certificate has been revoked"}
	ErrStatusListNotFound = &Error{Kind: NotFound, Code: "status_list_not_found",
		Message: "Status list not found"}
	ErrPublicKeyNotFound = &Error{Kind: NotFound, Code: "public_key_not_found",
		Message: "Public key not found"}

	ErrGroupNotFound = &Error{Kind: NotFound, Code: "group_not_found",
		Message: "Group not found"}
	ErrPostNotFound  = &Error{Kind: NotFound, Code: "post_not_found", Message: "Post not found"}
	ErrReplyNotFound = &Error{Kind: NotFound, Code: "reply_not_found",
		Message: "Reply not found"}
	ErrGroupExists = &Error{Kind: Conflict, Code: "group_exists",
		Message: "A group with this name already exists"}
	ErrNotPostAuthor = &Error{Kind: Forbidden, Code: "not_post_author",
		Message: "Only the post author can do this"}
	ErrNotReplyAuthor = &Error{Kind: Forbidden, Code: "not_reply_author",
		Message: "Only the reply author can do this"}
	ErrComplaintNotFound = &Error{Kind: NotFound, Code: "report_not_found",
		Message: "Report not found"}
	ErrComplaintRemoved = &Error{Kind: Conflict, Code: "report_removed",
		Message: "What was reported has been removed already."}

	ErrChapterNotFound = &Error{Kind: NotFound, Code: "chapter_not_found",
		Message: "Chapter not found"}
	ErrQuizNotFound = &Error{Kind: NotFound, Code: "quiz_not_found", Message: "Quiz not found"}
	ErrQuizChanged  = &Error{Kind: Conflict, Code: "quiz_changed",
		Message: "The quiz has changed. Please start again."}
	ErrQuizEdited = &Error{Kind: Conflict, Code: "quiz_edited",
		Message: "The quiz has changed. Please load it again."}
	ErrAttemptNeeded = &Error{Kind: Conflict, Code: "attempt_needed",
		Message: "Please start an attempt"}
	ErrAttemptNotFound = &Error{Kind: NotFound, Code: "attempt_not_found",
		Message: "Attempt not found"}
	ErrDraftEmpty = &Error{Kind: Conflict, Code: "draft_empty",
		Message: "Your draft is empty. Write a text or add a file first."}
	ErrSubmissionWaiting = &Error{Kind: Conflict, Code: "submission_waiting",
		Message: "Your last submission is not graded yet. Please wait for the grade."}
	ErrSubmissionNotFound = &Error{Kind: NotFound, Code: "submission_not_found",
		Message: "Submission not found"}
	ErrSubmissionChanged = &Error{Kind: Conflict, Code: "submission_changed",
		Message: "This submission has changed. Please load it again."}
	ErrNoAttempts = &Error{Kind: Conflict, Code: "no_attempts", Message: "No attempts left"}
	ErrTimeOver   = &Error{Kind: Conflict, Code: "time_over", Message: "The time is over"}
	// An attempt that was submitted takes no answers.
	ErrAttemptSubmitted = &Error{Kind: Conflict, Code: "attempt_submitted",
		Message: "This attempt has been submitted"}
	ErrAnswerCount = &Error{Kind: Invalid, Code: "answer_count",
		Message: "Answer count does not match question count"}

	ErrChatNotFound = &Error{Kind: NotFound, Code: "chat_not_found",
		Message: "Chat session not found"}
	ErrChatFull = &Error{Kind: Conflict, Code: "chat_full",
		Message: "This chat is full. Please start a new one."}
	ErrNoCourses = &Error{Kind: Conflict, Code: "no_courses",
		Message: "Enroll in a course first"}

	ErrIdentityUnavailable = &Error{Kind: Unavailable, Code: "identity_unavailable",
		Message: "Identity provider is unavailable"}
	ErrIdentityNotConfigured = &Error{Kind: Unavailable, Code: "identity_not_configured",
		Message: "Identity provider is not configured"}
	ErrRolesNotConfigured = &Error{Kind: Unavailable, Code: "roles_not_configured",
		Message: "Roles of the identity provider are not configured"}
	ErrIdentityWebhooksNotConfigured = &Error{Kind: Unavailable,
		Code:    "identity_webhooks_not_configured",
		Message: "Webhooks of the identity provider are not configured"}
	ErrGatewayNotConfigured = &Error{Kind: Unavailable, Code: "gateway_not_configured",
		Message: "Payment gateway is not configured"}
	ErrMediaNotConfigured = &Error{Kind: Unavailable, Code: "media_not_configured",
		Message: "Media store is not configured"}
	ErrFilesNotConfigured = &Error{Kind: Unavailable, Code: "files_not_configured",
		Message: "Files are not configured"}

	ErrCertificatesNotConfigured = &Error{Kind: Unavailable, Code: "certificates_not_configured",
		Message: "Certificates are not configured"}
	ErrCredentialsNotConfigured = &Error{Kind: Unavailable, Code: "credentials_not_configured",
		Message: "Credential issuer is not configured"}
	ErrAINotConfigured = &Error{Kind: Unavailable, Code: "ai_not_configured",
		Message: "AI provider is not configured"}

	ErrAIBusy = &Error{Kind: RateLimited, Code: "ai_busy",
		Message: "Too many requests at once. Please try again later."}
	ErrAIBudget = &Error{Kind: RateLimited, Code: "ai_budget",
		Message: "Daily AI budget used up. Please try again tomorrow."}
)

// ErrBusy means that the database did not answer in time, or that a transaction was given up
// because of others on the same rows. Nothing has changed. Errors of a [Store] that mean this wrap
// it, and methods of [Platform] return them as they are, so that the log has the cause.
var ErrBusy = &RetryableError{
	Failure: &Error{Kind: Unavailable, Code: "busy",
		Message: "The server is busy. Please try again."},
	After: 5 * time.Second,
}

// Errors of a [Store]. Methods of [Platform] convert them to public errors.
var (
	// ErrNoRecord means that the row does not exist.
	ErrNoRecord = record.ErrNone
	// ErrDuplicate means that a row with the same key exists. The transaction has failed.
	ErrDuplicate = record.ErrDuplicate
	// ErrUnknownOutcome means that COMMIT was sent and not answered, and that the store
	// could not find out whether the transaction has taken effect.
	ErrUnknownOutcome = errors.New(
		"learning: COMMIT was not answered; the transaction may have taken effect or not")
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
