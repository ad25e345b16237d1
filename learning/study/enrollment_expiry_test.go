package study_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

const day = 24 * time.Hour

// withTerms publishes a course of this price with terms, and returns a student.
func withTerms(t *testing.T, w *roomtest.World, price core.Money, terms catalog.Terms) core.Actor {
	t.Helper()
	w.Course(t, "go", price)
	w.Edit(t, "go", catalog.CourseEdit{Terms: &terms})
	return w.Person(t, "ada", core.Student)
}

// enrolled reads the enrolment of ada.
func enrolled(t *testing.T, w *roomtest.World) study.Enrollment {
	t.Helper()
	e, err := w.Store.Enrollment(ctx(), "ada", "go")
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// wants fails unless err is want.
func wants(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || want == nil && err != nil {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// Access lasts until its end, to the microsecond. Afterwards nothing can be written and no lecture
// read, and the course can be bought again: the student has one enrolment, and the progress of
// before.
func TestExpiry_EndsAccessAndTheCourseCanBeBoughtAgain(t *testing.T) {
	roomtest.WithEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		ada := withTerms(t, w, 499_00, catalog.Terms{Days: 60})
		first := w.Sold(t, ada, "go")
		end := enrolled(t, w).ExpiresAt
		if want := w.Clock.Now().Add(60 * day); end.Sub(want).Abs() > time.Minute {
			t.Fatalf("access ends at %v, want about %v", end, want)
		}
		w.Learns(t, ada, "go", true, "lecture")
		_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: "go"})
		wants(t, "bought again", err, study.ErrAlreadyEnrolled)

		w.Clock.Set(end.Add(-time.Microsecond))
		_, err = w.Platform.Study.EnrolledCourse(ctx(), ada, "go")
		wants(t, "before the end", err, nil)
		w.Tidy(t)
		w.Clock.Set(end)
		_, err = w.Platform.Study.EnrolledCourse(ctx(), ada, "go")
		wants(t, "the course at the end", err, study.ErrAccessEnded)
		_, err = w.Platform.Study.CompleteLecture(ctx(), ada, "go", "lecture")
		wants(t, "a lecture at the end", err, study.ErrAccessEnded)
		err = w.Platform.Study.SavePosition(ctx(), ada, "go", "lecture", 3)
		wants(t, "a position at the end", err, study.ErrAccessEnded)
		w.Tidy(t)
		w.Tidy(t)

		second := w.Sold(t, ada, "go")
		if got, want := enrolled(t, w), w.Clock.Now().Add(60*day); got.PurchaseID != second.ID ||
			got.ExpiresAt.Sub(want).Abs() > time.Minute {
			t.Errorf("the enrolment is %+v, want one until %v", got, want)
		}
		w.WantProgress(t, ada, "go", true, "lecture")
		w.WantSold(t, "go", 1, 2, 0)

		// A refund of the first purchase does not touch the second enrolment.
		if _, err := w.Refund(t, roomtest.Boss, first.ID, 0); err != nil {
			t.Fatal(err)
		}
		if got := enrolled(t, w); got.PurchaseID != second.ID {
			t.Errorf("the enrolment is %+v", got)
		}
		w.WantValidSales(t)
		w.DeliverEvents(t, -1)
		want := []core.EventType{study.EventEnrollmentCreated, study.EventLectureCompleted, study.EventCourseCompleted,
			study.EventEnrollmentExpiring, core.EventNotificationCreated,
			study.EventEnrollmentExpired, study.EventEnrollmentEnded,
			study.EventEnrollmentCreated, core.EventNotificationCreated}
		if diff := cmp.Diff(want, r.Types("user:ada")); diff != "" {
			t.Error(diff)
		}
	})
}

// failingExpiry is a store in which the end of the access of one user cannot be stored.
type failingExpiry struct {
	learning.Store
	userID string
}

func (s *failingExpiry) InTx(ctx context.Context, fn func(tx learning.Tx) error) error {
	return s.Store.InTx(ctx, func(tx learning.Tx) error {
		return fn(failingExpiryTx{tx, s.userID})
	})
}

type failingExpiryTx struct {
	learning.Tx
	userID string
}

var errExpiry = errors.New("the row cannot be written")

