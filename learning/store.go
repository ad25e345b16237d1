package learning

import (
	"context"
	"time"
)

// Store keeps the data of a platform (package store, on SQLite and MySQL). It
// can read, and it can run a transaction; it has no other way to write, so no
// write can happen outside of one. Package storetest holds what every Store must
// do.
type Store interface {
	Reader
	// InTx runs fn in one transaction: committed when fn returns nil, rolled back
	// when it returns an error or panics. On deadlocks, lock time-outs and the like
	// the whole of fn runs again, so it must have no effect but on tx; effects on
	// the outside wait for [Tx.AfterCommit].
	InTx(ctx context.Context, fn func(tx Tx) error) error
	// Ping is nil when the database answers.
	Ping(ctx context.Context) error
}

// Tx is a transaction. Its methods are one statement each and know no policy.
// After an error the transaction is over: fn returns it.
type Tx interface {
	Reader
	CourseWriter
	UserWriter
	PurchaseWriter
	EnrollmentWriter
	ProgressWriter
	RatingWriter
	ApplicationWriter
	CertificateWriter
	TimeEntryWriter
	AIWriter
	CommunityWriter
	QuizWriter
	QuizResultWriter
	ChatWriter
	// AfterCommit registers what happens once the transaction is committed. When
	// fn is run again, what it registered before is forgotten.
	AfterCommit(func())
}

// Reader is everything that can be read, inside a transaction and outside.
// A single row that does not exist is [ErrNoRecord].
type Reader interface {
	CourseReader
	UserReader
	PurchaseReader
	EnrollmentReader
	ProgressReader
	RatingReader
	ApplicationReader
	CertificateReader
	TimeEntryReader
	QuizReader
	QuizResultReader
	ChatReader
	EducatorReader
	AdminReader
	AIReader
	CommunityReader
}

// CourseReader reads courses. They come with their educator.
type CourseReader interface {
	// PublishedCourses lists what is published, the oldest first, by id on a tie.
	PublishedCourses(ctx context.Context) ([]Course, error)
	// CatalogueRevision changes whenever PublishedCourses would.
	CatalogueRevision(ctx context.Context) (Revision, error)
	// Course reads one course, published or not.
	Course(ctx context.Context, id string) (Course, error)
	// CourseContent reads the chapters of one course, in order.
	CourseContent(ctx context.Context, courseID string) ([]Chapter, error)
	// LectureIDs reads the ids alone of the lectures of one course, in order.
	LectureIDs(ctx context.Context, courseID string) ([]string, error)
}

// CourseWriter writes courses.
type CourseWriter interface {
	// InsertCourse stores a course and its chapters; [ErrDuplicate] when the id is taken.
	InsertCourse(ctx context.Context, c Course, content []Chapter) error
	// CountEnrollment adds one to a course's students.
	CountEnrollment(ctx context.Context, courseID string) error
	// TouchCourses marks the courses of an educator as changed in the list,
	// because the educator is shown there; it tells whether there are any.
	TouchCourses(ctx context.Context, educatorID string) (bool, error)
	// TouchCourse marks one course as changed in the list; [ErrNoRecord] when there
	// is none.
	TouchCourse(ctx context.Context, id string) error
	// UpdateTotals overwrites the lectures, minutes and update time of a course, and
	// marks it as changed in the list; [ErrNoRecord] when there is none.
	UpdateTotals(ctx context.Context, c Course) error
	// UpdateContent overwrites the chapters of a course; [ErrNoRecord] when there is
	// none.
	UpdateContent(ctx context.Context, courseID string, content []Chapter) error
	// CountRating adds to the sum and the number of a course's ratings, and marks it
	// as changed in the list; [ErrNoRecord] when there is none.
	CountRating(ctx context.Context, courseID string, change Ratings) error
}

// UserReader reads people.
type UserReader interface {
	// User reads a record with the courses the person is enrolled in, the oldest
	// enrolment first. Somebody deleted is [ErrNoRecord].
	User(ctx context.Context, id string) (User, error)
	// Standing reads what is known of an id; nothing known is no error.
	Standing(ctx context.Context, userID string) (Standing, error)
}

