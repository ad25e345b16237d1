package learning_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/coursepackage"
	"github.com/openlectern/openlectern/internal/qti"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// unstorable are texts that not every database can store, and no id has.
var unstorable = []string{"a\xffb", "a\x00b"}

// textArguments are the arguments of an operation, without the context, and the errors of a text
// in them that cannot be stored, by the beginning of its place, such as "1.Title". The error of
// every other place is ErrInvalidRequest.
type textArguments struct {
	args []any
	want map[string]error
}

// but returns a with the error of a text at the given places.
func (a textArguments) but(err error, places ...string) textArguments {
	a.want = maps.Clone(a.want)
	if a.want == nil {
		a.want = map[string]error{}
	}
	for _, place := range places {
		a.want[place] = err
	}
	return a
}

// expected returns the error of a text at a place that cannot be stored.
func (a textArguments) expected(place string) error {
	// The other end of a page is a position like the one after which it begins.
	place = strings.Replace(place, ".Through", ".After", 1)
	for begin, err := range a.want {
		if strings.HasPrefix(place, begin) {
			return err
		}
	}
	return core.ErrInvalidRequest
}

var (
	// noError is the expected error of a text that is only compared, and that nothing matches.
	noError error
	// errPublic stands for every public error, and for none.
	errPublic = errors.New("public")
	// errExcused is that of a place in which such a text has another effect.
	errExcused = errors.New("excused")
)

// withoutText are the operations that take no text from a user, with the reason.
var withoutText = map[string]string{
	"Files.AppendUpload":      "it reads the upload of the id as Upload does",
	"People.Authenticate":     "the verifier decides",
	"Certify.CertificateURLs": "it takes a certificate that the platform has read",
	"Files.CreateUpload":      "the name is cleaned; see TestAppendUpload_Refusals",
	"People.Identify":         "Authenticate has checked the claims",
	"Files.MediaURL":          "it takes a name that the platform has made",
	"Certify.PublicKey":       "it compares with the keys of the issuer",
	"Papers.OfLink":           "the signature is checked first",
	"Sales.ReceiveWebhook":    "the signature is checked first, then validID",
	"People.ReceiveIdentityWebhook": "the signature is checked first; see " +
		"TestApplyIdentityEvent_UnstorableText",
	"Files.UploadFile":           "the name is cleaned; see TestUploadFile_NameIsCleaned",
	"Assess.UploadSubmittedFile": "as above",
	"People.User":                "Authenticate has checked the claims",

	"Tutor.Ask":        "only tests call it",
	"Tutor.AskStream":  "only tests call it",
	"Tutor.Callers":    "only tests call it",
	"RevokeEnrollment": "only tests call it",
}

