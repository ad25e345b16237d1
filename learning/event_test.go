package learning_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// receiver is a handler of events that keeps the events that it has handled.
type receiver struct {
	mu      sync.Mutex
	handled []learning.Event
	handle  func(ctx context.Context, e learning.Event) error // nil to accept all
}

func (r *receiver) HandleEvent(ctx context.Context, e learning.Event) error {
	r.mu.Lock()
	handle := r.handle
	r.mu.Unlock()
	if handle != nil {
		if err := handle(ctx, e); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handled = append(r.handled, e)
	return nil
}

// set replaces what the receiver does with an event.
func (r *receiver) set(handle func(ctx context.Context, e learning.Event) error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.handle = handle
}

func (r *receiver) events() []learning.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.handled)
}

// types returns the types of the handled events of a subject, in their order.
func (r *receiver) types(subject string) (types []learning.EventType) {
	for _, e := range r.events() {
		if e.Subject == subject {
			types = append(types, e.Type)
		}
	}
	return types
}

func (r *receiver) option() learningtest.Option {
	return learningtest.WithPlatform(learning.WithEvents("test", r))
}

// withEventsOnEngines runs a test on each engine, with a receiver of events.
func withEventsOnEngines(t *testing.T, test func(t *testing.T, w *fixture, r *receiver)) {
	onEngines(t, func(t *testing.T, database string) {
		r := &receiver{}
		test(t, newFixture(t, database, r.option()), r)
	})
}

// withManyEvents is withEventsOnEngines for tests with thousands of events, which take long on a
// server.
func withManyEvents(t *testing.T, test func(t *testing.T, w *fixture, r *receiver)) {
	onEnginesRepeatedly(t, func(t *testing.T, database string) {
		r := &receiver{}
		test(t, newFixture(t, database, r.option()), r)
	})
}

// deliverEvents delivers the due events and checks how many were delivered; -1 for any number.
func (w *fixture) deliverEvents(t *testing.T, want int) {
	t.Helper()
	n, err := w.Platform.System().DeliverEvents(t.Context())
	if err != nil || want >= 0 && n != want {
		t.Errorf("%d events were delivered, want %d: %v", n, want, err)
	}
	w.wantValidEvents(t)
}

func (w *fixture) wantValidEvents(t *testing.T) {
	t.Helper()
	for what, rows := range invariants.Events {
		if n := w.count(t, rows); n != 0 {
			t.Errorf("%s: %d invalid deliveries", what, n)
		}
	}
}