// UserWriter writes people, the roles decided for them, and the messages about
// them that were seen.
type UserWriter interface {
	// UpdateUser overwrites the record of somebody who is not deleted, unless it
	// is newer than u.ChangedAt; it tells whether it did.
	UpdateUser(ctx context.Context, u User) (bool, error)
	// InsertUser adds a record, or a tombstone when u.DeletedAt is set.
	InsertUser(ctx context.Context, u User) error
	// ScrubUser makes a tombstone of a record that is none yet: name, address and
	// image are gone; it tells whether it did.
	ScrubUser(ctx context.Context, id string, at time.Time) (bool, error)
	// UpdateRole replaces a decision that is not later; it tells whether it did.
	UpdateRole(ctx context.Context, userID string, d Decision) (bool, error)
	// InsertRole stores the first decision for a person.
	InsertRole(ctx context.Context, userID string, d Decision) error
	// DeleteRole forgets a decision.
	DeleteRole(ctx context.Context, userID string) error
	// InsertMessage remembers a webhook message; [ErrDuplicate] when it was seen.
	InsertMessage(ctx context.Context, id string, at time.Time) error
	// DeleteMessages forgets the messages that came before a time.
	DeleteMessages(ctx context.Context, before time.Time) error
}

// PurchaseReader reads purchases.
type PurchaseReader interface {
	Purchase(ctx context.Context, id string) (Purchase, error)
	PurchaseByOrder(ctx context.Context, orderID string) (Purchase, error)
	// OpenPurchase reads the one open purchase (created or pending) of a person
	// and a course.
	OpenPurchase(ctx context.Context, userID, courseID string) (Purchase, error)
	// UnpaidPurchases lists purchases that have an order, are pending or failed,
	// and were created in [from, to), after the given one (in the order of creation
	// time and id; the zero Purchase is before all), at most limit.
	UnpaidPurchases(ctx context.Context, from, to time.Time, after Purchase, limit int) ([]Purchase, error)
}

// PurchaseWriter writes purchases. Each transition names the state it starts
// from, and the affected row decides who made it.
type PurchaseWriter interface {
	// InsertPurchase adds one; [ErrDuplicate] when the person has an open one for
	// the course already.
	InsertPurchase(ctx context.Context, p Purchase) error
	// TakeOverPurchase gives a claim that had expired at a time to a new holder,
	// with the amount, currency and lease of p, when it is still the old holder's.
	TakeOverPurchase(ctx context.Context, p Purchase, oldHolder string) (bool, error)
	// SetPurchaseOrder turns the holder's claim into a pending purchase.
	SetPurchaseOrder(ctx context.Context, id, holder, orderID string, at time.Time) (bool, error)
	// DeletePurchaseClaim removes the holder's claim that got no order.
	DeletePurchaseClaim(ctx context.Context, id, holder string) (bool, error)
	// FailPurchase moves pending to failed.
	FailPurchase(ctx context.Context, id string, at time.Time) (bool, error)
	// CompletePurchase moves created, pending or failed to completed, never
	// refunded. [ErrDuplicate] when the payment completed another purchase.
	CompletePurchase(ctx context.Context, id, paymentID string, at time.Time) (bool, error)
}

// EnrollmentReader reads enrolments.
type EnrollmentReader interface {
	Enrolled(ctx context.Context, userID, courseID string) (bool, error)
	// EnrolledCourses lists the courses that a person is enrolled in, drafts too, the
	// oldest enrolment first, by course on a tie.
	EnrolledCourses(ctx context.Context, userID string) ([]EnrolledCourse, error)
	// EnrolledCourse reads one of them.
	EnrolledCourse(ctx context.Context, userID, courseID string) (EnrolledCourse, error)
}

// EnrollmentWriter writes enrolments.
type EnrollmentWriter interface {
	// InsertEnrollment adds one; [ErrDuplicate] when the person is enrolled.
	InsertEnrollment(ctx context.Context, e Enrollment) error
}

