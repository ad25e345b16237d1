package httpapi

import (
	"net/http"
	"slices"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

// table returns the route table: every route of the API. CONTRIBUTING.md lists the steps of a new
// row ("A new route"); a test fails for each one that is left out. All rows have the same form: who
// may call it, where it is, what the API document says of it, how it fails, what it does.
func table() []Route {
	return []Route{
		{ID: "health", Method: http.MethodGet, Access: Public,
			Path:    "/",
			Summary: "Check that the API works",
			Description: "Answers the text `API Working` while the process runs. It does not " +
				"look at the database.",
			Do: raw((*api).health).writing(textContent, nil)},

		{ID: courseList, Method: http.MethodGet, Access: Public,
			Path:    "/api/course/all",
			Summary: "List the published courses",
			Description: "All published courses, the oldest first, without chapters and " +
				"lectures. The answer has an ETag; with it in `If-None-Match` an unchanged list " +
				"is 304 without a body. A change is in the list of every process within a " +
				"second. A page of a search reads a bounded number of courses: it may have few " +
				"or none and a `nextCursor`, with which the search goes on.",
			query: pages(
				parameter{
					name: "q",
					text: "Only the courses that have all these words: each is the beginning of " +
						"a word of the title, the description or the educator's name. " +
						"Case and accents are ignored.",
					schema: map[string]any{"type": "string", "maxLength": 200},
				},
				parameter{
					name:   "educatorId",
					text:   "Only the courses of this educator.",
					schema: map[string]any{"type": "string"},
				},
				parameter{
					name: "sort",
					text: "The order: the newest, the most students, the highest rating or the " +
						"lowest price after the discount first. " +
						"Without it the oldest first.",
					schema: texts(string(learning.NewestCourses), string(learning.PopularCourses),
						string(learning.RatedCourses), string(learning.CheapCourses)),
				}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).listCourses).answering(coursesAnswer{}).revalidating().searching()},
		{ID: "course.get", Method: http.MethodGet, Access: Public,
			Path:    "/api/course/:id",
			Summary: "Show a course; only free previews have a URL",
			Description: "The course with its chapters and lectures, in order. An unpublished " +
				"course is not found.",
			Errors: []error{learning.ErrCourseNotFound},
			Do:     doLarge((*api).getCourse)},
		{ID: reviewList, Method: http.MethodGet, Access: Public,
			Path:    "/api/course/:id/reviews",
			Summary: "List the reviews of a course, with the numbers of its ratings",
			Description: "A page of the ratings with a text, and how many ratings there are of " +
				"each number of stars.",
			query: paged(parameter{
				name: "sort",
				text: "The order: the newest, the most stars or the fewest stars first. Without " +
					"it the newest.",
				schema: texts(string(learning.NewestReviews), string(learning.BestReviews),
					string(learning.WorstReviews)),
			}),
			Errors: []error{core.ErrInvalidRequest, learning.ErrCourseNotFound},
			Do:     do((*api).listReviews)},
		{ID: "review.report", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/course/:id/reviews/:reviewId/report",
			Summary: "Report a review to the admins",
			Description: "A repeated report of a caller about the same review changes nothing. " +
				"The author is not told who has reported it.",
			Errors: []error{learning.ErrReviewNotFound},
			Do:     do((*api).reportReview)},
		{ID: "review.answer", Method: http.MethodPut, Access: Staff, Limit: ChangeLimit,
			Path:    "/api/educator/reviews/:reviewId/answer",
			Summary: "Answer a review of an own course, or change the answer",
			Description: "For the educator of the course and for admins. Everyone can read the " +
				"answer. An empty text removes it.",
			Errors: []error{core.ErrForbidden, learning.ErrReviewNotFound},
			Do:     do((*api).answerReview)},
		{ID: "credential.get", Method: http.MethodGet, Access: Public, AnyOrigin: true,
			Path:    "/api/certificate/credential/:certificateId",
			alias:   "/api/certificate/:certificateId/credential",
			Summary: "Show a certificate as an Open Badges 3.0 credential, a JWT",
			Description: "The certificate as an Open Badges 3.0 credential, a signed JWT. A " +
				"revoked one stays readable; the status list says that it was revoked. The pages " +
				"of every origin may read it. The older path " +
				"`/api/certificate/{certificateId}/credential`, which is the `id` of the " +
				"credential, answers the same.",
			Errors: []error{learning.ErrCertificateNotFound,
				learning.ErrCredentialsNotConfigured},
			Do: raw((*api).credential).writing(jwtContent, nil)},
		{ID: "credential.status", Method: http.MethodGet, Access: Public, AnyOrigin: true,
			Path:    "/api/certificate/status/:list",
			Summary: "Show which credentials were revoked, as a Bitstring Status List, a JWT",
			Description: "The Bitstring Status List that the credentials refer to, a signed JWT. " +
				"A revocation is in it within a minute. The pages of every origin may read it.",
			Errors: []error{learning.ErrStatusListNotFound, learning.ErrCredentialsNotConfigured},
			Do:     raw((*api).statusList).writing(jwtContent, nil)},
		{ID: "credential.key", Method: http.MethodGet, Access: Public, AnyOrigin: true,
			Path:    "/api/certificate/key/:keyId",
			Summary: "Show a public key that verifies credentials, as a JSON Web Key",
			Description: "One public key as a JSON Web Key. Its URL is the `kid` of the " +
				"credentials that were signed with it. Retired keys stay. The pages of every " +
				"origin may read it.",
			Errors: []error{learning.ErrPublicKeyNotFound, learning.ErrCredentialsNotConfigured},
			Do:     raw((*api).publicKey).writing(jsonContent, publicKeyJSON{})},

		{ID: "certificate.verify", Method: http.MethodGet, Access: Public,
			Path:    "/api/certificate/verify/:certificateId",
			Summary: "Verify a certificate: as JSON, or as a page for browsers",
			Description: "Shows everything that is printed on the certificate, so that an edited " +
				"page is noticed. A revoked certificate has `valid: false`, `reason` and " +
				"`revokedAt`. A browser, whose `Accept` prefers `text/html`, gets a page, " +
				"because phones scan the QR code.",
			Errors: []error{errUnknownCertificate},
			Do: raw((*api).verifyCertificate).answering(verifyCertificateAnswer{}).
				writing(htmlContent, nil)},

		{ID: "group.list", Method: http.MethodGet, Access: OptionalAuth,
			Path:    "/api/community/groups",
			Summary: "List the groups of the community",
			Description: "All groups, the official ones first, then by number of members. " +
				"`isMember` is about the caller.",
			Do: raw((*api).listGroups).answering(groupsAnswer{})},
		{ID: "post.list", Method: http.MethodGet, Access: OptionalAuth,
			Path:    "/api/community/posts",
			Summary: "List the posts, of one group, of the caller's groups or all",
			Description: "The posts that are in no course, or with `courseId` those of that " +
				"course. The newest first, in full, or a page of them when `page`, " +
				"`limit` or `cursor` is sent. Ids of authors and voters never leave the server. " +
				"`isUpvoted` and `isAuthor` are about the caller.",
			query: []parameter{
				{name: "groupId", text: "Only the posts of this group. An unknown group has none.",
					schema: map[string]any{"type": "string"}},
				{name: "courseId",
					text: "The posts of this course, in place of those in none. Others than its " +
						"students, its educator and admins get an empty list.",
					schema: map[string]any{"type": "string"}},
				{name: "lectureId", text: "Only the posts at this lecture of the course.",
					schema: map[string]any{"type": "string"}},
				{name: "tab",
					text: "All posts, all with the most upvotes first, or those of the caller's " +
						"groups.",
					schema: texts(string(learning.AllPosts), string(learning.TrendingPosts),
						string(learning.MyGroupsPosts))},
				{name: "page",
					text: "The number of a page, from 1. Without `page`, `limit` and `cursor` " +
						"the list is answered in full.",
					schema: map[string]any{"type": "integer", "minimum": 1}},
				{name: "limit", text: "The number of posts of a page.",
					schema: map[string]any{"type": "integer", "minimum": 1, "maximum": maxPageRows,
						"default": learning.DefaultPostPage}},
				{name: "cursor",
					text: "The `nextCursor` of the page before, in place of `page`. Unlike a " +
						"number it takes the same time for every page.",
					schema: map[string]any{"type": "string"}},
			},
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).listPosts).answering(postsAnswer{})},
		{ID: "post.get", Method: http.MethodGet, Access: OptionalAuth,
			Path:    "/api/community/posts/:postId",
			Summary: "Show a post with its replies",
			Description: "The post with all its replies: the accepted one first, then the oldest " +
				"first.",
			Errors: []error{learning.ErrPostNotFound},
			Do:     raw((*api).getPost).answering(threadAnswer{})},
		{ID: "group.create", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/community/groups",
			Summary: "Create a group and join it",
			Description: "The caller becomes a member. The slug is made of the name. Names and " +
				"slugs are unique; names are compared without case.",
			Errors: []error{learning.ErrGroupExists},
			Do:     do((*api).createGroup)},
		{ID: "group.membership", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/community/groups/:groupId/membership",
			Summary: "Join or leave a group",
			Description: "A toggle: it joins the group, or leaves it. The answer has the new " +
				"state.",
			Errors: []error{learning.ErrGroupNotFound},
			Do:     do((*api).toggleMembership)},
		{ID: "post.create", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/community/posts",
			Summary: "Write a post",
			Description: "`tags` is a list, or one string with commas; the first five are kept, " +
				"each cut to 30 characters. With a `courseId` the post is for the students of the " +
				"course, its educator and admins; others get the 404 of a post.",
			Errors: []error{learning.ErrGroupNotFound, learning.ErrPostNotFound,
				learning.ErrInvalidLecture},
			Do: do((*api).createPost)},
		{ID: "post.edit", Method: http.MethodPatch, Access: SignedIn, Limit: ChangeLimit,
			Path:        "/api/community/posts/:postId",
			Summary:     "Change the title and the text of the caller's own post",
			Description: "What is not sent stays unchanged. The answer shows when, in `editedAt`.",
			Errors:      []error{learning.ErrPostNotFound, learning.ErrNotPostAuthor},
			Do:          do((*api).editPost)},
		{ID: "post.upvote", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/community/posts/:postId/upvote",
			Summary: "Add or remove an upvote on a post",
			Description: "A toggle. The answer has the new state and the number of upvotes; " +
				"upvotes at the same time each count as one.",
			Errors: []error{learning.ErrPostNotFound},
			Do:     do((*api).votePost)},
		{ID: "post.resolve", Method: http.MethodPatch, Access: SignedIn,
			Path:        "/api/community/posts/:postId/resolve",
			Summary:     "Mark the caller's own post as resolved or open",
			Description: "A toggle, for the author of the post.",
			Errors:      []error{learning.ErrPostNotFound, learning.ErrNotPostAuthor},
			Do:          do((*api).toggleResolved)},
		{ID: "post.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:    "/api/community/posts/:postId",
			Summary: "Delete a post with its replies, for its author or an admin",
			Description: "The replies and votes are deleted too. For the author of the post and " +
				"for admins.",
			Errors: []error{learning.ErrPostNotFound, learning.ErrNotPostAuthor},
			Do:     do((*api).deletePost)},
		{ID: "reply.create", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/community/posts/:postId/replies",
			Summary: "Reply to a post",
			Description: "Adds a reply of the caller. Texts are stored as they were written: " +
				"escape them where they are put into a page.",
			Errors: []error{learning.ErrPostNotFound},
			Do:     do((*api).createReply)},
		{ID: "reply.edit", Method: http.MethodPatch, Access: SignedIn, Limit: ChangeLimit,
			Path:        "/api/community/posts/:postId/replies/:replyId",
			Summary:     "Change the text of the caller's own reply",
			Description: "The answer shows when, in `editedAt`.",
			Errors: []error{learning.ErrPostNotFound, learning.ErrReplyNotFound,
				learning.ErrNotReplyAuthor},
			Do: do((*api).editReply)},
		{ID: "reply.upvote", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/community/posts/:postId/replies/:replyId/upvote",
			Summary: "Add or remove an upvote on a reply",
			Description: "A toggle. The answer has the new state and the number of upvotes; " +
				"upvotes at the same time each count as one.",
			Errors: []error{learning.ErrPostNotFound, learning.ErrReplyNotFound},
			Do:     do((*api).voteReply)},
		{ID: "reply.accept", Method: http.MethodPatch, Access: SignedIn,
			Path:    "/api/community/posts/:postId/replies/:replyId/accept",
			Summary: "Accept a reply to the caller's own post, or withdraw the acceptance",
			Description: "A toggle, for the author of the post. A post has at most one accepted " +
				"reply. Accepting resolves the post; withdrawing the acceptance leaves it " +
				"resolved.",
			Errors: []error{learning.ErrPostNotFound, learning.ErrNotPostAuthor,
				learning.ErrReplyNotFound},
			Do: do((*api).toggleAccepted)},

		{ID: "reply.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:    "/api/community/posts/:postId/replies/:replyId",
			Summary: "Delete a reply, for its author or an admin",
			Description: "The votes are deleted too. If it was the accepted reply, the post has " +
				"none any more and stays resolved.",
			Errors: []error{learning.ErrPostNotFound, learning.ErrReplyNotFound,
				learning.ErrNotReplyAuthor},
			Do: do((*api).deleteReply)},
		{ID: "complaint.create", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/community/posts/:postId/report",
			Summary: "Report a post or one of its replies to the admins",
			Description: "With `replyId` about a reply, without it about the post itself. A " +
				"repeated report of a caller about the same post or reply changes nothing. The " +
				"author is not told who has reported it.",
			Errors: []error{learning.ErrPostNotFound, learning.ErrReplyNotFound},
			Do:     do((*api).complain)},

		{ID: "user.data", Method: http.MethodGet, Access: AnyToken,
			Path:    "/api/user/data",
			Summary: "Show the caller's user record",
			Description: "The record that the identity provider's events have written. If it has " +
				"not arrived, or the user was deleted, the status is 200 with `success: false`.",
			Errors: []error{errNoUser},
			Do:     do((*api).userData)},
		{ID: "user.export", Method: http.MethodGet, Access: SignedIn, Limit: ExportLimit,
			Path:    "/api/user/export",
			Summary: "Download everything that the platform stores about the caller",
			Description: "A file, in full however long it is: the user record, the stored role, " +
				"the application, purchases, enrolments, progress, ratings, time, quiz results, " +
				"certificates, chats, the caller's part of the community, the usage of the AI " +
				"and the courses that the caller teaches. It is sent while it is read; if that " +
				"fails, the connection breaks. It has no data of other users: names of authors " +
				"and texts that were reported are left out.",
			Do: raw((*api).exportUser).answering(exportAnswer)},
		{ID: "purchase.quote", Method: http.MethodPost, Access: SignedIn, Limit: QuoteLimit,
			Path:    "/api/user/quote",
			Summary: "Show the price of a course, with a coupon or without one",
			Description: "`price` is that of the course before its discount, `discount` is what " +
				"the discount of the course and the coupon take off together, and `total` is the " +
				"rest: what a purchase costs. The coupon applies after the discount of the " +
				"course. A total between 0 and 1 becomes 1. Nothing is reserved.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrCouponNotFound,
				learning.ErrCouponUnusable},
			Do: do((*api).quote)},
		{ID: "purchase.create", Method: http.MethodPost, Access: SignedIn, Limit: PaymentLimit,
			Path:    "/api/user/purchase",
			Summary: "Open an order for a course, or enrol at once if it is free",
			Description: "Opens an order at the payment gateway; the client then starts the " +
				"checkout with `orderId` and `keyId`. A repeated call answers the same order " +
				"while price and coupon are unchanged, also when two calls arrive at once. With " +
				"a coupon it redeems the coupon. A free course enrols at once: `orderId` is " +
				"empty and `amount` is 0.",
			Errors: []error{people.ErrUserNotFound, learning.ErrCourseNotFound,
				learning.ErrCouponNotFound, learning.ErrCouponUnusable,
				learning.ErrAlreadyEnrolled, learning.ErrGatewayNotConfigured},
			Do: do((*api).createPurchase)},
		{ID: "purchase.verify", Method: http.MethodPost, Access: SignedIn, Limit: PaymentLimit,
			Path:    "/api/user/verify-gateway",
			Summary: "Verify a payment and enrol the caller",
			Description: "The proof is what the checkout of the gateway hands to the client. The " +
				"signature is the HMAC-SHA-256 of `<order id>|<payment id>` with the key secret. " +
				"A purchase that is completed already answers the same success again. The " +
				"gateway's webhook does the same if the client does not call. If the payment " +
				"came late and the coupon of the order cannot be redeemed again, the payment is " +
				"refunded.",
			Errors: []error{learning.ErrInvalidPaymentSignature, learning.ErrPurchaseNotFound,
				learning.ErrPaymentReturned, learning.ErrGatewayNotConfigured},
			Do: do((*api).verifyPayment)},
		{ID: enrolledList, Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/enrolled-courses",
			Summary: "List the courses that the caller is enrolled in",
			Description: "The oldest enrolment first, or with `sort=recent` the course that was " +
				"used last. `userRating` is the caller's rating, or null.",
			query: pages(parameter{
				name: "sort",
				text: "The order: the course first in which the caller saved a position or was " +
					"enrolled last. Without it the oldest enrolment first.",
				schema: texts(recentCourses),
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).enrolledCourses).answering(enrolledCoursesAnswer{})},
		{ID: "enrollment.get", Method: http.MethodGet, Access: SignedIn,
			Path: "/api/user/enrolled-courses/:courseId",
			Summary: "Show a course that the caller is enrolled in, with the URLs of all " +
				"lectures",
			Description: "As the public detail of the course, but with the URL of every lecture, " +
				"and where the caller was last in it.",
			Errors: []error{learning.ErrCourseDenied},
			Do:     doLarge((*api).enrolledCourse)},
		{ID: "progress.update", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/update-course-progress",
			Summary: "Mark a lecture as completed by the caller, or remove the mark",
			Description: "With `completed: false` the mark is removed; a certificate that was " +
				"issued stays. Repeating it changes nothing. `isCourseCompleted` is true when " +
				"every lecture that the course has now is completed.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrNotPurchased,
				learning.ErrInvalidLecture},
			Do: do((*api).completeLecture)},
		{ID: "progress.get", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/get-course-progress",
			Summary: "Show the caller's progress in a course",
			Description: "`progressData` is null if the caller has completed no lecture of the " +
				"course.",
			Do: do((*api).courseProgress)},
		{ID: "position.save", Method: http.MethodPut, Access: SignedIn, Limit: PositionLimit,
			Path:    "/api/user/position",
			Summary: "Save where the caller is in a lecture",
			Description: "The latest position by arrival stays. A player sends one about every " +
				"ten seconds, and when a lecture is opened or left. The caller must be enrolled.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrNotPurchased,
				learning.ErrInvalidLecture},
			Do: do((*api).savePosition)},
		{ID: "note.list", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/notes",
			Summary: "List the caller's notes in a course",
			Description: "The oldest first. They stay readable when the access to the course " +
				"has ended.",
			query: pages(parameter{
				name:   "courseId",
				text:   "The course of the notes. An unknown one has none.",
				schema: map[string]any{"type": "string"},
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).listNotes).answering(notesAnswer{})},
		{ID: "note.create", Method: http.MethodPost, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/user/notes",
			Summary: "Store a note at a lecture",
			Description: "The caller must be enrolled. A user has at most 1,000 notes in a " +
				"course.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrNotPurchased,
				learning.ErrInvalidLecture, learning.ErrTooManyNotes},
			Do: do((*api).createNote)},
		{ID: "note.change", Method: http.MethodPatch, Access: SignedIn, Limit: ChangeLimit,
			Path:        "/api/user/notes/:noteId",
			Summary:     "Change a note of the caller's",
			Description: "What is not sent stays unchanged. The caller must still be enrolled.",
			Errors:      noteErrors,
			Do:          do((*api).changeNote)},
		{ID: "note.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:        "/api/user/notes/:noteId",
			Summary:     "Delete a note of the caller's",
			Description: "The caller must still be enrolled.",
			Errors:      noteErrors,
			Do:          do((*api).deleteNote)},
		{ID: "rating.add", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/add-rating",
			Summary: "Rate a course, or change the rating",
			Description: "One rating for each user and course; a later one replaces it. With a " +
				"`review` it is shown to everyone, with the name of the caller. The caller must " +
				"be enrolled; after the end of that only an empty `review` is accepted, which " +
				"leaves the stars.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrNotPurchased},
			Do:     do((*api).addRating)},
		{ID: "certificate.list", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/certificates",
			Summary: "List the caller's certificates",
			Description: "The newest first, revoked ones included. `pdfUrl` is null for a " +
				"revoked certificate, and while the PDF is not stored: `GET " +
				"/api/user/certificate/{courseId}` stores it.",
			Do: do((*api).ownCertificates)},
		{ID: "certificate.check", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/certificate/check/:courseId",
			Summary: "Check whether the caller has completed a course, and has a certificate",
			Description: "`eligible` is true when every lecture that the course has now is " +
				"completed. The caller must be enrolled.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrNotPurchased},
			Do:     do((*api).checkCertificate)},
		{ID: "certificate.generate", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/certificate/generate/:courseId",
			Summary: "Create the caller's certificate, or return the existing one",
			Description: "There is one certificate for each user and course, however often this " +
				"is called. A repeated call answers the existing one with `created: false`. " +
				"Name, title and educator stay as they were on the day of issue.",
			Errors: append([]error{learning.ErrCertificateNotEarned}, certificateErrors...),
			Do:     do((*api).generateCertificate)},
		{ID: "certificate.get", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/certificate/:courseId",
			Summary: "Show the caller's certificate and its URL",
			Description: "`pdfUrl` is where the PDF is. A PDF that is missing is drawn again " +
				"from the record.",
			Errors: append([]error{learning.ErrCertificateNotGenerated}, certificateErrors...),
			Do:     do((*api).ownCertificate)},

		{ID: "time.track", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/track-time",
			Summary: "Add the time of a visit to a page",
			Description: "Learning time is on the path `/player/:courseId`, quiz time on " +
				"`/quiz/:courseId/:chapterId`. `duration` is in seconds. At most 86,400 seconds " +
				"count for one UTC day.",
			Do: do((*api).trackTime)},
		{ID: "analytics.get", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/user/analytics",
			Summary: "Show the caller's time by page, day and course",
			Description: "Whole seconds by UTC day. `dailyStats` has seven days, the oldest " +
				"first; the other lists are sorted by time spent. The pages `Home`, `Browse " +
				"Courses`, `Course Details`, `Analytics` and `Other` count in no total.",
			Do: do((*api).analytics)},
		{ID: "chat.ask", Method: http.MethodPost, Access: SignedIn, Limit: ChatLimit,
			Path: "/api/user/ai-chat",
			Summary: "Ask the tutor, in an existing or a new chat; the answer is JSON or " +
				"server-sent events",
			Description: "Without `sessionId`, or with one that is unknown or another user's, a " +
				"new chat begins. A chat holds at most 500 messages. On failure nothing of the " +
				"turn is stored. With `Accept: text/event-stream` the reply is sent as it is " +
				"written. With `courseId` and `lectureId` the tutor is told of the text and the " +
				"captions of a lecture that the caller may read.",
			Errors: append([]error{learning.ErrChatFull, learning.ErrCourseNotFound,
				learning.ErrInvalidLecture, learning.ErrNotPurchased}, aiErrors...),
			Do: doRaw((*api).askTutor).answering(chatTurnAnswer{}).streaming(turnEvents)},
		{ID: "chat.list", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/previous-chats",
			Summary: "List the caller's chats",
			Description: "The chat that was used last first. `messages` is the text of the first " +
				"message.",
			query:  pages(),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).previousChats).answering(chatsAnswer{})},
		{ID: "chat.get", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/user/chat/:sessionId",
			Summary:     "Show one of the caller's chats",
			Description: "All messages of the chat, the oldest first.",
			Errors:      []error{learning.ErrChatNotFound},
			Do:          raw((*api).getChat).answering(chatAnswer{})},
		{ID: "chat.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:        "/api/user/chat/:sessionId",
			Summary:     "Delete one of the caller's chats",
			Description: "Deletes the chat with all its messages.",
			Errors:      []error{learning.ErrChatNotFound},
			Do:          do((*api).deleteChat)},
		{ID: "roadmap.personal", Method: http.MethodPost, Access: SignedIn, Limit: GenerationLimit,
			Path:    "/api/user/generate-personal-roadmap",
			Summary: "Write a roadmap from the caller's courses and progress",
			Description: "The AI writes the roadmap; the share completed of each course is the " +
				"platform's own figure. The caller must be enrolled in a course.",
			Errors: append([]error{learning.ErrNoCourses}, aiErrors...),
			Do:     do((*api).personalRoadmap)},
		{ID: "roadmap.custom", Method: http.MethodPost, Access: SignedIn, Limit: GenerationLimit,
			Path:    "/api/user/generate-custom-roadmap",
			Summary: "Write a roadmap to a topic",
			Description: "The AI writes the roadmap. The topic is data in the prompt, never an " +
				"instruction.",
			Errors: aiErrors,
			Do:     do((*api).customRoadmap)},

		{ID: "application.apply", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/educator/apply",
			Summary: "Apply to become an educator, or apply again after a rejection",
			Description: "After a rejection it replaces title, bio and expertise, and " +
				"`linkedinUrl` when it is sent; the id and the time of creation stay. A " +
				"`linkedinUrl` without a scheme gets `https://`.",
			Errors: []error{learning.ErrApplicationPending, learning.ErrApplicationApproved},
			Do:     do((*api).apply)},
		{ID: "application.status", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/educator/application-status",
			Summary:     "Show the caller's own application",
			Description: "`application` is null if the caller has not applied.",
			Do:          do((*api).applicationStatus)},
		{ID: "course.add", Method: http.MethodPost, Access: Educators,
			Path:    "/api/educator/add-course",
			Summary: "Publish a course with its thumbnail",
			Description: "A form of two parts: `courseData`, JSON of at most 1 MiB, and `image`, " +
				"at most 5 MiB, whose type is found in its content. The price after the discount " +
				"is 0 or at least 1. Numbers may be sent as strings that hold one. Chapter and " +
				"lecture ids come from the client and are made when missing. The server computes " +
				"all totals.",
			Errors: thumbnailErrors,
			Do:     raw((*api).addCourse).taking(newCourse{}).answering(addCourseAnswer{})},
		{ID: "course.editable", Method: http.MethodGet, Access: SignedIn,
			Path: "/api/educator/courses/:courseId",
			Summary: "Show a course with its version and the URLs of all lectures, for its " +
				"educator and admins",
			Description: "The course as the public detail shows it, published or not, with the " +
				"URL of every lecture, and with the `version` that a change must name.",
			Errors: editErrors,
			Do:     doLarge((*api).editableCourse)},
		{ID: "course.edit", Method: http.MethodPatch, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/educator/courses/:courseId",
			Summary: "Change, publish or unpublish a course, for its educator and admins",
			Description: "Fields that are not sent stay as they are; the bounds are those of a " +
				"new course, and numbers may be strings that hold one. `courseContent` is the " +
				"whole new content: chapters and lectures keep their ids, lectures that remain " +
				"keep the progress of students, and the quiz of a chapter that is removed goes, " +
				"while its results stay. `version` is that of the course which the caller has " +
				"read; if it has changed meanwhile, the answer is 409 and nothing is changed. " +
				"`version` grows by one, unless nothing differs. An unpublished course is " +
				"neither listed nor to be bought; enrolled users keep access, and an open " +
				"order can still be paid. The body has at most 1 MiB.",
			Errors: append([]error{learning.ErrCourseChanged}, editErrors...),
			Do:     do((*api).editCourse).upTo(maxCourseData)},
		{ID: "course.thumbnail", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/educator/courses/:courseId/thumbnail",
			Summary: "Replace the picture of a course, for its educator and admins",
			Description: "A form of one part, `image`, as that of a new course. The old picture " +
				"is deleted, and the version of the course grows by one.",
			Errors: slices.Concat(editErrors, thumbnailErrors),
			Do:     raw((*api).setThumbnail).taking(imageForm{}).answering(thumbnailAnswer{})},
		{ID: "course.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:    "/api/educator/courses/:courseId",
			Summary: "Delete a course that no user has bought, for its educator and admins",
			Description: "With its quizzes and its picture. If a user is or was enrolled in the " +
				"course, or if a purchase is open, completed or refunded, the answer is 409: the " +
				"course can be unpublished instead.",
			Errors: append([]error{learning.ErrCourseHasStudents}, editErrors...),
			Do:     do((*api).deleteCourse)},
		{ID: "educator.courses", Method: http.MethodGet, Access: Educators,
			Path:        "/api/educator/courses",
			Summary:     "List the caller's own courses, drafts included",
			Description: "Drafts included, the newest first.",
			query:       pages(),
			Errors:      []error{core.ErrInvalidRequest},
			Do:          raw((*api).taughtCourses).answering(taughtCoursesAnswer{})},
		{ID: "educator.student", Method: http.MethodGet, Access: SignedIn,
			Path: "/api/educator/courses/:courseId/students/:userId",
			Summary: "Show the progress of a student in a course, for the educator of the course " +
				"and admins",
			Description: "A user who is not enrolled, also one whose enrolment has ended, is 404.",
			Errors:      append([]error{learning.ErrEnrollmentNotFound}, editErrors...),
			Do:          do((*api).studentProgress)},
		{ID: "educator.dashboard", Method: http.MethodGet, Access: Educators,
			Path:    "/api/educator/dashboard",
			Summary: "Show totals of the caller's own courses",
			Description: "What completed purchases of the caller's own courses earned less " +
				"refunds, in the configured currency, and who is enrolled.",
			Do: raw((*api).dashboard).answering(dashboardAnswer{})},
		{ID: "educator.students", Method: http.MethodGet, Access: Educators,
			Path:        "/api/educator/enrolled-students",
			Summary:     "List the students of the caller's own courses",
			Description: "The oldest enrolment first.",
			query:       pages(),
			Errors:      []error{core.ErrInvalidRequest},
			Do:          raw((*api).taughtStudents).answering(taughtStudentsAnswer{})},

		{ID: "coupon.create", Method: http.MethodPost, Access: Staff, Limit: CouponLimit,
			Path:    "/api/educator/coupons",
			Summary: "Create a coupon: for an own course, or as an admin for any or every course",
			Description: "Either `percentOff` or `amountOff`. Letters of the code are stored in " +
				"upper case, and codes are compared without case. Without `courseId` the coupon " +
				"is for every course, which only admins may create. An educator whose courses " +
				"have 1,000 coupons cannot add another one.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrCouponExists,
				learning.ErrTooManyCoupons},
			Do: do((*api).createCoupon)},
		{ID: "coupon.list", Method: http.MethodGet, Access: Staff,
			Path:    "/api/educator/coupons",
			Summary: "List the coupons of the caller's courses, or all for an admin",
			Description: "The newest first, in full. `redemptions` counts open, completed and " +
				"refunded purchases.",
			Do: do((*api).listCoupons)},
		{ID: "coupon.change", Method: http.MethodPatch, Access: Staff, Limit: CouponLimit,
			Path:    "/api/educator/coupons/:couponId",
			Summary: "Change a coupon: stop it, or change its end or its limit",
			Description: "What is not sent stays unchanged, and null removes the end or the " +
				"limit. A limit below `redemptions` stops the coupon and takes nothing back. " +
				"Orders that are open with the coupon can still be paid.",
			Errors: []error{learning.ErrCouponNotFound},
			Do:     do((*api).changeCoupon)},

		{ID: "course.text", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:    "/api/educator/courses/:courseId/lectures/:lectureId/text",
			Summary: "Replace the text of a lecture, for the educator of the course and admins",
			Description: "One text of at most 100,000 characters, so that the texts of a course may " +
				"be longer together than the body of a change may be; they have at most 16 MiB. " +
				"An empty text removes it. `version` is that of the course which the caller has " +
				"read, and grows by one, unless nothing differs. A lecture without a kind becomes " +
				"a video. The body has at most 1 MiB.",
			Errors: append([]error{learning.ErrCourseChanged, learning.ErrInvalidLecture},
				editErrors...),
			Do: do((*api).setLectureText).upTo(maxCourseData)},
		{ID: "file.upload", Method: http.MethodPost, Access: Staff, Limit: FileLimit,
			Path:    "/api/educator/files",
			Summary: "Upload a file for lectures",
			Description: "A form of one part, `file`, which is streamed. The type follows from the " +
				"content: MP4, WebM, MP3, M4A, Ogg, PDF, PNG, JPEG, WebP, zip, docx, pptx, xlsx, " +
				"odt, odp, ods, WebVTT, and text by the name (md, txt). The same content of an " +
				"owner is stored once: the answer is the file of before. An upload that breaks off " +
				"leaves nothing.",
			Errors: fileErrors,
			Do:     raw((*api).uploadFile).taking(fileForm{}).answering(fileAnswer{})},
		{ID: "file.list", Method: http.MethodGet, Access: Staff,
			Path:        "/api/educator/files",
			Summary:     "List the caller's own files",
			Description: "The newest first.",
			Errors:      []error{core.ErrInvalidRequest},
			Do:          raw((*api).listFiles).answering(filesAnswer{})},
		{ID: "file.delete", Method: http.MethodDelete, Access: Staff,
			Path:    "/api/educator/files/:fileId",
			Summary: "Delete an own file that nothing uses",
			Description: "A file that a course names, published or not, a draft, a submission or " +
				"feedback is 409. URLs that were signed before stop working.",
			Errors: []error{learning.ErrFileNotFound, learning.ErrFileInUse},
			Do:     do((*api).deleteFile)},

		{ID: "file.upload-submitted", Method: http.MethodPost, Access: SignedIn, Limit: FileLimit,
			Path:    "/api/user/files",
			Summary: "Upload a file for an assignment",
			Description: "As the upload of a file for lectures, but of at most 50 MB, and for callers " +
				"who are enrolled in a course with an assignment. Unused files have at most 1 GB " +
				"together.",
			Errors: append([]error{core.ErrForbidden}, fileErrors...),
			Do:     raw((*api).uploadSubmittedFile).taking(fileForm{}).answering(fileAnswer{})},
		{ID: "file.list-own", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/user/files",
			Summary:     "List the caller's own files",
			Description: "The newest first.",
			query:       pages(),
			Errors:      []error{core.ErrInvalidRequest},
			Do:          raw((*api).listFiles).answering(filesAnswer{})},
		{ID: "file.delete-own", Method: http.MethodDelete, Access: SignedIn,
			Path:        "/api/user/files/:fileId",
			Summary:     "Delete an own file that nothing uses",
			Description: "A file that a draft, a submission or a course names is 409.",
			Errors:      []error{learning.ErrFileNotFound, learning.ErrFileInUse},
			Do:          do((*api).deleteFile)},

		{ID: "assignment.get", Method: http.MethodGet, Access: SignedIn,
			Path:    workPath,
			Summary: "Show an assignment with the caller's draft and submissions",
			Description: "`dueAt`, `closesAt` and `attemptsLeft` are for the caller. Own work and " +
				"the feedback on it stay readable when the access to the course has ended; " +
				"`assignment` is left out then.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrNotPurchased,
				learning.ErrInvalidLecture},
			Do: do((*api).getWork)},
		{ID: "assignment.save", Method: http.MethodPut, Access: SignedIn, Limit: AnswerLimit,
			Path:    workPath,
			Summary: "Save the caller's draft in an assignment",
			Description: "It replaces the draft of before. Its files are in use from now on, and " +
				"must be the caller's. The body has at most 1 MiB.",
			Errors: workErrors,
			Do:     do((*api).saveDraft).upTo(maxWork)},
		{ID: "assignment.submit", Method: http.MethodPost, Access: SignedIn, Limit: AnswerLimit,
			Path:    workPath + "/submit",
			Summary: "Submit the caller's draft in an assignment",
			Description: "A submission does not change any more, and the next draft begins empty. " +
				"While a submission waits for its grade there is no other one: a repeated request " +
				"without a new draft gets the same answer, and one with a draft is 409. After the " +
				"due time a submission is late, by the clock of the server.",
			Errors: append([]error{learning.ErrDraftEmpty, learning.ErrSubmissionWaiting},
				workErrors...),
			Do: do((*api).submitWork)},
		{ID: "submission.list", Method: http.MethodGet, Access: Staff,
			Path:    "/api/educator/submissions",
			Summary: "List submissions in a course, or in all courses of the caller",
			Description: "The oldest first, so that a grader begins with the student who waits for " +
				"the longest time.",
			query: pages(
				parameter{
					name:   "courseId",
					text:   "The course. Without it all of which the caller is the educator.",
					schema: map[string]any{"type": "string"},
				},
				parameter{
					name: "status",
					text: "Only the submissions of this status. Without it all.",
					schema: texts(string(learning.SubmissionWaiting),
						string(learning.SubmissionGraded), string(learning.SubmissionReturned)),
				}),
			Errors: []error{core.ErrInvalidRequest, learning.ErrCourseNotFound},
			Do:     raw((*api).listSubmissions).answering(submissionsAnswer{})},
		{ID: "submission.get", Method: http.MethodGet, Access: Staff,
			Path:        "/api/educator/submissions/:submissionId",
			Summary:     "Show a submission, for the educator of the course and admins",
			Description: "With the text, the files and the feedback. A draft is not found.",
			Errors:      []error{learning.ErrSubmissionNotFound},
			Do:          do((*api).getSubmission)},
		{ID: "submission.grade", Method: http.MethodPut, Access: Staff, Limit: ChangeLimit,
			Path:    "/api/educator/submissions/:submissionId/grade",
			Summary: "Grade or return a submission, for the educator of the course and admins",
			Description: "The grade marks the lecture as completed by the student, and a return takes " +
				"the mark back; of several submissions the latest that is decided counts. A " +
				"submission may be decided again, and the decision replaces the one before. If " +
				"`version` is not the current one, the answer is 409. The files must be the " +
				"caller's. The body has at most 1 MiB.",
			Errors: []error{learning.ErrSubmissionNotFound, learning.ErrSubmissionChanged},
			Do:     do((*api).gradeSubmission).upTo(maxWork)},

		{ID: "upload.create", Method: http.MethodPost, Access: Staff, Limit: FileLimit,
			Path:    "/api/educator/uploads",
			Summary: "Begin a resumable upload of a file",
			Description: "The protocol is tus 1.0.0 with the extensions creation, " +
				"creation-with-upload, expiration and termination. The size counts as that of " +
				"an unused file from now on. The body may be the beginning of the file. " +
				"`Upload-Concat` is refused.",
			Errors: []error{core.ErrInvalidRequest, learning.ErrFileRefused,
				learning.ErrFileTooLarge, learning.ErrStorageFull, learning.ErrNoSpace,
				learning.ErrFilesNotConfigured, errTusVersion, errNotOffset},
			Do: raw((*api).createUpload).resuming(http.StatusCreated).
				heading("Location", "Upload-Offset", "Upload-Expires")},
		{ID: "upload.get", Method: http.MethodGet, Access: Staff,
			Path:    "/api/educator/uploads/:uploadId",
			Summary: "Show an own upload, and its file once it is complete",
			Description: "HEAD answers the same in headers, as tus 1.0.0 says. An upload that has " +
				"expired is not found.",
			Errors: []error{learning.ErrUploadNotFound, errTusVersion},
			Do: raw((*api).showUpload).answering(uploadAnswer{}).heading("Upload-Offset",
				"Upload-Length", "Upload-Metadata", "Upload-Expires")},
		{ID: "upload.append", Method: http.MethodPatch, Access: Staff, Limit: UploadLimit,
			Path:    "/api/educator/uploads/:uploadId",
			Summary: "Send the next bytes of an own upload",
			Description: "What has arrived is kept when the connection breaks: HEAD says how many " +
				"bytes that are. With the last byte the file is made as by `file.upload`; GET of " +
				"the upload has it. If its type may not be uploaded, the upload is removed.",
			Errors: []error{core.ErrInvalidRequest, learning.ErrUploadNotFound,
				learning.ErrUploadOffset, learning.ErrUploadBusy, learning.ErrFileRefused,
				learning.ErrFileTooLarge, learning.ErrNoSpace, learning.ErrFilesNotConfigured,
				errTusVersion, errNotOffset},
			Do: raw((*api).appendUpload).resuming(http.StatusNoContent).
				heading("Upload-Offset", "Upload-Expires")},
		{ID: "upload.delete", Method: http.MethodDelete, Access: Staff,
			Path:    "/api/educator/uploads/:uploadId",
			Summary: "Give up an own upload",
			Description: "What is stored of it is removed; it no longer counts to the storage. " +
				"The file of a complete upload stays.",
			Errors: []error{learning.ErrUploadNotFound, errTusVersion},
			Do:     raw((*api).deleteUpload).emptily(http.StatusNoContent)},
		{ID: "package.export", Method: http.MethodGet, Access: SignedIn, Limit: PackageLimit,
			Path:    "/api/educator/courses/:courseId/package",
			Summary: "Download a course as a package, for its educator and admins",
			Description: "A zip with the texts, quizzes, files and thumbnail of the course, without " +
				"ids, people and times (docs/packages.md). The same course has the same package, to " +
				"the byte. A connection that breaks means that the package is not whole. A course " +
				"of more than 5 GB or 10,000 files is 413.",
			Errors: append([]error{learning.ErrCourseChanged, learning.ErrPackageTooLarge,
				learning.ErrFilesNotConfigured}, editErrors...),
			Do: raw((*api).exportPackage).writing(zipContent, nil)},
		{ID: "package.import", Method: http.MethodPost, Access: Educators, Limit: PackageLimit,
			Path:    "/api/educator/packages",
			Summary: "Import a package as a draft of the caller's own",
			Description: "A form of one part, `file`: a package of `GET " +
				"/api/educator/courses/{courseId}/package`, which is imported without a loss, or an " +
				"IMS Common Cartridge 1.1, 1.2 or 1.3, whose files, pages, links and quizzes are " +
				"imported. `skipped` names what was not imported, and why. A package that is refused leaves " +
				"nothing, and the message of the 400 ends with the reason. At most 5 GB unpacked, " +
				"10,000 entries, and 100 times the size of the zip.",
			Errors: []error{core.ErrInvalidRequest, learning.ErrFileMissing,
				learning.ErrPackageRefused, learning.ErrFileTooLarge, learning.ErrStorageFull,
				learning.ErrImportRunning, learning.ErrNoSpace, learning.ErrMediaNotConfigured,
				learning.ErrFilesNotConfigured,
				learning.ErrThumbnailBusy, errNotMultipart},
			Do: raw((*api).importPackage).taking(fileForm{}).answering(importAnswer{})},

		{ID: "quiz.editable", Method: http.MethodGet, Access: SignedIn,
			Path: quizPath,
			Summary: "Show the quiz of a chapter with its solutions, for the educator of the course " +
				"and admins",
			Errors: append([]error{learning.ErrQuizNotFound}, editErrors...),
			Do:     do((*api).editableQuiz)},
		{ID: "quiz.export", Method: http.MethodGet, Access: SignedIn,
			Path: quizPath + "/qti",
			Summary: "Download the quiz of a chapter as a QTI 1.2 file, for the educator of the " +
				"course and admins",
			Description: "Questions of all kinds with their solutions, the time and the attempts " +
				"(docs/packages.md).",
			Errors: append([]error{learning.ErrQuizNotFound}, editErrors...),
			Do:     raw((*api).exportQuiz).writing(xmlContent, nil)},
		{ID: "quiz.save", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:    quizPath,
			Summary: "Save a quiz that is written by hand, for the educator of the course and admins",
			Description: "The whole quiz, which replaces the one that is stored. From then on the AI " +
				"writes none of the chapter. `version` is that of the quiz which the caller has " +
				"read; if it has changed meanwhile, the answer is 409. Attempts that have begun " +
				"keep their questions. The body has at most 1 MiB.",
			Errors: append([]error{learning.ErrChapterNotFound, learning.ErrQuizEdited},
				editErrors...),
			Do: do((*api).saveQuiz).upTo(maxQuiz)},
		{ID: "quiz.import", Method: http.MethodPut, Access: SignedIn, Limit: ChangeLimit,
			Path:    quizPath + "/qti",
			Summary: "Save the quiz of a QTI 1.2 file, for the educator of the course and admins",
			Description: "A form of one part, `file`, of at most 8 MiB: a document, or a zip that holds " +
				"one quiz. The quiz replaces the one that is stored, as one by hand. `skipped` names " +
				"what was not imported, and why. The message of the 400 for a file without a question " +
				"that can be imported ends with the reason.",
			query: []parameter{{
				name: "version",
				text: "The version of the quiz that the caller has read, 0 for none; if it has changed " +
					"meanwhile, the answer is 409. Without it the quiz replaces any.",
				schema: map[string]any{"type": "integer", "minimum": 0},
			}},
			Errors: append([]error{core.ErrInvalidRequest, learning.ErrChapterNotFound,
				learning.ErrQuizEdited, learning.ErrFileMissing, learning.ErrQuizFileRefused,
				learning.ErrFileTooLarge, learning.ErrImportRunning, learning.ErrNoSpace,
				errNotMultipart}, editErrors...),
			Do: raw((*api).importQuiz).taking(fileForm{}).answering(importedQuizAnswer{})},
		{ID: "quiz.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:        quizPath,
			Summary:     "Delete the quiz of a chapter, for the educator of the course and admins",
			Description: "Its results stay. From then on the AI writes no quiz of the chapter.",
			Errors:      append([]error{learning.ErrQuizNotFound}, editErrors...),
			Do:          do((*api).deleteQuiz)},
		{ID: "quiz.student-results", Method: http.MethodGet, Access: SignedIn,
			Path:    quizPath + "/results",
			Summary: "List the results of a quiz, for the educator of the course and admins",
			Description: "A page of the results of all students, the newest first, without their " +
				"answers. They stay when the quiz or the chapter is removed.",
			query:  paged(formatParameter),
			Errors: append([]error{core.ErrInvalidRequest}, editErrors...),
			Do: raw((*api).studentResults).answering(studentResultsAnswer{}).
				writing(csvContent, nil)},
		{ID: "quiz.stats", Method: http.MethodGet, Access: SignedIn,
			Path: quizPath + "/questions",
			Summary: "Show the figures of a quiz and its questions, for the educator of the course " +
				"and admins",
			Description: "The figures are kept, so that an answer takes the same time however many " +
				"attempts there are. Attempts that were marked by a version before this route count " +
				"in the first three fields only.",
			query:  []parameter{formatParameter},
			Errors: append([]error{core.ErrInvalidRequest}, editErrors...),
			Do:     raw((*api).quizStats).answering(quizStatsAnswer{}).writing(csvContent, nil)},
		{ID: "quiz.generate", Method: http.MethodPost, Access: Educators, Limit: GenerationLimit,
			Path:    "/api/quiz/generate",
			Summary: "Rewrite the quiz of a chapter of the caller's own course",
			Description: "The AI writes the questions. What it answers is checked against a " +
				"schema, and asked for once more before the call fails. `version` changes with " +
				"the questions. The caller must own the course. If the quiz was saved or deleted by " +
				"hand, the answer is a draft, and nothing is stored.",
			Errors: append([]error{learning.ErrCourseNotFound, learning.ErrChapterNotFound},
				aiErrors...),
			Do: do((*api).generateQuiz)},
		{ID: "quiz.insights", Method: http.MethodGet, Access: Educators,
			Path:        "/api/quiz/educator-insights",
			Summary:     "Show totals of the attempts at quizzes of the caller's own courses",
			Description: "One row for each quiz with attempts, the most attempts first.",
			Do:          do((*api).quizInsights)},
		{ID: "quiz.submit", Method: http.MethodPost, Access: SignedIn, Limit: QuizLimit,
			Path:    "/api/quiz/submit",
			Summary: "Submit answers to a quiz, and get the mark and recommendations",
			Description: "Send the `version` of the quiz that was answered: answers to another " +
				"version are 409. The attempt is stored before the AI is asked for " +
				"recommendations; when the AI fails, they are made from the wrong answers. Each " +
				"line of `recommendations` begins with `• `.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrNotPurchased,
				learning.ErrQuizNotFound, learning.ErrAttemptNeeded, learning.ErrQuizChanged,
				learning.ErrAnswerCount},
			Do: do((*api).submitQuiz)},
		{ID: "quiz.marks", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/quiz/my-results",
			Summary:     "List the caller's attempts at all quizzes",
			Description: "Every attempt at every quiz, the newest first.",
			query:       pages(),
			Errors:      []error{core.ErrInvalidRequest},
			Do:          raw((*api).quizMarks).answering(quizMarksAnswer{})},
		{ID: "quiz.results", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/quiz/results/:courseId/:chapterId",
			Summary:     "List the caller's attempts at the quiz of a chapter",
			Description: "Every attempt with its answers, the newest first.",
			Do:          do((*api).quizResults)},
		{ID: "quiz.course-marks", Method: http.MethodGet, Access: SignedIn,
			Path:        "/api/quiz/course-results/:courseId",
			Summary:     "List the caller's attempts at the quizzes of a course",
			Description: "Every attempt at the quizzes of the course, the newest first.",
			Do:          do((*api).courseQuizMarks)},
		{ID: "attempt.start", Method: http.MethodPost, Access: SignedIn, Limit: QuizLimit,
			Path:    "/api/quiz/attempts",
			Summary: "Begin an attempt at a quiz, or show the open one",
			Description: "An open attempt is answered again, with the same questions in the same " +
				"order and with the answers that were saved. The server keeps the time and counts " +
				"the attempts. What is given stays, whatever becomes of the quiz.",
			Errors: []error{learning.ErrCourseNotFound, learning.ErrNotPurchased,
				learning.ErrQuizNotFound, learning.ErrNoAttempts},
			Do: do((*api).startAttempt)},
		{ID: "attempt.list", Method: http.MethodGet, Access: SignedIn,
			Path:    "/api/quiz/attempts",
			Summary: "Show what a quiz is, and list the caller's attempts at it",
			Description: "It begins no attempt and has neither questions nor solutions. Own attempts " +
				"stay readable when the access to the course has ended; `quiz` is null then. An " +
				"attempt whose time is over is marked by the answers that were saved.",
			query: paged(
				parameter{name: "courseId", text: "The course of the quiz.",
					schema: map[string]any{"type": "string"}},
				parameter{name: "chapterId", text: "The chapter of the quiz.",
					schema: map[string]any{"type": "string"}},
			),
			Errors: []error{core.ErrInvalidRequest, learning.ErrCourseNotFound,
				learning.ErrNotPurchased},
			Do: do((*api).listAttempts)},
		{ID: "attempt.get", Method: http.MethodGet, Access: SignedIn,
			Path:    attemptPath,
			Summary: "Show an attempt of the caller, with its result if it is marked",
			Description: "Also after the access to the course has ended. An attempt whose time is " +
				"over is marked by the answers that were saved.",
			Errors: []error{learning.ErrAttemptNotFound},
			Do:     do((*api).getAttempt)},
		{ID: "attempt.save", Method: http.MethodPut, Access: SignedIn, Limit: AnswerLimit,
			Path:    attemptPath,
			Summary: "Save answers of an open attempt of the caller",
			Description: "Answers to other questions stay. What is saved counts, also if the " +
				"caller does not come back. The body has at most 1 MiB.",
			Errors: []error{learning.ErrAttemptNotFound, learning.ErrNotPurchased,
				learning.ErrTimeOver, learning.ErrAttemptSubmitted},
			Do: do((*api).saveAnswers).upTo(maxQuiz).judging()},
		{ID: "attempt.submit", Method: http.MethodPost, Access: SignedIn, Limit: AnswerLimit,
			Path:    attemptPath + "/submit",
			Summary: "Submit an attempt of the caller, and get the mark and recommendations",
			Description: "An attempt is marked once, by the questions that were given; a " +
				"repetition gets the same result. After the end the answers of the body are " +
				"ignored, also if they are not valid, and those that were saved count. The body " +
				"has at most 1 MiB.",
			Errors: []error{learning.ErrAttemptNotFound, learning.ErrNotPurchased},
			Do:     do((*api).submitAttempt).upTo(maxQuiz).judging()},
		{ID: "quiz.get", Method: http.MethodGet, Access: SignedIn,
			Limit: GenerationLimit, onDemand: true,
			Path: "/api/quiz/:courseId/:chapterId",
			Summary: "Show the quiz of a chapter, or write it if there is none; only the owner " +
				"of the course gets the solutions",
			Description: "For enrolled users and the owner of the course. Only the owner gets " +
				"`correctIndex` and `explanation`. However many callers ask at once for a quiz " +
				"that does not exist, one AI call is made; only the caller who starts it takes a " +
				"token of the rate limit. A quiz that was saved by hand is answered if it has 1 to " +
				"20 questions with four options, one of them right, of 1 point, and neither " +
				"`draw`, `shuffle`, `minutes` nor `attempts`; any other is 409, and taken by an " +
				"attempt. One that was deleted by hand is 404.",
			Errors: append([]error{learning.ErrCourseNotFound, learning.ErrNotPurchased,
				learning.ErrChapterNotFound, learning.ErrQuizNotFound, learning.ErrAttemptNeeded},
				aiErrors...),
			Do: raw((*api).getQuiz).answering(quizAnswer{})},

		{ID: "admin.applications", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:        "/api/admin/educator-applications",
			Summary:     "List the applications, of one status or all",
			Description: "The newest first.",
			query: pages(parameter{
				name: "status",
				text: "Only the applications of this status.",
				schema: texts(string(people.ApplicationPending),
					string(people.ApplicationApproved), string(people.ApplicationRejected)),
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).listApplications).answering(applicationsAnswer{})},
		{ID: "admin.approve", Method: http.MethodPatch, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/educator-applications/:id/approve",
			Summary: "Approve an application and grant the role educator",
			Description: "The role is written at the identity provider and holds at once, with " +
				"tokens that were issued before. If the provider fails, the application stays " +
				"pending. No admin decides on an application of their own.",
			Errors: reviewErrors,
			Do:     do((*api).approveApplication)},
		{ID: "admin.reject", Method: http.MethodPatch, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/educator-applications/:id/reject",
			Summary: "Reject an application",
			Description: "The applicant may read `reason`, and apply again. No admin decides on " +
				"an application of their own.",
			Errors: reviewErrors,
			Do:     do((*api).rejectApplication)},
		{ID: "admin.stats", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/stats",
			Summary: "Show totals of the platform",
			Description: "Students are all user records. Revenue is what was paid for completed " +
				"purchases less what was refunded, in the configured currency.",
			Do: do((*api).stats)},
		{ID: "admin.charts", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/chart-data",
			Summary: "Show the top courses and the last week's revenue",
			Description: "At most six courses, the most enrolments first; titles are cut to 22 " +
				"characters. The revenue of seven UTC days, the oldest first; a refund reduces " +
				"the revenue of the day of its purchase.",
			Do: do((*api).charts)},
		{ID: "admin.courses", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/courses",
			Summary: "List all courses with their revenue",
			Description: "Drafts included, the newest first, with the number of completed " +
				"purchases and what they earned less refunds.",
			query:  pages(),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).courseReports).answering(courseReportsAnswer{})},
		{ID: "admin.purchases", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:        "/api/admin/purchases",
			Summary:     "List the purchases, of one status or all",
			Description: "The newest first, in full.",
			query: pages(parameter{
				name: "status",
				text: "Only the purchases of this status; `all` is every one.",
				schema: texts("all", string(learning.PurchaseCreated),
					string(learning.PurchasePending), string(learning.PurchaseCompleted),
					string(learning.PurchaseFailed), string(learning.PurchaseRefunded)),
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).purchaseReports).answering(purchaseReportsAnswer{})},
		{ID: "purchase.refund", Method: http.MethodPost, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/purchases/:purchaseId/refund",
			Summary: "Refund a purchase, or a part of it, at the payment gateway",
			Description: "A repeated call with the same `Idempotency-Key` gets the same answer " +
				"for 24 hours, and refunds nothing more. Without a key, a repeated call while a " +
				"refund of the same amount is pending continues that refund and starts no other, " +
				"so it is safe after a failure. After 500 the outcome is not known: the server " +
				"asks the gateway again. When all is refunded the purchase is `refunded`, and " +
				"the enrolment that it gave ends; the host may have decided otherwise. A free " +
				"purchase cannot be refunded.",
			Errors: []error{learning.ErrPurchaseNotFound, learning.ErrNotRefundable,
				learning.ErrKeyReused, learning.ErrGatewayNotConfigured},
			Do: do((*api).refundPurchase)},
		{ID: "admin.users", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/users",
			Summary: "List all users",
			Description: "The newest first, in full, or in pages. `q` searches names and e-mail " +
				"addresses, and `role` selects users by their role; with one of them the answer " +
				"is a page. The role of a user is the recorded one, else `student`. A page of a " +
				"search reads a bounded number of users: it may have few or none and a " +
				"`nextCursor`, with which the search goes on.",
			query: pages(
				parameter{
					name: "q",
					text: "Only the users who have all these words: each is the beginning of a " +
						"word of the name or the e-mail address. " +
						"Case and accents are ignored.",
					schema: map[string]any{"type": "string", "maxLength": 200},
				},
				parameter{
					name: "role",
					text: "Only the users with this `role` in the answer.",
					schema: texts(string(core.Student), string(core.Educator),
						string(core.Admin)),
				}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).userReports).answering(userReportsAnswer{}).searching()},
		{ID: "admin.enrollments", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/enrollments",
			Summary: "List active and past enrolments, of one user, one course or all",
			Description: "Those that began last first, in pages. `endedAt` is null while the " +
				"enrolment is active. `origin` says whether a purchase, a free course or an " +
				"admin gave it.",
			query: paged(
				parameter{
					name:   "userId",
					text:   "Only the enrolments of this user. An unknown user has none.",
					schema: map[string]any{"type": "string"},
				},
				parameter{
					name:   "courseId",
					text:   "Only the enrolments in this course. An unknown course has none.",
					schema: map[string]any{"type": "string"},
				}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     do((*api).enrollments)},
		{ID: "admin.enroll", Method: http.MethodPost, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/enrollments",
			Summary: "Enrol a user in a course without a purchase",
			Description: "The course may be unpublished. `created` is false if the user is " +
				"enrolled already; a buyer has the grant beside the purchase then. An open order " +
				"of the user can still be paid, and is then completed without another enrolment.",
			Errors: []error{people.ErrUserNotFound, learning.ErrCourseNotFound},
			Do:     do((*api).grantEnrollment)},
		{ID: "admin.end-enrollment", Method: http.MethodDelete, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/enrollments/:userId/:courseId",
			Summary: "End the enrolment of a user in a course",
			Description: "Whatever the enrolment came from. Progress, results and certificates " +
				"stay, and the progress is there again when the user buys the course or is " +
				"enrolled again.",
			Errors: []error{people.ErrUserNotFound, learning.ErrCourseNotFound,
				learning.ErrEnrollmentNotFound},
			Do: do((*api).endEnrollment)},
		{ID: "complaint.list", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/reports",
			Summary: "List what users have reported, of one status or all",
			Description: "The newest first, in pages. `excerpt` is the beginning of what was " +
				"reported, as it was then.",
			query: paged(parameter{
				name: "status",
				text: "Only the reports of this status.",
				schema: texts(string(learning.ComplaintOpen), string(learning.ComplaintDismissed),
					string(learning.ComplaintRemoved)),
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     do((*api).complaints)},
		{ID: "complaint.decide", Method: http.MethodPatch, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/reports/:reportId",
			Summary: "Dismiss a report, or remove what was reported",
			Description: "`removed` deletes the post or the reply, and closes all reports about " +
				"it. A report whose target was deleted by anyone is `removed` already and cannot " +
				"be dismissed.",
			Errors: []error{learning.ErrComplaintNotFound, learning.ErrComplaintRemoved},
			Do:     do((*api).decideComplaint)},

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
				learning.ErrGatewayNotConfigured, web.ErrBodyTooLarge},
			Do: raw((*api).gatewayWebhook).receiving(gatewayEventJSON{}).
				writing(jsonContent, receivedJSON{})},
		{ID: "identity.webhook", Method: http.MethodPost, Access: Signature,
			Path:    identityPath,
			Summary: "Receive an event of the identity provider",
			Description: "`user.created` and `user.updated` write the record, in any order and " +
				"however often; `user.deleted` clears it. An event that is older than the last " +
				"one applied changes nothing. A message that cannot be verified is 500. At most " +
				"1 MiB.",
			Errors: []error{core.ErrInvalidRequest,
				people.ErrIdentityWebhooksNotConfigured, web.ErrBodyTooLarge},
			Do: raw((*api).identityWebhook).receiving(identityEventJSON{}).
				writing(jsonContent, emptyJSON{})},

		{ID: "credential.keys", Method: http.MethodGet, Access: Public, AnyOrigin: true,
			Path:    "/.well-known/jwks.json",
			Summary: "Show the public keys that verify credentials, as a JSON Web Key Set",
			Description: "The current public key and the retired ones as a JSON Web Key Set. The " +
				"pages of every origin may read it.",
			Errors: []error{learning.ErrCredentialsNotConfigured},
			Do:     raw((*api).publicKeys).writing(jsonContent, publicKeysJSON{})},
		{ID: "openapi", Method: http.MethodGet, Access: Public,
			Path:    "/openapi.json",
			Summary: "Describe the API as an OpenAPI document",
			Description: "This document. It is made from the table from which the server routes. " +
				"With its ETag in `If-None-Match` the answer is 304 without a body.",
			Do: raw((*api).serveOpenAPI).writing(jsonContent, documentJSON{}).revalidating()},
		{ID: "docs", Method: http.MethodGet, Access: Public,
			Path:    "/docs",
			Summary: "Show the reference page of the API",
			Description: "A page with this document, on which requests can be tried. Everything " +
				"that it loads comes from this server.",
			Do: raw((*api).serveDocs).writing(htmlContent, nil)},
		{ID: "docs.file", Method: http.MethodGet, Access: Public, undocumented: true,
			Path:    "/docs/:file",
			Summary: "Send a file of the reference page",
			Errors:  []error{errNoDocsFile},
			Do:      raw((*api).serveDocsFile)},
	}
}