// operationsWithText returns the arguments of each operation of the platform that takes a text. The
// texts are those of records of the fixture.
func operationsWithText(t *testing.T, w *roomtest.World) map[string]textArguments {
	t.Helper()
	course := w.Course(t, "go", 0)
	ada, cy := w.Enrolls(t, "ada", course), w.Person(t, "cy", core.Student)
	group, err := w.Platform.Community.CreateGroup(ctx(), ada, community.NewGroup{Name: "Group"})
	if err != nil {
		t.Fatal(err)
	}
	post, err := w.Platform.Community.CreatePost(ctx(), ada, community.NewPost{
		Title: "Title", Content: "Content", GroupID: group.ID,
	})
	if err != nil {
		t.Fatal(err)
	}
	reply, err := w.Platform.Community.CreateReply(ctx(), ada, post.ID, "Reply")
	if err != nil {
		t.Fatal(err)
	}
	note := w.Notes(t, ada, course, "lecture", "Text")
	application, err := w.Platform.Staff.Apply(ctx(), cy, staff.NewApplication{
		ProfessionalTitle: "Title", Bio: "Bio", Expertise: []string{"One"},
	})
	if err != nil {
		t.Fatal(err)
	}
	coupon := w.Coupon(t, offer.NewCoupon{Code: "COUPON", PercentOff: 1, CourseID: course})
	other := w.Course(t, "other", 0)
	sold := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{course, other}})
	var (
		text = "text"
		page = learning.PageRequest{Limit: 1,
			After: core.Position{At: w.Clock.Now(), ID: "id"}}
		content = []catalog.Chapter{{ID: "chapter", Title: "Chapter", Lectures: []catalog.Lecture{
			{ID: "lecture", Title: "Lecture", Minutes: 1, URL: "https://videos.example.org/1"},
		}}}
	)
	// with returns the arguments of an operation whose texts are refused.
	with := func(args ...any) textArguments { return textArguments{args: args} }
	return map[string]textArguments{
		"Catalog.AddCourse": with(roomtest.Teacher, catalog.NewCourse{
			ID: "new", Title: "Title", Description: "Description", Content: content,
			Metadata: core.Metadata{"level": "1"},
		}, learningtest.Thumbnail(t)),
		"Staff.Applications": with(roomtest.Boss, people.ApplicationPending, page).but(noError, "1",
			"2.After"),
		"Staff.Apply": with(roomtest.Teacher, staff.NewApplication{
			ProfessionalTitle: "Title", Bio: "Bio", Expertise: []string{"One", "Two"},
			LinkedinURL: &text,
		}),
		"Staff.Approve": with(roomtest.Boss, application.ID).but(staff.ErrApplicationNotFound, "1"),
		"Community.AllPosts": with(ada, community.PostQuery{GroupID: group.ID}).but(noError,
			"1.GroupID",
			"1.Tab"),
		"Community.AnswerReview": with(roomtest.Boss, "review",
			"Text").but(community.ErrReviewNotFound, "1"),
		"Tutor.AskTutor": with(ada, tutor.ChatQuestion{Content: "Why?"}, (func(string) error)(nil)).
			but(errExcused, "1.ChatID"), // which begins a new chat
		"Catalog.Catalogue": with(catalog.CourseQuery{Search: "Course"}, page).
			but(noError, "0.EducatorID", "1.After"),
		"Certify.Certificate": with(ada, course).but(catalog.ErrCourseNotFound, "1"),
		"Offers.ChangeCoupon": with(roomtest.Boss, coupon.ID,
			offer.CouponChange{}).but(offer.ErrCouponNotFound, "1"),
		"Study.ChangeNote": with(ada, note.ID, study.NoteChange{Text: &text}).
			but(study.ErrNoteNotFound, "1"),
		"Tutor.ChatMessages":       with(ada, "chat").but(tutor.ErrChatNotFound, "1"),
		"Tutor.Chats":              with(ada, page).but(noError, "1.After"),
		"Certify.CheckCertificate": with(ada, course).but(catalog.ErrCourseNotFound, "1"),
		"Community.Complain": with(cy, post.ID, reply.ID, "Reason").
			but(community.ErrPostNotFound, "1").but(community.ErrReplyNotFound, "2"),
		"Community.ComplainAboutReview": with(cy, course, "review", "Reason").
			but(community.ErrReviewNotFound, "1", "2"),
		"Community.Complaints": with(roomtest.Boss, community.ComplaintOpen, page).but(noError, "1",
			"2.After"),
		"Study.CompleteLecture": with(ada, course, "lecture").
			but(catalog.ErrCourseNotFound, "1").but(catalog.ErrInvalidLecture, "2"),
		"Assess.CourseQuizMarks": with(ada, course).but(noError, "1"),
		"Staff.CourseReports":    with(roomtest.Boss, page).but(noError, "1.After"),
		"Bundles.Create": with(roomtest.Teacher, bundle.NewBundle{Title: text, Description: text,
			CourseIDs: []string{course, other}}).but(catalog.ErrCourseNotFound, "1.CourseIDs"),
		"Bundles.Edit": with(roomtest.Teacher, sold.ID, bundle.Edit{Version: 1, Title: &text,
			CourseIDs: []string{course, other}}).but(bundle.ErrBundleNotFound, "1").
			but(catalog.ErrCourseNotFound, "2.CourseIDs"),
		"Bundles.SetThumbnail": with(roomtest.Teacher, sold.ID, learningtest.Thumbnail(t)).
			but(bundle.ErrBundleNotFound, "1"),
		"Bundles.Bundle":    with(sold.ID).but(bundle.ErrBundleNotFound, "0"),
		"Bundles.Published": with(page).but(noError, "0.After"),
		"Bundles.Own":       with(roomtest.Teacher, page).but(noError, "1.After"),
		"Bundles.Delete": with(roomtest.Teacher, sold.ID).
			but(bundle.ErrBundleNotFound, "1"),
		"Offers.CreateCoupon": with(roomtest.Teacher,
			offer.NewCoupon{Code: "NEW", PercentOff: 1, CourseID: course}).
			but(catalog.ErrCourseNotFound, "1.CourseID"),
		"Community.CreateGroup": with(cy,
			community.NewGroup{Name: "Name", Description: "Description", Icon: "!"}),
		"Study.CreateNote": with(ada,
			study.NewNote{CourseID: course, LectureID: "lecture", Text: "Text"}).
			but(catalog.ErrCourseNotFound, "1.CourseID").
			but(catalog.ErrInvalidLecture, "1.LectureID"),
		"Community.CreatePost": with(ada, community.NewPost{
			Title: "Title", Content: "Content", GroupID: group.ID, Tags: []string{"one", "two"},
		}).but(community.ErrGroupNotFound, "1.GroupID"),
		"Community.CreateReply": with(ada, post.ID, "Content").but(community.ErrPostNotFound, "1"),
		"Certify.Credential":    with("certificate").but(certify.ErrCertificateNotFound, "0"),
		"Tutor.CustomRoadmap":   with(ada, "A topic"),
		"Community.DecideComplaint": with(roomtest.Boss, "complaint", community.ComplaintDismissed).
			but(community.ErrComplaintNotFound, "1"),
		"Tutor.DeleteChat":     with(ada, "chat").but(tutor.ErrChatNotFound, "1"),
		"DeleteCourse":         with(roomtest.Teacher, course).but(catalog.ErrCourseNotFound, "1"),
		"Study.DeleteNote":     with(ada, note.ID).but(study.ErrNoteNotFound, "1"),
		"Community.DeletePost": with(ada, post.ID).but(community.ErrPostNotFound, "1"),
		"Community.DeleteReply": with(ada, post.ID, reply.ID).
			but(community.ErrPostNotFound, "1").but(community.ErrReplyNotFound, "2"),
		"Community.EditPost": with(ada, post.ID, community.PostEdit{Title: &text, Content: &text}).
			but(community.ErrPostNotFound, "1"),
		"Community.EditReply": with(ada, post.ID, reply.ID, "Content").
			but(community.ErrPostNotFound, "1").but(community.ErrReplyNotFound, "2"),
		"Catalog.EditCourse": with(roomtest.Teacher, course, catalog.CourseEdit{
			Version: 1, Title: &text, Description: &text, Content: content,
		}).but(catalog.ErrCourseNotFound, "1"),
		"Catalog.EditableCourse": with(roomtest.Teacher, course).but(catalog.ErrCourseNotFound,
			"1"),
		"Study.SetMetadata": with(roomtest.Boss, "ada", course, core.Metadata{"order": "1"}).
			but(people.ErrUserNotFound, "1").but(catalog.ErrCourseNotFound, "2"),
		"People.SetMetadata": with(roomtest.Boss, "ada", core.Metadata{"number": "1"}).
			but(people.ErrUserNotFound, "1"),
		"Study.EndEnrollment": with(roomtest.Boss, "ada", course).
			but(people.ErrUserNotFound, "1").but(catalog.ErrCourseNotFound, "2"),
		"Study.EnrolledCourse":  with(ada, course).but(catalog.ErrCourseDenied, "1"),
		"Study.EnrolledCourses": with(ada, page).but(noError, "1.After"),
		"Study.RecentCourses":   with(ada, page).but(noError, "1.After"),
		"Community.Review": with(ada, community.NewReview{CourseID: course, Stars: 5,
			Text: "Text"}).
			but(catalog.ErrCourseNotFound, "1.CourseID"),
		"Community.Questions": with(roomtest.Teacher, community.ToAnswer{CourseID: course}, page).
			but(catalog.ErrCourseNotFound, "1.CourseID").but(noError, "2.After"),
		"Community.TaughtReviews": with(roomtest.Teacher, community.ToAnswer{CourseID: course},
			page).
			but(catalog.ErrCourseNotFound, "1.CourseID").but(noError, "2.After"),
		"Community.Reviews": with(course, community.NewestReviews, page).
			but(catalog.ErrCourseNotFound, "0").but(noError, "1", "2.After"),
		"Study.SavePosition": with(ada, course, "lecture", 1.5).
			but(catalog.ErrCourseNotFound, "1").but(catalog.ErrInvalidLecture, "2"),
		"Study.UncompleteLecture": with(ada, course, "lecture").
			but(catalog.ErrCourseNotFound, "1").but(catalog.ErrInvalidLecture, "2"),
		"Study.Enrollments": with(roomtest.Boss,
			study.EnrollmentQuery{CourseID: course, UserID: "ada"},
			page).
			but(noError, "1", "2.After"),
		"Certify.GenerateCertificate": with(ada, course).but(catalog.ErrCourseNotFound, "1"),
		"Study.GrantEnrollment": with(roomtest.Boss, study.Grant{UserID: "cy", CourseID: course,
			Reason: "Reason"}).
			but(people.ErrUserNotFound, "1.UserID").but(catalog.ErrCourseNotFound, "1.CourseID"),
		"Study.ChangeEnrollment": with(roomtest.Boss, study.EnrollmentChange{UserID: "ada",
			CourseID: course, Reason: new("Reason"), ExpiresAt: new(time.Time{}), OpenAll: new(false),
			Metadata: new(core.Metadata{"order": "1"})}).
			but(people.ErrUserNotFound, "1.UserID").but(catalog.ErrCourseNotFound, "1.CourseID"),
		"Study.RequiredCourses": with(catalog.Course{ID: course, Terms: catalog.Terms{
			Requires: []string{course}}}).but(noError, "0"),
		"Sales.OpenOrder": with(cy, sale.OrderRequest{CourseID: course, CouponCode: "COUPON",
			Currency: "INR", Language: "en", Metadata: core.Metadata{"order": "1"}}).
			but(catalog.ErrCourseNotFound, "1.CourseID").
			but(offer.ErrCouponNotFound, "1.CouponCode").
			but(payment.ErrCurrencyNotSold, "1.Currency"),
		"Community.Posts": with(ada, community.PostQuery{GroupID: group.ID}, page, 1).but(noError,
			"1.GroupID", "1.Tab", "2.After"),
		"Study.Progress":          with(ada, course).but(noError, "1"),
		"Catalog.PublishedCourse": with(course).but(catalog.ErrCourseNotFound, "0"),
		"Due.OwnAssignments": with(ada, due.OwnAssignmentQuery{CourseID: course,
			Status: due.OwnOpen}, page).but(noError, "1.CourseID").but(noError, "2.After"),
		"Assess.StudentAttempt": with(roomtest.Teacher, "attempt").
			but(assess.ErrAttemptNotFound, "1"),
		"Assess.Submissions": with(roomtest.Teacher, assess.SubmissionQuery{CourseID: course,
			Status: assess.SubmissionWaiting}, page).
			but(catalog.ErrCourseNotFound, "1.CourseID").but(noError, "2.After"),
		"Staff.Purchases": with(roomtest.Boss, staff.PurchaseQuery{Search: "search", UserID: "ada",
			CourseID: course, Status: purchase.Completed}, page).but(noError, "1.UserID",
			"1.CourseID", "1.Status", "2.After"),
		"Tutor.Quiz": with(ada, course, "chapter", (tutor.Admission)(nil)).
			but(catalog.ErrCourseNotFound, "1").but(assess.ErrChapterNotFound, "2"),
		"Assess.QuizMarks":   with(ada, page).but(noError, "1.After"),
		"Assess.QuizResults": with(ada, course, "chapter").but(noError, "1", "2"),
		"Sales.Quote": with(cy, sale.QuoteRequest{CourseID: course, CouponCode: "COUPON",
			Currency: "INR"}).
			but(catalog.ErrCourseNotFound, "1.CourseID").
			but(offer.ErrCouponNotFound, "1.CouponCode").
			but(payment.ErrCurrencyNotSold, "1.Currency"),
		"Inbox.Notifications": with(ada, false, page).but(noError, "2.After"),
		"Inbox.MarkRead":      with(ada, []string{"id"}).but(noError, "1"),
		"Inbox.Announce": with(roomtest.Teacher, inbox.NewAnnouncement{CourseID: course,
			Title: "Title", Text: "Text"}).but(catalog.ErrCourseNotFound, "1.CourseID"),
		"Inbox.CourseAnnouncements": with(roomtest.Teacher, course, page).
			but(catalog.ErrCourseNotFound, "1").but(noError, "2.After"),
		"Inbox.OwnAnnouncements": with(ada, course, page).
			but(catalog.ErrCourseNotFound, "1").but(noError, "2.After"),
		"Inbox.DeleteAnnouncement": with(roomtest.Teacher, course, "announcement").
			but(catalog.ErrCourseNotFound, "1").but(inbox.ErrAnnouncementNotFound, "2"),
		"Inbox.SetMuted":     with(ada, []core.NotificationKind{"announcement"}),
		"Community.Rate":     with(ada, course, 5).but(catalog.ErrCourseNotFound, "1"),
		"Papers.OfPurchases": with(ada, []string{"purchase"}).but(noError, "1"),
		"Papers.SetBilling": with(ada, papers.Billing{Name: "Ada", Address: "Pier 1", Country: "IN",
			TaxID: "T"}),
		"Sales.Purchase":  with(ada, "purchase").but(purchase.ErrNotFound, "1"),
		"Sales.Purchases": with(ada, page).but(noError, "1.After"),
		"Sales.RecordSale": with(roomtest.Boss, sale.SaleElsewhere{UserID: "ada", CourseID: course,
			Currency: "INR", Reference: "1", Source: "invoice"}).
			but(people.ErrUserNotFound, "1.UserID").but(catalog.ErrCourseNotFound, "1.CourseID"),
		"Refunds.Refund": with(roomtest.Boss, refund.Request{
			PurchaseID: "purchase", Reason: "Reason", Key: "key",
		}).but(purchase.ErrNotFound, "1.PurchaseID"),
		"Staff.Decisions": with(roomtest.Boss, staff.DecisionQuery{UserID: "ada", CourseID: course},
			page).but(noError, "1.UserID", "1.CourseID", "2.After"),
		"Staff.User": with(roomtest.Boss, "ada").but(people.ErrUserNotFound, "1"),
		"Staff.Reject": with(roomtest.Boss, application.ID,
			"Reason").but(staff.ErrApplicationNotFound, "1"),
		"Assess.SaveAnswers": with(ada, "attempt", map[string]assess.Answer(nil)).
			but(assess.ErrAttemptNotFound, "1"),
		"Exchange.ImportQuiz": with(roomtest.Teacher, exchange.QuizImport{CourseID: course,
			ChapterID: roomtest.TheChapter,
			Content: qti.Write("", coursepackage.Quiz{Questions: []coursepackage.Question{
				{Kind: "true-false", Question: "?", Answer: true, Points: 1}}})}).
			but(catalog.ErrCourseNotFound, "1.CourseID").
			but(assess.ErrChapterNotFound, "1.ChapterID"),
		"Assess.SaveDraft": with(ada, course, "lecture", assess.Work{Text: "Text"}).
			but(catalog.ErrCourseNotFound, "1").but(catalog.ErrInvalidLecture, "2"),
		"Assess.Grade": with(roomtest.Teacher, "submission", assess.Grade{Feedback: "Text"}).
			but(assess.ErrSubmissionNotFound, "1", "2"), // which has the rubric
		"Assess.SaveQuiz": with(roomtest.Teacher, bank(course)).but(catalog.ErrCourseNotFound,
			"1.CourseID").
			but(assess.ErrChapterNotFound, "1.ChapterID"),
		"Assess.SubmitAttempt": with(ada, "attempt", map[string]assess.Answer(nil)).
			but(assess.ErrAttemptNotFound, "1"),
		"Tutor.RewriteQuiz": with(roomtest.Teacher, course, "chapter").
			but(catalog.ErrCourseNotFound, "1").but(assess.ErrChapterNotFound, "2"),
		"Catalog.SetLectureText": with(roomtest.Teacher, course, "lecture", int64(1), "Text").
			but(catalog.ErrCourseNotFound, "1").but(catalog.ErrInvalidLecture, "2"),
		"Catalog.SetThumbnail": with(roomtest.Teacher, course,
			learningtest.Thumbnail(t)).but(catalog.ErrCourseNotFound, "1"),
		"Assess.SubmitQuiz": with(ada, assess.QuizAnswers{CourseID: course, ChapterID: "chapter"}).
			but(catalog.ErrCourseNotFound, "1.CourseID").but(assess.ErrQuizNotFound,
			"1.ChapterID"),
		"Staff.TaughtCourses": with(roomtest.Teacher, page).but(noError, "1.After"),
		"Staff.TaughtStudents": with(roomtest.Teacher, staff.StudentQuery{CourseID: course}, page).
			but(catalog.ErrCourseNotFound, "1.CourseID").but(noError, "2.After"),
		"Assess.SetExtraAttempts": with(roomtest.Teacher, assess.ExtraAttempts{UserID: "ada",
			CourseID: course, ChapterID: "chapter"}).
			but(catalog.ErrCourseNotFound, "1.CourseID").
			but(study.ErrEnrollmentNotFound, "1.UserID").
			but(assess.ErrQuizNotFound, "1.ChapterID", "1.DecidedBy"), // there is no quiz
		"Community.Thread": with(ada, post.ID).but(community.ErrPostNotFound, "1"),
		"Community.ToggleAccepted": with(ada, post.ID, reply.ID).
			but(community.ErrPostNotFound, "1").but(community.ErrReplyNotFound, "2"),
		"Community.ToggleMembership": with(cy, group.ID).but(community.ErrGroupNotFound, "1"),
		"Community.TogglePostVote":   with(cy, post.ID).but(community.ErrPostNotFound, "1"),
		"Community.ToggleReplyVote": with(cy, post.ID, reply.ID).
			but(community.ErrPostNotFound, "1").but(community.ErrReplyNotFound, "2"),
		"Community.ToggleResolved": with(ada, post.ID).but(community.ErrPostNotFound, "1"),
		"Study.TrackTime": with(ada,
			study.NewTimeEntry{Page: "Page", Path: "/", Seconds: 1}),
		"People.Users": with(roomtest.Boss, people.UserQuery{Search: "ada"}, page).but(noError,
			"2.After"),
		"Certify.VerifyCertificate": with("certificate").but(certify.ErrCertificateNotFound, "0"),
		"Sales.VerifyPayment": with(ada,
			payment.Proof{OrderID: "order", PaymentID: "pay", Signature: "s"}).
			but(payment.ErrInvalidSignature, "1"),
	}
}