// ProgressReader reads what people have completed.
type ProgressReader interface {
	// CompletedLectures lists the lectures of a course that a person has completed,
	// also those that the course has no more, in the order of time, by id on a tie.
	CompletedLectures(ctx context.Context, userID, courseID string) ([]CompletedLecture, error)
	// CompletedByCourse lists them for all courses, by the id of the course.
	CompletedByCourse(ctx context.Context, userID string) (map[string][]CompletedLecture, error)
	// BegunLectureIDs reads the ids alone of the lectures, in order, of each course in
	// which a person has completed any, by the id of the course.
	BegunLectureIDs(ctx context.Context, userID string) (map[string][]string, error)
}

// ProgressWriter writes what people have completed.
type ProgressWriter interface {
	// InsertCompletedLecture adds one; [ErrDuplicate] when it is completed.
	InsertCompletedLecture(ctx context.Context, userID, courseID string, l CompletedLecture) error
}

// RatingReader reads ratings.
type RatingReader interface {
	Rating(ctx context.Context, userID, courseID string) (Rating, error)
}

// RatingWriter writes ratings.
type RatingWriter interface {
	// InsertRating adds one; [ErrDuplicate] when the person has rated the course.
	InsertRating(ctx context.Context, r Rating) error
	// ReplaceRating overwrites the stars and the update time of a rating that still
	// has the old stars; it tells whether it did.
	ReplaceRating(ctx context.Context, r Rating, old int) (bool, error)
}

// ApplicationReader reads the applications of those who want to teach.
type ApplicationReader interface {
	Application(ctx context.Context, id string) (Application, error)
	ApplicationOf(ctx context.Context, userID string) (Application, error)
	// Applications lists those of one status, or all for "", the newest first.
	Applications(ctx context.Context, status ApplicationStatus) ([]Application, error)
}

// ApplicationWriter writes applications.
type ApplicationWriter interface {
	// InsertApplication adds one; [ErrDuplicate] when the person has one.
	InsertApplication(ctx context.Context, a Application) error
	// ResubmitApplication moves rejected to pending, with the content and the
	// previous role of a.
	ResubmitApplication(ctx context.Context, a Application) (bool, error)
	// ClaimApplication gives a pending application to the holder of a, with the
	// lease and the previous role of a, when it is still the old holder's ("" for
	// nobody's) and that one's lease was over at a time.
	ClaimApplication(ctx context.Context, a Application, oldHolder string, at time.Time) (bool, error)
	// EndApplicationClaim ends the lease of a holder at a time; the holder stays noted.
	EndApplicationClaim(ctx context.Context, id, holder string, at time.Time) error
	// DecideApplication moves a pending application to the status of a, with its
	// reason and time, when it is still the holder's of a ("" for nobody's).
	DecideApplication(ctx context.Context, a Application) (bool, error)
	// DeleteApplication removes a person's application, if there is one.
	DeleteApplication(ctx context.Context, userID string) error
}

// CertificateReader reads certificates.
type CertificateReader interface {
	Certificate(ctx context.Context, id string) (Certificate, error)
	CertificateOf(ctx context.Context, userID, courseID string) (Certificate, error)
	// RevokedNumbers lists the numbers in [from, to) of certificates that were
	// revoked, in order.
	RevokedNumbers(ctx context.Context, from, to int64) ([]int64, error)
	// CertificatesIssued is how many numbers were given out; [ErrNoRecord] before
	// StartCertificates.
	CertificatesIssued(ctx context.Context) (int64, error)
}

// CertificateWriter writes certificates. Their numbers are given out by a counter:
// who has counted holds its row, so that all others wait for the end of the
// transaction, and a number that comes to nothing is given out again.
type CertificateWriter interface {
	// StartCertificates stores that no number was given out; [ErrDuplicate] when it
	// is stored already.
	StartCertificates(ctx context.Context) error
	// CountCertificate gives out one more number; false before StartCertificates.
	CountCertificate(ctx context.Context) (bool, error)
	// InsertCertificate adds one that is not revoked; [ErrDuplicate] when the person
	// has one for the course.
	InsertCertificate(ctx context.Context, c Certificate) error
	// FileCertificate notes that the PDF is kept, the first time; it tells whether
	// this was it.
	FileCertificate(ctx context.Context, id string, at time.Time) (bool, error)
	// RevokeCertificate revokes one that is not revoked yet; it tells whether it did.
	RevokeCertificate(ctx context.Context, id, reason string, at time.Time) (bool, error)
}

