package learning_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// withEventsOnEngines runs a test on each engine, with a receiver of events.
var withEventsOnEngines = roomtest.WithEventsOnEngines

// withManyEvents is withEventsOnEngines for tests with thousands of events, which take long on a
// server.
func withManyEvents(t *testing.T, test func(t *testing.T, w *roomtest.World,
	r *roomtest.Receiver)) {
	roomtest.OnEnginesRepeatedly(t, func(t *testing.T, database string) {
		r := &roomtest.Receiver{}
		test(t, roomtest.New(t, database, r.Option()), r)
	})
}

func TestEvents_NoTargetWritesNothing(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		p := &roomtest.Renderer{}
		w := roomtest.New(t, database, p.Option())
		w.Publish(t, "go", roomtest.Chapter("one", "a"))
		ada := w.Enrolls(t, "ada", "go")
		w.Learns(t, ada, "go", true, "a")
		w.Deleted(t, "ada", 1)
		if n := w.Count(t, "event_deliveries") + w.Count(t, "course_completions"); n != 0 {
			t.Errorf("%d rows are written", n)
		}
		w.DeliverEvents(t, 0)
	})
}

// The data has exactly the documented fields, and none of them tells who the user is. Each type of
// events is written.
func TestEvents_DataHasTheDocumentedFields(t *testing.T) {
	r, p := &roomtest.Receiver{}, &roomtest.Renderer{}
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db", r.Option(), p.Option())
	w.EachEvent(t, 1)
	laterEvents(t, w)
	w.DeliverEvents(t, -1)
	seen := map[core.EventType]bool{}
	for _, e := range r.Events() {
		seen[e.Type] = true
		wantDocumented(t, e)
	}
	for _, kind := range eventjson.Types {
		if !seen[kind.Name] {
			t.Errorf("nothing sends %s: do what it tells in EachEvent of internal/roomtest, or in "+
				"laterEvents of learning/event_test.go, or remove it from Types in internal/eventjson/types.go",
				kind.Name)
		}
	}
}

// wantDocumented compares an event with the declaration of its type.
func wantDocumented(t *testing.T, e learning.Event) {
	t.Helper()
	kind, declared := eventjson.TypeOf(e.Type)
	if !declared {
		t.Errorf("%s is written: add it to Types in internal/eventjson/types.go", e.Type)
		return
	}
	text, err := eventjson.MarshalData(e.Data)
	roomtest.Must(t, err)
	var data map[string]any
	roomtest.Must(t, json.Unmarshal(text, &data))
	if want := fmt.Sprintf("%s:%v", kind.Subject, data[kind.Subject+"Id"]); e.Subject != want {
		t.Errorf("%s has the subject %s, want %s", e.Type, e.Subject, want)
	}
	if e.ID == "" || !e.CreatedAt.Equal(e.CreatedAt.Truncate(time.Microsecond)) ||
		strings.Contains(string(text), "@") {
		t.Errorf("invalid event %+v", e)
	}
	for _, field := range kind.Fields {
		if data[field.Name] == nil && field.If == "" {
			t.Errorf("%s lacks the field %s: %s", e.Type, field.Name, text)
		}
		delete(data, field.Name)
	}
	for name := range data {
		t.Errorf("%s has the field %s, which its Fields in internal/eventjson/types.go lack",
			e.Type, name)
	}
}