// idArguments returns the arguments of an operation that takes ids and pages only, beside a context
// and an actor: those of the fixture of operationsWithText.
func idArguments(operation reflect.Type) (op textArguments, ok bool) {
	for in := range operation.Ins() {
		switch in {
		case reflect.TypeFor[context.Context]():
		case reflect.TypeFor[learning.Actor]():
			op.args = append(op.args, learning.Actor{UserID: "ada", Role: core.Student})
		case reflect.TypeFor[string]():
			op.args = append(op.args, "go")
		case reflect.TypeFor[learning.PageRequest]():
			after := core.Position{At: learningtest.Start, ID: "id"}
			op.args = append(op.args, learning.PageRequest{Limit: 1, After: after})
		default:
			return op, false
		}
	}
	return op.but(errPublic, ""), true
}

// textValue is a text in the arguments of an operation.
type textValue interface {
	String() string
	SetString(text string)
}

// mapText is the text of a key of a map.
type mapText struct{ m, key reflect.Value }

// String implements [textValue].
func (t mapText) String() string { return t.m.MapIndex(t.key).String() }

// SetString implements [textValue].
func (t mapText) SetString(text string) { t.m.SetMapIndex(t.key, reflect.ValueOf(text)) }

// textPlaces calls fn with the place of each text in v and with the text.
func textPlaces(place string, v reflect.Value, fn func(place string, text textValue)) {
	switch v.Kind() {
	case reflect.String:
		fn(place, v)
	case reflect.Map:
		if v.Type().Elem().Kind() == reflect.String {
			for _, key := range v.MapKeys() {
				fn(fmt.Sprintf("%s[%s]", place, key), mapText{m: v, key: key})
			}
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[learning.Actor]() ||
			v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i, field := range v.Fields() {
			textPlaces(place+"."+i.Name, field, fn)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			textPlaces(place, v.Elem(), fn)
		}
	case reflect.Slice:
		for i := range v.Len() {
			if v.Type().Elem().Kind() != reflect.Uint8 {
				textPlaces(fmt.Sprintf("%s[%d]", place, i), v.Index(i), fn)
			}
		}
	}
}

// hasText reports whether a value of the type can have a text, other than in an Actor.
func hasText(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String:
		return true
	case reflect.Struct:
		if t == reflect.TypeFor[learning.Actor]() || t == reflect.TypeFor[time.Time]() {
			return false
		}
		return slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
			return hasText(f.Type)
		})
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return hasText(t.Elem())
	}
	return false
}

