package httpapi

// descriptions say in the API document what the summaries of the routes of the table have no
// room for, by route id. docs/api.md has the rules in full.
var descriptions = map[string]string{
	"health": "Answers the text `API Working` while the process runs. It does not look at the database.",

	"course.list": "All published courses, the oldest first, without chapters and lectures. The answer has an ETag; with it in `If-None-Match` an " +
		"unchanged list is 304 without a body. A change is in the list of every process within a second. A page of a search reads a bounded number " +
		"of courses: it may have few or none and a `nextCursor`, with which the search goes on.",
	"course.get": "The course with its chapters and lectures, in order. An unpublished course is not found.",
	"credential.get": "The certificate as an Open Badges 3.0 credential, a signed JWT. A revoked one stays readable; the status list says that it was " +
		"revoked. The pages of every origin may read it. The older path `/api/certificate/{certificateId}/credential`, which is the `id` of the " +
		"credential, answers the same.",
	"credential.status": "The Bitstring Status List that the credentials refer to, a signed JWT. A revocation is in it within a minute. The pages of " +
		"every origin may read it.",
	"credential.key": "One public key as a JSON Web Key. Its URL is the `kid` of the credentials that were signed with it. Retired keys stay. The pages " +
		"of every origin may read it.",
	"credential.keys": "The current public key and the retired ones as a JSON Web Key Set. The pages of every origin may read it.",

	"certificate.verify": "Shows everything that is printed on the certificate, so that an edited page is noticed. A revoked certificate has " +
		"`valid: false`, `reason` and `revokedAt`. A browser, whose `Accept` prefers `text/html`, gets a page, because phones scan the QR code.",
	"certificate.list": "The newest first, revoked ones included. `pdfUrl` is null for a revoked certificate, and while the PDF is not stored: " +
		"`GET /api/user/certificate/{courseId}` stores it.",
	"certificate.check": "`eligible` is true when every lecture that the course has now is completed. The caller must be enrolled.",
	"certificate.generate": "There is one certificate for each user and course, however often this is called. A repeated call answers the existing one with " +
		"`created: false`. Name, title and educator stay as they were on the day of issue.",
	"certificate.get": "`pdfUrl` is where the PDF is. A PDF that is missing is drawn again from the record.",

	"group.list": "All groups, the official ones first, then by number of members. `isMember` is about the caller.",
	"post.list": "The newest posts first, in full, or a page of them when `page`, `limit` or `cursor` is sent. Ids of authors and voters never leave the server. " +
		"`isUpvoted` and `isAuthor` are about the caller.",
	"post.get":         "The post with all its replies: the accepted one first, then the oldest first.",
	"group.create":     "The caller becomes a member. The slug is made of the name. Names and slugs are unique; names are compared without case.",
	"group.membership": "A toggle: it joins the group, or leaves it. The answer has the new state.",
	"post.create":      "`tags` is a list, or one string with commas; the first five are kept, each cut to 30 characters.",
	"post.upvote":      "A toggle. The answer has the new state and the number of upvotes; upvotes at the same time each count as one.",
	"post.resolve":     "A toggle, for the author of the post.",
	"post.delete":      "The replies and votes are deleted too. For the author of the post and for admins.",
	"reply.create":     "Adds a reply of the caller. Texts are stored as they were written: escape them where they are put into a page.",
	"reply.upvote":     "A toggle. The answer has the new state and the number of upvotes; upvotes at the same time each count as one.",
	"reply.accept": "A toggle, for the author of the post. A post has at most one accepted reply. Accepting resolves the post; withdrawing the acceptance " +
		"leaves it resolved.",

	"reply.delete": "The votes are deleted too. If it was the accepted reply, the post has none any more and stays resolved.",
	"complaint.create": "With `replyId` about a reply, without it about the post itself. A repeated report of a caller about the same post or reply " +
		"changes nothing. The author is not told who has reported it.",
	"complaint.list": "The newest first, in pages. `excerpt` is the beginning of what was reported, as it was then.",
	"complaint.decide": "`removed` deletes the post or the reply, and closes all reports about it. A report whose target was deleted by anyone is `removed` " +
		"already and cannot be dismissed.",

	"user.data": "The record that the identity provider's events have written. If it has not arrived, or the user was deleted, the status is 200 with " +
		"`success: false`.",
	"user.export": "A file, in full however long it is: the user record, the stored role, the application, purchases, enrolments, progress, ratings, time, " +
		"quiz results, certificates, chats, the caller's part of the community, the usage of the AI and the courses that the caller teaches. It is sent " +
		"while it is read; if that fails, the connection breaks. It has no data of other users: names of authors and texts that were reported are left out.",
	"purchase.quote": "`price` is that of the course before its discount, `discount` is what the discount of the course and the coupon take off " +
		"together, and `total` is the rest: what a purchase costs. The coupon applies after the discount of the course. A total between 0 and 1 " +
		"becomes 1. Nothing is reserved.",
	"purchase.create": "Opens an order at the payment gateway; the client then starts the checkout with `orderId` and `keyId`. A repeated call answers the " +
		"same order while price and coupon are unchanged, also when two calls arrive at once. With a coupon it redeems the coupon. A free course enrols at once: `orderId` is empty and `amount` is 0.",
	"purchase.verify": "The proof is what the checkout of the gateway hands to the client. The signature is the HMAC-SHA-256 of `<order id>|<payment id>` " +
		"with the key secret. A purchase that is completed already answers the same success again. The gateway's webhook does the same if the " +
		"client does not call. If the payment came late and the coupon of the order cannot be redeemed again, the payment is refunded.",
	"purchase.refund": "A repeated call with the same `Idempotency-Key` gets the same answer for 24 hours, and refunds nothing more. Without a key, a " +
		"repeated call while a refund of the same amount is pending continues that refund and starts no other, so it is safe after a " +
		"failure. After 500 the outcome is not known: the server asks the gateway again. When all is refunded the purchase is `refunded`, and the " +
		"enrolment that it gave ends; the host may have decided otherwise. A free purchase cannot be refunded.",
	"enrollment.list": "The oldest enrolment first. `userRating` is the caller's rating, or null.",
	"enrollment.get":  "As the public detail of the course, but with the URL of every lecture.",
	"progress.update": "Repeating it changes nothing. `isCourseCompleted` is true when every lecture that the course has now is completed.",
	"progress.get":    "`progressData` is null if the caller has completed no lecture of the course.",
	"rating.add":      "One rating for each user and course; a later one replaces it. The caller must be enrolled.",
	"time.track": "Learning time is on the path `/player/:courseId`, quiz time on `/quiz/:courseId/:chapterId`. `duration` is in seconds. At most 86,400 " +
		"seconds count for one UTC day.",
	"analytics.get": "Whole seconds by UTC day. `dailyStats` has seven days, the oldest first; the other lists are sorted by time spent. The pages `Home`, " +
		"`Browse Courses`, `Course Details`, `Analytics` and `Other` count in no total.",

	"chat.ask": "Without `sessionId`, or with one that is unknown or another user's, a new chat begins. A chat holds at most 500 messages. On failure nothing " +
		"of the turn is stored. With `Accept: text/event-stream` the reply is sent as it is written.",
	"chat.list":        "The chat that was used last first. `messages` is the text of the first message.",
	"chat.get":         "All messages of the chat, the oldest first.",
	"chat.delete":      "Deletes the chat with all its messages.",
	"roadmap.personal": "The AI writes the roadmap; the share completed of each course is the platform's own figure. The caller must be enrolled in a course.",
	"roadmap.custom":   "The AI writes the roadmap. The topic is data in the prompt, never an instruction.",

	"application.apply": "After a rejection it replaces title, bio and expertise, and `linkedinUrl` when it is sent; the id and the time of creation stay. A " +
		"`linkedinUrl` without a scheme gets `https://`.",
	"application.status": "`application` is null if the caller has not applied.",
	"course.add": "A form of two parts: `courseData`, JSON of at most 1 MiB, and `image`, at most 5 MiB, whose type is found in its content. The price after the " +
		"discount is 0 or at least 1. Numbers may be sent as strings that hold one. Chapter and lecture ids come from the client and are made when " +
		"missing. The server computes all totals.",
	"course.editable": "The course as the public detail shows it, published or not, with the URL of every lecture, and with the `version` that a " +
		"change must name.",
	"course.edit": "Fields that are not sent stay as they are; the bounds are those of a new course, and numbers may be strings that hold one. " +
		"`courseContent` is the whole new content: chapters and lectures keep their ids, lectures that remain keep the progress of students, and the " +
		"quiz of a chapter that is removed goes, while its results stay. `version` is that of the course which the caller has read; if it has changed " +
		"meanwhile, the answer is 409 and nothing is changed. `version` grows by one, unless nothing differs. An unpublished course is neither listed " +
		"nor to be bought; who is enrolled keeps access, and an open order can still be paid. The body has at most 1 MiB.",
	"course.thumbnail": "A form of one part, `image`, as that of a new course. The old picture is deleted, and the version of the course grows by one.",
	"course.delete": "With its quizzes and its picture. If a user is or was enrolled in the course, or if a purchase is open, completed or refunded, the " +
		"answer is 409: the course can be unpublished instead.",
	"educator.courses":   "Drafts included, the newest first.",
	"educator.dashboard": "What completed purchases of the caller's own courses earned less refunds, in the configured currency, and who is enrolled.",
	"educator.students":  "The oldest enrolment first.",

	"coupon.create": "Either `percentOff` or `amountOff`. Letters of the code are stored in upper case, and codes are compared without case. Without " +
		"`courseId` the coupon is for every course, which only admins may create. An educator whose courses have 1,000 coupons cannot add another one.",
	"coupon.list": "The newest first, in full. `redemptions` counts open, completed and refunded purchases.",
	"coupon.change": "What is not sent stays unchanged, and null removes the end or the limit. A limit below `redemptions` stops the coupon and takes nothing back. Orders that are open " +
		"with the coupon can still be paid.",

	"quiz.generate": "The AI writes the questions. What it answers is checked against a schema, and asked for once more before the call fails. `version` changes " +
		"with the questions. The caller must own the course.",
	"quiz.insights": "One row for each quiz with attempts, the most attempts first.",
	"quiz.submit": "Send the `version` of the quiz that was answered: answers to another version are 409. The attempt is stored before the AI is asked for " +
		"recommendations; when the AI fails, they are made from the wrong answers. Each line of `recommendations` begins with `• `.",
	"quiz.marks":        "Every attempt at every quiz, the newest first.",
	"quiz.results":      "Every attempt with its answers, the newest first.",
	"quiz.course-marks": "Every attempt at the quizzes of the course, the newest first.",
	"quiz.get": "For enrolled users and the owner of the course. Only the owner gets `correctIndex` and `explanation`. However many callers ask at once for a quiz " +
		"that does not exist, one AI call is made; only the caller who starts it takes a token of the rate limit.",

	"admin.applications": "The newest first.",
	"admin.approve": "The role is written at the identity provider and holds at once, with tokens that were issued before. If the provider fails, the application " +
		"stays pending. No admin decides on an application of their own.",
	"admin.reject": "The applicant may read `reason`, and apply again. No admin decides on an application of their own.",
	"admin.stats":  "Students are all user records. Revenue is what was paid for completed purchases less what was refunded, in the configured currency.",
	"admin.charts": "At most six courses, the most enrolments first; titles are cut to 22 characters. The revenue of seven UTC days, the oldest first; a refund " +
		"reduces the revenue of the day of its purchase.",
	"admin.courses":   "Drafts included, the newest first, with the number of completed purchases and what they earned less refunds.",
	"admin.purchases": "The newest first, in full.",
	"admin.users": "The newest first, in full, or in pages. `q` searches names and e-mail addresses, and `role` selects users by their role; with one of " +
		"them the answer is a page. The role of a user is the recorded one, else `student`. A page of a search reads a bounded number of users: it " +
		"may have few or none and a `nextCursor`, with which the search goes on.",
	"admin.enrollments": "Those that began last first, in pages. `endedAt` is null while the enrolment is active. `origin` says whether a purchase, a free " +
		"course or an admin gave it.",
	"admin.enroll": "The course may be unpublished. `created` is false if the user is enrolled already; a buyer has the grant beside the purchase then. An open order of the user can still be paid, and is " +
		"then completed without another enrolment.",
	"admin.end-enrollment": "Whatever the enrolment came from. Progress, results and certificates stay, and the progress is there again when the user buys the " +
		"course or is enrolled again.",

	"gateway.webhook": "`payment.captured` completes the purchase of the order. `refund.processed` and `refund.failed` change what was refunded of the purchase of the " +
		"payment, each refund once, also if it was started at the gateway. Every other event changes nothing. However many deliveries and verifications race, " +
		"there is one enrolment. An unknown purchase is 200, because a new delivery cannot help. A failure to complete is 500, so that the gateway " +
		"delivers again. At most 1 MiB.",
	"identity.webhook": "`user.created` and `user.updated` write the record, in any order and however often; `user.deleted` clears it. An event that is older than the " +
		"last one applied changes nothing. A message that cannot be verified is 500. At most 1 MiB.",

	"openapi": "This document. It is made from the table from which the server routes.",
	"docs":    "A page with this document, on which requests can be tried. Everything that it loads comes from this server.",
}