// TimeEntryReader reads and sums up the time that people spent, each with one
// statement however much there is.
type TimeEntryReader interface {
	// PlacesOfDay counts the entries of a person on a day, and tells whether that of
	// the page and path of e is among them. What was spent in e does not matter.
	PlacesOfDay(ctx context.Context, e TimeEntry) (places int, known bool, err error)
	// TimeByPlace sums up the entries of a person over all days, one for each page and
	// path, in any order.
	TimeByPlace(ctx context.Context, userID string) ([]TimeEntry, error)
	// TimeByDay sums up the entries of a person from a day on, one for each day and
	// page, in any order.
	TimeByDay(ctx context.Context, userID string, from time.Time) ([]TimeEntry, error)
	// TimedCourses reads the courses that a person's entries are about, drafts too, in
	// any order. What an entry names and is no course is left out.
	TimedCourses(ctx context.Context, userID string) ([]TimedCourse, error)
}

// TimeEntryWriter writes the time that people spent.
type TimeEntryWriter interface {
	// InsertTimeEntry adds one; [ErrDuplicate] when there is one of the same person,
	// day, page and path.
	InsertTimeEntry(ctx context.Context, e TimeEntry) error
	// AddTime adds what was spent in e to the entry of the same person, day, page and
	// path; it tells whether there is one.
	AddTime(ctx context.Context, e TimeEntry) (bool, error)
	// DeleteTimeEntries removes all entries of a person.
	DeleteTimeEntries(ctx context.Context, userID string) error
}

// QuizReader reads quizzes.
type QuizReader interface {
	// Quiz reads the quiz of a chapter, with the title that its course has now.
	Quiz(ctx context.Context, courseID, chapterID string) (Quiz, error)
}

// QuizWriter writes quizzes.
type QuizWriter interface {
	// InsertQuiz adds one; [ErrDuplicate] when the chapter has one.
	InsertQuiz(ctx context.Context, q Quiz) error
	// ReplaceQuestions gives the quiz of a chapter the questions, chapter title and
	// update time of q, and the next version; [ErrNoRecord] when it has none.
	ReplaceQuestions(ctx context.Context, q Quiz) error
}

// QuizResultReader reads what came of attempts at quizzes. Lists of them begin with
// the newest, the greatest id on a tie.
type QuizResultReader interface {
	// QuizResults lists a person's attempts at the quiz of a chapter.
	QuizResults(ctx context.Context, userID, courseID, chapterID string) ([]QuizResult, error)
	// QuizMarks lists what a person has got in all quizzes.
	QuizMarks(ctx context.Context, userID string) ([]QuizMark, error)
	// CourseQuizMarks lists what a person has got in the quizzes of a course.
	CourseQuizMarks(ctx context.Context, userID, courseID string) ([]QuizMark, error)
	// QuizInsights sums up the attempts at each quiz of an educator's courses that
	// has any, those with the most first, by course and chapter on a tie.
	QuizInsights(ctx context.Context, educatorID string) ([]QuizInsight, error)
}

// QuizResultWriter writes attempts at quizzes.
type QuizResultWriter interface {
	// InsertQuizResult adds one.
	InsertQuizResult(ctx context.Context, r QuizResult) error
	// SetRecommendations overwrites the recommendations of one; [ErrNoRecord] when
	// there is none.
	SetRecommendations(ctx context.Context, resultID, text string) error
}

// ChatReader reads conversations with the tutor, each for its owner.
type ChatReader interface {
	// Chats lists a person's chats with their first message, the newest first, the
	// greatest id on a tie.
	Chats(ctx context.Context, userID string) ([]Chat, error)
	// ChatMessages lists the last messages of a person's chat, the oldest of them first.
	ChatMessages(ctx context.Context, userID, chatID string, last int) ([]ChatMessage, error)
}