func (t failingExpiryTx) SetExpiry(ctx context.Context, e study.Enrollment) error {
	if e.UserID == t.userID {
		return errExpiry
	}
	return t.Tx.SetExpiry(ctx, e)
}

// An enrolment that fails each time does not keep the others waiting.
func TestExpiry_GoesOnAfterAFailure(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithStore(
		func(s learning.Store) learning.Store { return &failingExpiry{s, "ada"} }))
	w.Course(t, "go", 499_00)
	for _, id := range []string{"ada", "bea"} { // ada's access ends first
		w.Person(t, id, core.Student)
		_, err := w.Platform.Study.GrantEnrollment(ctx(), roomtest.Boss, study.Grant{UserID: id,
			CourseID: "go", ExpiresAt: w.Clock.Now().Add(time.Hour)})
		roomtest.Must(t, err)
		w.Clock.Advance(time.Second)
	}
	w.Clock.Advance(2 * time.Hour)
	for range 2 {
		err := w.Platform.System().Tidy(ctx())
		wants(t, "tidying", err, errExpiry)
	}
	due, err := w.Store.DueExpiries(ctx(), w.Clock.Now(), 10)
	if diff := cmp.Diff([]study.EnrollmentKey{{UserID: "ada", CourseID: "go"}}, due); diff != "" ||
		err != nil {
		t.Errorf("%s, %v", diff, err)
	}
}

// In the last 30 days the course can be bought again, and the new time begins at the end of the
// old. The enrolment stays. A refund of either purchase leaves what the other one gives.
func TestExpiry_RenewalAddsToTheTimeThatIsLeft(t *testing.T) {
	for _, refunded := range []int{0, 1} {
		w := roomtest.New(t, roomtest.SQLite(t))
		ada := withTerms(t, w, 499_00, catalog.Terms{Days: 60})
		sold := []purchase.Purchase{w.Sold(t, ada, "go")}
		before := enrolled(t, w)
		w.Clock.Set(before.ExpiresAt.Add(-study.RenewBefore - time.Second))
		_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: "go"})
		wants(t, "31 days before the end", err, study.ErrAlreadyEnrolled)
		w.Clock.Set(before.ExpiresAt.Add(-study.RenewBefore))
		sold = append(sold, w.Sold(t, ada, "go"))
		renewed := enrolled(t, w)
		if !renewed.ExpiresAt.Equal(before.ExpiresAt.Add(60*day)) ||
			!renewed.CreatedAt.Equal(before.CreatedAt) {
			t.Errorf("the enrolment %+v was renewed to %+v", before, renewed)
		}
		if _, err := w.Refund(t, roomtest.Boss, sold[refunded].ID, 0); err != nil {
			t.Fatal(err)
		}
		left := enrolled(t, w)
		want := []time.Time{renewed.ExpiresAt, before.ExpiresAt}[refunded]
		if !left.ExpiresAt.Equal(want) || left.PurchaseID != sold[1-refunded].ID {
			t.Errorf("after the refund of purchase %d the enrolment is %+v, want the end %v",
				refunded, left, want)
		}
		w.WantValidSales(t)
	}
}

// Each cause keeps its own end, and the latest counts. What an admin decides counts before all.
func TestExpiry_TheLatestCauseCountsAndTheAdminBeforeAll(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := withTerms(t, w, 499_00, catalog.Terms{Days: 10})
	bought := w.Sold(t, ada, "go")
	end := func() time.Time { return enrolled(t, w).ExpiresAt }
	now := w.Clock.Now()
	_, err := w.Platform.Study.GrantEnrollment(ctx(), roomtest.Boss, study.Grant{UserID: "ada",
		CourseID: "go", ExpiresAt: now.Add(90 * day)})
	wants(t, "grant", err, nil)
	if !end().Equal(now.Add(90 * day)) {
		t.Errorf("with the grant access ends at %v", end())
	}
	change := func(at *time.Time) study.ChangedEnrollment {
		t.Helper()
		e, err := w.Platform.Study.ChangeEnrollment(ctx(), roomtest.Boss, study.EnrollmentChange{
			UserID: "ada", CourseID: "go", ExpiresAt: at, Reason: new("A reason")})
		wants(t, "change", err, nil)
		return e
	}
	if e := change(new(now.Add(-time.Second))); !e.IsExpired || e.DecidedBy != "boss" {
		t.Errorf("after the end by an admin: %+v", e)
	}
	_, err = w.Platform.Study.EnrolledCourse(ctx(), ada, "go")
	wants(t, "after the end by an admin", err, study.ErrAccessEnded)
	change(new(time.Time{}))
	if _, err := w.Refund(t, roomtest.Boss, bought.ID, 0); err != nil {
		t.Fatal(err)
	}
	if !end().IsZero() {
		t.Errorf("the decision of the admin is lost: %v", end())
	}
	for name, actor := range map[string]core.Actor{"student": ada, "educator": roomtest.Teacher} {
		_, err := w.Platform.Study.ChangeEnrollment(ctx(), actor,
			study.EnrollmentChange{UserID: "ada", CourseID: "go"})
		wants(t, name, err, core.ErrForbidden)
	}
}