// aiErrors are the failures of routes that call the AI.
var aiErrors = []error{learning.ErrAINotConfigured, learning.ErrAIBusy, learning.ErrAIBudget}

// thumbnailErrors are the failures of routes that take the picture of a course.
var thumbnailErrors = []error{core.ErrInvalidRequest, learning.ErrThumbnailMissing,
	learning.ErrThumbnailRefused, learning.ErrThumbnailBusy, learning.ErrMediaNotConfigured,
	learning.ErrNoSpace, web.ErrBodyTooLarge, errNotMultipart}

// noteErrors are the failures of a change of a note.
var noteErrors = []error{learning.ErrNoteNotFound, learning.ErrNotPurchased}

// workPath is the path of an assignment for its students, and maxWork the largest JSON body with
// work or a grade, in bytes.
const (
	workPath = "/api/user/assignments/:courseId/:lectureId"
	maxWork  = 1 << 20
)

// workErrors are the failures of changes of the work on an assignment.
var workErrors = []error{learning.ErrCourseNotFound, learning.ErrNotPurchased,
	learning.ErrInvalidLecture, learning.ErrTimeOver, learning.ErrNoAttempts}

// quizPath is the path of a quiz for its editors.
const quizPath = "/api/educator/courses/:courseId/quizzes/:chapterId"

// attemptPath is the path of an attempt.
const attemptPath = "/api/quiz/attempts/:attemptId"

// fileErrors are the failures of an upload of a file.
var fileErrors = []error{core.ErrInvalidRequest, learning.ErrFileMissing,
	learning.ErrFileRefused, learning.ErrFileTooLarge, learning.ErrStorageFull,
	learning.ErrNoSpace, learning.ErrFilesNotConfigured, errNotMultipart}

// editErrors are the failures of routes for the editors of a course.
var editErrors = []error{core.ErrForbidden, learning.ErrCourseNotFound}

// reviewErrors are the failures of a decision on an application.
var reviewErrors = []error{learning.ErrApplicationNotFound, learning.ErrAlreadyApproved,
	learning.ErrAlreadyRejected, learning.ErrBeingReviewed, learning.ErrOwnApplication,
	people.ErrRolesNotConfigured}

// certificateErrors are the failures of routes that answer a certificate.
var certificateErrors = []error{learning.ErrCourseNotFound, learning.ErrNotPurchased,
	learning.ErrCertificateRevoked, learning.ErrCertificatesNotConfigured,
	learning.ErrNoSpace, learning.ErrMediaNotConfigured}