// written returns all events in the database, by the time of writing.
func (w *fixture) written(t *testing.T) []learning.EventDelivery {
	t.Helper()
	list, err := w.Platform.System().EventDeliveries(t.Context(),
		learning.EventQuery{Limit: 10_000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// wantEvents checks how many events of each type are written.
func (w *fixture) wantEvents(t *testing.T, want map[learning.EventType]int) {
	t.Helper()
	got := map[learning.EventType]int{}
	for _, d := range w.written(t) {
		got[d.Type]++
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	w.wantValidEvents(t)
}

func TestEvents_NoTargetWritesNothing(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		p := &fakeRenderer{}
		w := newFixture(t, database, p.option())
		w.publish(t, "go", chapter("one", "a"))
		ada := w.enrolls(t, "ada", "go")
		w.learns(t, ada, "go", true, "a")
		w.deleted(t, "ada", 1)
		if n := w.count(t, "event_deliveries") + w.count(t, "course_completions"); n != 0 {
			t.Errorf("%d rows are written", n)
		}
		w.deliverEvents(t, 0)
	})
}

// deleted has the identity provider report n times at once that a user is deleted.
func (w *fixture) deleted(t *testing.T, userID string, n int) {
	t.Helper()
	w.Clock.Advance(time.Second)
	e := learning.IdentityEvent{SentAt: w.Clock.Now(), Type: learning.UserDeleted,
		User: learning.IdentityUser{ID: userID}}
	for _, err := range concurrently(n,
		func(int) error { return w.Platform.System().ApplyIdentityEvent(ctx(), e) }) {
		if err != nil {
			t.Error(err)
		}
	}
}

// The data has exactly the documented fields, and none of them tells who the user is. Each type of
// events is written.
func TestEvents_DataHasTheDocumentedFields(t *testing.T) {
	r, p := &receiver{}, &fakeRenderer{}
	w := newFixture(t, "sqlite:"+t.TempDir()+"/learning.db", r.option(), p.option())
	w.eachEvent(t, 1)
	w.laterEvents(t)
	w.deliverEvents(t, -1)
	seen := map[learning.EventType]bool{}
	for _, e := range r.events() {
		seen[e.Type] = true
		wantDocumented(t, e)
	}
	for _, kind := range eventjson.Types {
		if !seen[kind.Name] {
			t.Errorf("nothing sends %s: do what it tells in eachEvent or laterEvents of "+
				"learning/event_test.go, or remove it from Types in internal/eventjson/types.go",
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
	must(t, err)
	var data map[string]any
	must(t, json.Unmarshal(text, &data))
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

// laterEvents does what is told by the events that eachEvent does not cause, and which are not about
// its student.
func (w *fixture) laterEvents(t *testing.T) {
	t.Helper()
	w.edit(t, "free", learning.CourseEdit{Title: new("Free of charge")})
	w.edit(t, "free", learning.CourseEdit{Published: new(false)})
	boss := w.Person(t, "boss", learning.Admin)
	w.Course(t, "refunded", 499_00)
	sold := w.sold(t, w.Person(t, "ben", learning.Student), "refunded")
	_, err := w.refund(t, boss, sold.ID, 0)
	must(t, err)
	refund, err := w.Sandbox.Gateway().FailRefund(w.refundsAt(t, sold.PaymentID)[0].ID,
		sandbox.WithoutWebhook())
	must(t, err)
	w.mustTell(t, sandbox.RefundFailed, refund) // which was counted
}

// eachEvent does what is told by an event, each n times at once. laterEvents does the rest.
func (w *fixture) eachEvent(t *testing.T, n int) {
	t.Helper()
	do := func(what string, f func() error) {
		t.Helper()
		count := countErrors(concurrently(n, func(int) error { return f() }))
		if count[""] == 0 {
			t.Errorf("%s: %v", what, count)
		}
	}
	w.publish(t, "free", chapter("one", "a"), essay(learning.Assignment{}))
	paid := w.Course(t, "paid", 499_00)
	ada, admin := w.Person(t, "ada", learning.Student), w.Person(t, "admin", learning.Admin)
	o := w.order(t, ada, paid)
	do("pay",
		func() error {
			return w.Platform.System().CapturePayment(ctx(),
				capturedPayment(o, "pay_1"))
		})
	do("enrol", func() error {
		_, err := w.Platform.OpenOrder(ctx(), ada, learning.OrderRequest{CourseID: "free"})
		return err
	})
	do("complete", func() error {
		_, err := w.Platform.CompleteLecture(ctx(), ada, "free", "a")
		return err
	})
	w.gradesWork(t, ada, "free", "essay")
	w.reviews(t, ada, "free", 5, "Good")
	w.newReply(t, ada, w.asks(t, ada, "free", "a", "Why?").ID)
	w.answersQuiz(t, ada, "free", "one")
	do("certify", func() error {
		_, err := w.Platform.GenerateCertificate(ctx(), ada, "free")
		return err
	})
	c, err := w.Platform.Certificate(ctx(), ada, "free")
	if err != nil {
		t.Fatal(err)
	}
	do("revoke", func() error {
		_, err := w.Platform.System().RevokeCertificate(ctx(), c.ID, "a mistake")
		return err
	})
	apply := func() error {
		_, err := w.Platform.Apply(ctx(), ada, submitted())
		return err
	}
	do("apply", apply)
	a, err := w.Platform.ApplicationOf(ctx(), ada)
	if err != nil || a == nil {
		t.Fatal(err)
	}
	do("reject", func() error { return w.Platform.Reject(ctx(), admin, a.ID, "no") })
	do("apply again", apply)
	do("approve", func() error { return w.Platform.Approve(ctx(), admin, a.ID) })
	w.deleted(t, "ada", n)
}

// answersQuiz saves a quiz of one question, which a student answers.
func (w *fixture) answersQuiz(t *testing.T, student learning.Actor, courseID, chapterID string) {
	t.Helper()
	w.saves(t, learning.QuizEdit{CourseID: courseID, ChapterID: chapterID,
		Questions: []learning.Question{{ID: "q", Kind: learning.TrueFalse, Text: "1 < 2", Points: 1,
			Solution: &learning.Solution{Answer: true}}},
		Settings: learning.QuizSettings{PassPercent: 50, Review: learning.ReviewNever}})
	a, err := w.Platform.StartAttempt(ctx(), student, courseID, chapterID)
	must(t, err)
	_, err = w.Platform.SubmitAttempt(ctx(), student, a.ID,
		map[string]learning.Answer{"q": true})
	must(t, err)
}

func TestEvents_EachIsWrittenOnceUnderRaces(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		r, p := &receiver{}, &fakeRenderer{}
		w := newFixture(t, database, r.option(), p.option())
		w.eachEvent(t, 10)
		// The events of the student in their order, beside those of two courses and purchases.
		want := []learning.EventType{learning.EventEnrollmentCreated,
			learning.EventEnrollmentCreated, learning.EventLectureCompleted,
			learning.EventAssignmentSubmitted, learning.EventAssignmentReturned,
			learning.EventAssignmentGraded, learning.EventLectureCompleted,
			learning.EventCourseCompleted, learning.EventReviewCreated,
			learning.EventPostCreated, learning.EventReplyCreated, learning.EventQuizSubmitted,
			learning.EventCertificateIssued, learning.EventCertificateRevoked,
			learning.EventApplicationSubmitted,
			learning.EventApplicationRejected, learning.EventApplicationSubmitted,
			learning.EventApplicationApproved, learning.EventUserDeleted}
		count := map[learning.EventType]int{
			learning.EventCoursePublished: 2, learning.EventPurchaseCompleted: 2}
		for _, kind := range want {
			count[kind]++
		}
		w.wantEvents(t, count)
		w.deliverEvents(t, len(want)+4)
		if diff := cmp.Diff(want, r.types("user:ada")); diff != "" {
			t.Errorf("the events of the user (-want +got):\n%s", diff)
		}
		w.deliverEvents(t, 0)
	})
}

// All transactions write an event of the same subject.
func TestEvents_ConcurrentTransactionsNumberOneSubject(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		const courses = 12
		ada := w.Person(t, "ada", learning.Student)
		for i := range courses {
			w.publish(t, fmt.Sprint("course-", i), chapter("one", "a"))
		}
		errs := concurrently(courses, func(i int) error {
			_, err := w.Platform.OpenOrder(ctx(), ada,
				learning.OrderRequest{CourseID: fmt.Sprint("course-", i)})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": courses}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.count(t, "event_deliveries WHERE subject = 'user:ada' AND seq BETWEEN 1 AND ?",
			courses); n != courses {
			t.Errorf("%d events have a position of %d", n, courses)
		}
		w.deliverEvents(t, 3*courses)
	})
}

// The last lectures are completed at the same time, in different transactions.
func TestEvents_LastLecturesAtOnceCompleteTheCourseOnce(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		lectures := []string{"a", "b", "c", "d", "e", "f"}
		w.publish(t, "go", chapter("one", lectures...))
		ada := w.enrolls(t, "ada", "go")
		errs := concurrently(3*len(lectures), func(i int) error {
			_, err := w.Platform.CompleteLecture(ctx(), ada, "go", lectures[i%len(lectures)])
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 3 * len(lectures)}, countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.count(t, "event_deliveries WHERE type = 'course.completed'"); n != 1 {
			t.Errorf("%d events", n)
		}
	})
}

// insertEvents writes events, up to 1,000 in one transaction.
func insertEvents(tb testing.TB, k *learningtest.Kit, list []outbox.Delivery) {
	tb.Helper()
	for start := 0; start < len(list); start += 1000 {
		err := k.Store.InTx(tb.Context(), func(tx learning.Tx) error {
			for i := start; i < min(start+1000, len(list)); i += 100 {
				if err := tx.InsertEvents(tb.Context(),
					list[i:min(i+100, start+1000, len(list))]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
}