// Each operation that takes a text from a user is called with texts that are not UTF-8 or have
// U+0000, in each place. It refuses them and changes nothing.
func TestOperations_RefuseTextThatCannotBeStored(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		operations := operationsWithText(t, w)
		all := roomtest.Operations(w.Platform)
		for name, v := range all {
			takes := slices.ContainsFunc(slices.Collect(v.Type().Ins()), hasText)
			_, known := operations[name]
			if _, excused := withoutText[name]; !takes || known || excused {
				continue
			}
			op, isOfIDs := idArguments(v.Type())
			if !isOfIDs {
				t.Errorf("%s takes a text: add it to operationsWithText", name)
				continue
			}
			operations[name] = op
		}
		for _, name := range slices.Sorted(maps.Keys(operations)) {
			op := operations[name]
			before := w.Dump(t)
			call := all[name]
			args := op.args
			if call.Type().NumIn() > len(args) {
				args = append([]any{ctx()}, args...)
			}
			in := make([]reflect.Value, len(args))
			for i, arg := range args {
				in[i] = reflect.New(call.Type().In(i)).Elem()
				in[i].Set(reflect.ValueOf(arg))
			}
			for i, v := range in[len(in)-len(op.args):] {
				textPlaces(fmt.Sprint(i), v, func(place string, text textValue) {
					valid := text.String()
					defer text.SetString(valid)
					want := op.expected(place)
					hasSecondID := !strings.HasSuffix(place, ".ID2") || valid != ""
					if want == errExcused || !hasSecondID {
						return
					}
					for _, bad := range unstorable {
						text.SetString(bad)
						results := call.Call(in)
						err, _ := results[len(results)-1].Interface().(error)
						var public *learning.Error
						if want == errPublic && (err == nil || errors.As(err, &public)) {
							continue
						}
						if !errors.Is(err, want) {
							t.Errorf("%s: %q in %s: %v, want %v", name, bad, place, err, want)
						}
						if want == core.ErrInvalidRequest {
							checkFieldError(t, fmt.Sprintf("%s: %q in %s", name, bad, place), err, bad)
						}
					}
				})
			}
			if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
				t.Errorf("%s changes: %s", name, diff)
			}
		}
	})
}

// checkFieldError checks that an error names the value that is wrong, and does not contain it.
func checkFieldError(t *testing.T, what string, err error, bad string) {
	t.Helper()
	wrong, ok := errors.AsType[*core.FieldError](err)
	switch {
	case !ok:
		t.Errorf("%s: %v is no FieldError", what, err)
	case wrong.Field == "" || wrong.Reason == "":
		t.Errorf("%s: field %q, reason %q", what, wrong.Field, wrong.Reason)
	case strings.Contains(err.Error(), bad):
		t.Errorf("%s: the error %q has the text", what, err)
	}
}