// laterEvents does what is told by the events that EachEvent does not cause, and which are not
// about its student.
func laterEvents(t *testing.T, w *roomtest.World) {
	t.Helper()
	w.Edit(t, "free", catalog.CourseEdit{Title: new("Free of charge")})
	_, err := w.Platform.Inbox.Announce(ctx(), w.Person(t, "educator", core.Educator),
		inbox.NewAnnouncement{CourseID: "free", Title: "Title", Text: "Text"})
	roomtest.Must(t, err)
	w.Edit(t, "free", catalog.CourseEdit{Published: new(false)})
	boss := w.Person(t, "boss", core.Admin)
	w.Course(t, "refunded", 499_00)
	sold := w.Sold(t, w.Person(t, "ben", core.Student), "refunded")
	_, err = w.Refund(t, boss, sold.ID, 0)
	roomtest.Must(t, err)
	failed := w.FailRefund(t, w.RefundsAt(t, sold.PaymentID)[0])
	w.MustTell(t, sandbox.RefundFailed, failed) // which was counted

	// At Stripe, which takes yen: an order that is closed, and a payment that is disputed.
	w.Course(t, "abroad", 499_00)
	w.Edit(t, "abroad", catalog.CourseEdit{Prices: &[]catalog.Price{{Currency: "JPY", Amount: 900}}})
	closed := w.OrderIn(t, w.Person(t, "cy", core.Student), "abroad", "JPY")
	stripe := w.Sandbox.Stripe()
	intent, err := stripe.Cancel(closed.OrderID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	w.MustTellStripe(t, "payment_intent.canceled", intent)
	paid := w.OrderIn(t, w.Person(t, "dan", core.Student), "abroad", "JPY")
	intent, err = stripe.Pay(paid.OrderID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	w.MustTellStripe(t, "payment_intent.succeeded", intent)
	dispute, err := stripe.Dispute(paid.OrderID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	w.MustTellStripe(t, "charge.dispute.created", dispute)
	dispute, err = stripe.WinDispute(dispute.ID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	w.MustTellStripe(t, "charge.dispute.closed", dispute)

	// Access that ends soon, and has ended.
	const week = 7 * 24 * time.Hour
	_, err = w.Platform.Study.GrantEnrollment(ctx(), boss, study.Grant{UserID: "ben",
		CourseID: "free", ExpiresAt: w.Clock.Now().Add(week + time.Hour)})
	roomtest.Must(t, err)
	for _, pause := range []time.Duration{time.Hour, week} {
		w.Clock.Advance(pause)
		w.Tidy(t)
	}
}

func TestEvents_EachIsWrittenOnceUnderRaces(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		r, p := &roomtest.Receiver{}, &roomtest.Renderer{}
		w := roomtest.New(t, database, r.Option(), p.Option())
		w.EachEvent(t, 10)
		// The events of the student in their order, beside those of two courses and purchases.
		want := []core.EventType{study.EventEnrollmentCreated,
			study.EventEnrollmentCreated, study.EventLectureCompleted,
			assess.EventAssignmentSubmitted,
			assess.EventAssignmentReturned, core.EventNotificationCreated,
			assess.EventAssignmentGraded, study.EventLectureCompleted,
			core.EventNotificationCreated, study.EventCourseCompleted, community.EventReviewCreated,
			community.EventPostCreated, community.EventReplyCreated, assess.EventQuizSubmitted,
			certify.EventCertificateIssued, core.EventNotificationCreated,
			certify.EventCertificateRevoked, core.EventNotificationCreated,
			staff.EventApplicationSubmitted,
			staff.EventApplicationRejected, core.EventNotificationCreated,
			staff.EventApplicationSubmitted,
			staff.EventApplicationApproved, core.EventNotificationCreated,
			people.EventUserDeleted}
		const toTheEducator = 3 // of the submission, the review and the post
		count := map[core.EventType]int{
			catalog.EventCoursePublished: 2, purchase.EventCompleted: 2,
			core.EventNotificationCreated: toTheEducator}
		for _, kind := range want {
			count[kind]++
		}
		w.WantEvents(t, count)
		w.DeliverEvents(t, len(want)+4+toTheEducator)
		if diff := cmp.Diff(want, r.Types("user:ada")); diff != "" {
			t.Errorf("the events of the user (-want +got):\n%s", diff)
		}
		w.DeliverEvents(t, 0)
	})
}

// All transactions write an event of the same subject.
func TestEvents_ConcurrentTransactionsNumberOneSubject(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		const courses = 12
		ada := w.Person(t, "ada", core.Student)
		for i := range courses {
			w.Publish(t, fmt.Sprint("course-", i), roomtest.Chapter("one", "a"))
		}
		errs := roomtest.Concurrently(courses, func(i int) error {
			_, err := w.Platform.Sales.OpenOrder(ctx(), ada,
				sale.OrderRequest{CourseID: fmt.Sprint("course-", i)})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": courses}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Count(t, "event_deliveries WHERE subject = 'user:ada' AND seq BETWEEN 1 AND ?",
			courses); n != courses {
			t.Errorf("%d events have a position of %d", n, courses)
		}
		w.DeliverEvents(t, 3*courses)
	})
}

// The last lectures are completed at the same time, in different transactions.
func TestEvents_LastLecturesAtOnceCompleteTheCourseOnce(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		lectures := []string{"a", "b", "c", "d", "e", "f"}
		w.Publish(t, "go", roomtest.Chapter("one", lectures...))
		ada := w.Enrolls(t, "ada", "go")
		errs := roomtest.Concurrently(3*len(lectures), func(i int) error {
			_, err := w.Platform.Study.CompleteLecture(ctx(), ada, "go", lectures[i%len(lectures)])
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 3 * len(lectures)},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Count(t, "event_deliveries WHERE type = 'course.completed'"); n != 1 {
			t.Errorf("%d events", n)
		}
	})
}