// A course that has ended is not sold. A payment of an order of before is refunded, unless the
// course was prolonged meanwhile.
func TestExpiry_CourseThatHasEndedIsNotSold(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	until := w.Clock.Now().Add(day)
	ada := withTerms(t, w, 499_00, catalog.Terms{Until: until})
	bob := w.Person(t, "bob", core.Student)
	of, ofBob := w.Order(t, ada, "go"), w.Order(t, bob, "go")
	paid, paidByBob := w.Pay(t, of.OrderID), w.Pay(t, ofBob.OrderID)
	w.Clock.Set(until)
	_, err := w.Platform.Sales.Quote(ctx(), ada, sale.QuoteRequest{CourseID: "go"})
	wants(t, "quote", err, catalog.ErrCourseEnded)
	_, err = w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: "go"})
	wants(t, "order", err, catalog.ErrCourseEnded)
	_, err = w.Platform.Study.GrantEnrollment(ctx(), roomtest.Boss,
		study.Grant{UserID: "ada", CourseID: "go"})
	wants(t, "grant", err, catalog.ErrCourseEnded)
	err = w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(of, paid.ID))
	wants(t, "payment", err, nil)
	w.WantStatus(t, of.PurchaseID, purchase.Refunded)

	w.Edit(t, "go", catalog.CourseEdit{Terms: &catalog.Terms{Until: until.Add(day)}})
	err = w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(ofBob, paidByBob.ID))
	wants(t, "payment after it was prolonged", err, nil)
	w.WantStatus(t, ofBob.PurchaseID, purchase.Completed)
	e, err := w.Store.Enrollment(ctx(), "bob", "go")
	if err != nil || !e.ExpiresAt.Equal(until.Add(day)) {
		t.Errorf("the enrolment is %+v (%v)", e, err)
	}
	w.WantValidSales(t)
}

// The terms of the moment when the order was opened count, and those of enrolments of before stay.
func TestExpiry_TermsOfTheOrderCount(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := withTerms(t, w, 499_00, catalog.Terms{Days: 30})
	o := w.Order(t, ada, "go")
	w.Edit(t, "go", catalog.CourseEdit{Terms: &catalog.Terms{Days: 1}})
	paid := w.Pay(t, o.OrderID)
	if err := w.Platform.System().CapturePayment(ctx(),
		roomtest.CapturedPayment(o, paid.ID)); err != nil {
		t.Fatal(err)
	}
	want := w.Clock.Now().Add(30 * day)
	if e := enrolled(t, w); e.ExpiresAt.Sub(want).Abs() > time.Minute {
		t.Errorf("access ends at %v, want %v", e.ExpiresAt, want)
	}
	w.Edit(t, "go", catalog.CourseEdit{Terms: &catalog.Terms{}})
	if e := enrolled(t, w); e.ExpiresAt.IsZero() {
		t.Error("an edit of the terms has changed the end of an enrolment")
	}
}

