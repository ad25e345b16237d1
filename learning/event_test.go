package learning_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/eventjson"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
)

// withEventsOnEngines runs a test on each engine, with a receiver of events.
func withEventsOnEngines(t *testing.T, test func(t *testing.T, w *roomtest.World,
	r *roomtest.Receiver)) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		r := &roomtest.Receiver{}
		test(t, roomtest.New(t, database, r.Option()), r)
	})
}

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
		p := &fakeRenderer{}
		w := roomtest.New(t, database, p.option())
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

// The data has exactly the documented fields, and none of them tells who the user is.
func TestEvents_DataHasTheDocumentedFields(t *testing.T) {
	r, p := &roomtest.Receiver{}, &fakeRenderer{}
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db", r.Option(), p.option())
	w.EachEvent(t, 1)
	w.DeliverEvents(t, -1)
	seen := map[learning.EventType]bool{}
	for _, e := range r.Events() {
		seen[e.Type] = true
		text, err := eventjson.MarshalData(e.Data)
		if err != nil {
			t.Fatal(err)
		}
		var data map[string]any
		if err := json.Unmarshal(text, &data); err != nil {
			t.Fatal(err)
		}
		want := slices.Sorted(slices.Values(eventjson.Fields[e.Type]))
		if e.Type == learning.EventPurchaseCompleted && e.Data.Amount == 0 { // without a payment
			want = slices.DeleteFunc(want, func(field string) bool { return field == "paymentId" })
		}
		if diff := cmp.Diff(want, slices.Sorted(maps.Keys(data))); diff != "" ||
			strings.Contains(string(text), "@") {
			t.Errorf("%s has the data %s (-want +got):\n%s", e.Type, text, diff)
		}
		if e.ID == "" || !e.CreatedAt.Equal(e.CreatedAt.Truncate(time.Microsecond)) ||
			!strings.HasSuffix(e.Subject, subjectID(e)) {
			t.Errorf("invalid event %+v", e)
		}
	}
	for _, later := range []learning.EventType{learning.EventCourseUpdated,
		learning.EventCourseUnpublished, learning.EventPurchaseRefunded, learning.EventPurchaseRefundFailed,
		learning.EventEnrollmentEnded} {
		seen[later] = true // no operation writes them yet
	}
	if len(seen) != len(eventjson.Fields) {
		t.Errorf("only %v were written", seen)
	}
}

// subjectID returns the end of the subject that an event must have.
func subjectID(e learning.Event) string {
	kind, _, _ := strings.Cut(string(e.Type), ".")
	switch {
	case kind == "purchase":
		return "purchase:" + e.Data.PurchaseID
	case kind == "course" && e.Type != learning.EventCourseCompleted:
		return "course:" + e.Data.CourseID
	}
	return "user:" + e.Data.UserID
}

func TestEvents_EachIsWrittenOnceUnderRaces(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		r, p := &roomtest.Receiver{}, &fakeRenderer{}
		w := roomtest.New(t, database, r.Option(), p.option())
		w.EachEvent(t, 10)
		w.WantEvents(t, map[learning.EventType]int{
			learning.EventCoursePublished: 2, learning.EventPurchaseCompleted: 2,
			learning.EventEnrollmentCreated:   2,
			learning.EventLectureCompleted:    2,
			learning.EventAssignmentSubmitted: 1, learning.EventAssignmentReturned: 1,
			learning.EventAssignmentGraded: 1,
			learning.EventCourseCompleted:  1, learning.EventCertificateIssued: 1,
			learning.EventPostCreated: 1, learning.EventReplyCreated: 1,
			learning.EventReviewCreated: 1, learning.EventQuizSubmitted: 1,
			learning.EventCertificateRevoked:   1,
			learning.EventApplicationSubmitted: 2, learning.EventApplicationRejected: 1,
			learning.EventApplicationApproved: 1,
			learning.EventUserDeleted:         1,
		})
		w.DeliverEvents(t, 23)
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
		ada := w.Person(t, "ada", learning.Student)
		for i := range courses {
			w.Publish(t, fmt.Sprint("course-", i), roomtest.Chapter("one", "a"))
		}
		errs := roomtest.Concurrently(courses, func(i int) error {
			_, err := w.Platform.OpenOrder(ctx(), ada,
				learning.OrderRequest{CourseID: fmt.Sprint("course-", i)})
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
			_, err := w.Platform.CompleteLecture(ctx(), ada, "go", lectures[i%len(lectures)])
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