// ChatWriter writes conversations with the tutor.
type ChatWriter interface {
	// InsertChat adds one without messages; [ErrDuplicate] when the person has one of
	// the id.
	InsertChat(ctx context.Context, c Chat) error
	// TouchChat writes when a chat was updated, and lets the transaction have it to
	// itself; it tells whether there is such a chat.
	TouchChat(ctx context.Context, c Chat) (bool, error)
	// InsertTurn adds a question and its answer behind so many messages of a chat;
	// [ErrDuplicate] when there are more already.
	InsertTurn(ctx context.Context, c Chat, behind int, question, answer ChatMessage) error
	// DeleteChat removes a person's chat alone; it tells whether there was one.
	DeleteChat(ctx context.Context, userID, id string) (bool, error)
	// DeleteChatMessages removes all messages of a person's chat.
	DeleteChatMessages(ctx context.Context, userID, chatID string) error
	// DeleteChats removes all of a person's chats alone.
	DeleteChats(ctx context.Context, userID string) error
	// DeleteAllChatMessages removes the messages of all of a person's chats.
	DeleteAllChatMessages(ctx context.Context, userID string) error
}

// EducatorReader sums up the courses of one educator.
type EducatorReader interface {
	// CoursesOf lists them, drafts too, the newest first.
	CoursesOf(ctx context.Context, educatorID string) ([]Course, error)
	// StudentsOf lists the enrolments in them, the newest first.
	StudentsOf(ctx context.Context, educatorID string) ([]TaughtStudent, error)
	// EarningsOf counts them and sums their completed purchases in a currency.
	EarningsOf(ctx context.Context, educatorID, currency string) (courses int, earned Money, err error)
}

// AdminReader sums up the platform, each with a fixed number of statements.
type AdminReader interface {
	Stats(ctx context.Context, currency string) (Stats, error)
	// TopCourses lists the courses with the most students.
	TopCourses(ctx context.Context, limit int) ([]TopCourse, error)
	// DailyRevenue sums completed purchases by the UTC day of completion; days
	// without any are left out.
	DailyRevenue(ctx context.Context, currency string, from time.Time) ([]DayRevenue, error)
	// CourseReports lists all courses, the newest first.
	CourseReports(ctx context.Context, currency string) ([]CourseReport, error)
	// EachPurchase reads row by row, the newest first, all but claims without an
	// order. It ends with the error of fn.
	EachPurchase(ctx context.Context, status PurchaseStatus, fn func(PurchaseReport) error) error
	// EachUser reads row by row, the newest first.
	EachUser(ctx context.Context, fn func(UserReport) error) error
}

// AIReader reads who is asking the AI, and what it has cost.
type AIReader interface {
	// AIClaims lists the claims of one name, by place, expired ones too.
	AIClaims(ctx context.Context, name string) ([]AIClaim, error)
	// AIUsageOf reads what a person has used up on a day.
	AIUsageOf(ctx context.Context, userID, day string) (AIUsage, error)
	// AITokens sums what everybody has used up on a day.
	AITokens(ctx context.Context, day string) (int64, error)
}

// AIWriter writes claims on the AI, and what it has cost.
type AIWriter interface {
	// InsertAIClaim takes a place that nobody has; [ErrDuplicate] when somebody does.
	InsertAIClaim(ctx context.Context, c AIClaim) error
	// TakeOverAIClaim gives a claim that had expired at a time to the holder of c, with
	// the lease of c, when it is still the old holder's.
	TakeOverAIClaim(ctx context.Context, c AIClaim, oldHolder string, at time.Time) (bool, error)
	// DeleteAIClaim gives a place back, when it is still the holder's of c.
	DeleteAIClaim(ctx context.Context, c AIClaim) (bool, error)
	// InsertAIUsage stores the first usage of a person on a day; [ErrDuplicate] when it
	// is not the first.
	InsertAIUsage(ctx context.Context, userID, day string, u AIUsage) error
	// AddAIUsage adds to it, and tells whether there was any.
	AddAIUsage(ctx context.Context, userID, day string, u AIUsage) (bool, error)
}