// Required courses must be completed before a course is bought; an unpublished one is not asked
// for.
func TestRequires_AskedBeforeThePurchase(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Publish(t, "first", roomtest.Chapter("a", "l1", "l2"))
	w.Publish(t, "second", roomtest.Chapter("a", "l1"))
	require := func(course string, ids ...string) error {
		_, err := w.TryEdit(roomtest.Teacher, course,
			catalog.CourseEdit{Terms: &catalog.Terms{Requires: ids}})
		return err
	}
	wants(t, "an own course", require("second", "first"), nil)
	wants(t, "itself", require("first", "first"), core.ErrInvalidRequest)
	wants(t, "a circle", require("first", "second"), core.ErrInvalidRequest)
	wants(t, "an unknown course", require("first", "none"), core.ErrInvalidRequest)
	ada := w.Enrolls(t, "ada", "first")
	buys := func() error {
		_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: "second"})
		return err
	}
	w.Learns(t, ada, "first", false, "l1")
	wants(t, "one lecture", buys(), study.ErrCoursesRequired)
	_, err := w.Platform.Sales.Quote(ctx(), ada, sale.QuoteRequest{CourseID: "second"})
	wants(t, "quote", err, study.ErrCoursesRequired)
	w.Edit(t, "first", catalog.CourseEdit{Published: new(false)})
	_, err = w.Platform.Sales.Quote(ctx(), ada, sale.QuoteRequest{CourseID: "second"})
	wants(t, "quote without a course that is unpublished", err, nil)
	w.Edit(t, "first", catalog.CourseEdit{Published: new(true)})
	w.Learns(t, ada, "first", true, "l2")
	wants(t, "all lectures", buys(), nil)
}

// What belongs to a lecture that is not open can be neither read nor written.
func TestLocks_HoldForAllOfALecture(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	later := roomtest.Chapter("b", "l3")
	later.Opens = catalog.Opening{AfterDays: 2}
	w.Publish(t, "go", roomtest.Chapter("a", "l1", "l2"), later)
	w.Edit(t, "go", catalog.CourseEdit{Terms: &catalog.Terms{InOrder: true}})
	ada := w.Enrolls(t, "ada", "go")
	shown := func() (locks []catalog.LockedBy) {
		t.Helper()
		c, err := w.Platform.Study.EnrolledCourse(ctx(), ada, "go")
		if err != nil {
			t.Fatal(err)
		}
		for _, ch := range c.Content {
			for _, l := range ch.Lectures {
				lock := c.Locks[l.ID]
				locks = append(locks, lock.By)
				if (lock.By == "") != (l.URL != "") {
					t.Errorf("the lecture %s has the lock %+v and the URL %q", l.ID, lock, l.URL)
				}
			}
		}
		return locks
	}
	locked := []catalog.LockedBy{"", catalog.LockedByOrder, catalog.LockedByTime}
	if diff := cmp.Diff(locked, shown()); diff != "" {
		t.Error(diff)
	}
	for _, id := range []string{"l2", "l3"} {
		_, err := w.Platform.Study.CompleteLecture(ctx(), ada, "go", id)
		wants(t, "complete "+id, err, study.ErrLectureLocked)
		err = w.Platform.Study.SavePosition(ctx(), ada, "go", id, 1)
		wants(t, "position in "+id, err, study.ErrLectureLocked)
		_, err = w.Platform.Study.CreateNote(ctx(), ada,
			study.NewNote{CourseID: "go", LectureID: id, Text: "A note"})
		wants(t, "note at "+id, err, study.ErrLectureLocked)
	}
	wants(t, "position in l1", w.Platform.Study.SavePosition(ctx(), ada, "go", "l1", 1), nil)
	w.AddQuiz(t, "go", later)
	_, err := w.Platform.Assess.StartAttempt(ctx(), ada, "go", "b")
	wants(t, "quiz", err, study.ErrLectureLocked)
	_, err = w.Platform.Assess.SubmitQuiz(ctx(), ada,
		assess.QuizAnswers{CourseID: "go", ChapterID: "b"})
	wants(t, "answers", err, study.ErrLectureLocked)

	w.Learns(t, ada, "go", false, "l1", "l2")
	w.Clock.Advance(2*day - time.Minute)
	if diff := cmp.Diff(catalog.LockedByTime, shown()[2]); diff != "" {
		t.Error(diff)
	}
	w.Clock.Advance(time.Minute)
	if diff := cmp.Diff(make([]catalog.LockedBy, 3), shown()); diff != "" {
		t.Error(diff)
	}

	// An attempt of a time when the chapter was open does not show its questions any more.
	a, err := w.Platform.Assess.StartAttempt(ctx(), ada, "go", "b")
	wants(t, "open quiz", err, nil)
	w.Clock.Advance(-time.Minute)
	_, err = w.Platform.Assess.Attempt(ctx(), ada, a.ID)
	wants(t, "open attempt", err, study.ErrLectureLocked)
}
