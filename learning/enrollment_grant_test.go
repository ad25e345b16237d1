package learning_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// grants enrols a user as the admin does, and checks whether that created the enrolment.
func (w *fixture) grants(t *testing.T, want bool, userID, courseID string) {
	t.Helper()
	if created, err := w.Platform.GrantEnrollment(ctx(), boss, userID, courseID,
		"Scholarship"); err != nil || created != want {
		t.Errorf("the enrolment is created: %t with the error %v, want %t", created, err, want)
	}
}

// reports lists the enrolments that a query selects, in pages of two, and checks that each
// has a title.
func (w *fixture) reports(t *testing.T,
	q learning.EnrollmentQuery) (list []learning.EnrollmentReport) {
	t.Helper()
	page := learning.PageRequest{Limit: 2}
	for {
		found, err := w.Platform.Enrollments(ctx(), boss, q, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range found.Rows {
			if r.CourseTitle == "" {
				t.Errorf("%+v has no title", r)
			}
		}
		list = append(list, found.Rows...)
		if page.After = found.Next; found.Next.IsZero() {
			return list
		}
	}
}

func TestGrantEnrollment_OnceForADraftTooAndWithoutAPurchase(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		w.Person(t, "ada", learning.Student)
		w.Course(t, "go", 499_00)
		w.exec(t, "UPDATE courses SET is_published = 0 WHERE id = 'go'")
		w.grants(t, true, "ada", "go")
		w.grants(t, false, "ada", "go")
		w.wantSold(t, "go", 1, 0, 0)
		if n := w.count(t,
			"enrollments WHERE user_id = 'ada' AND granted_by = 'boss' AND reason = 'Scholarship' "+
				"AND purchase_id = ''"); n != 1 {
			t.Errorf("%d decisions are kept", n)
		}
		w.wantValidSales(t)
		w.deliverEvents(t, -1)
		if diff := cmp.Diff([]learning.EventType{learning.EventEnrollmentCreated},
			r.types("user:ada")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestGrantEnrollment_Refuses(t *testing.T) {
	w := newFixture(t, sqlite(t))
	w.Person(t, "ada", learning.Student)
	w.Person(t, "gone", learning.Student)
	w.Course(t, "go", 499_00)
	w.apply(t, learning.IdentityEvent{Type: learning.UserDeleted,
		SentAt: w.Clock.Now().Add(time.Hour), User: learning.IdentityUser{ID: "gone"}})
	before := w.dump(t)
	for name, c := range map[string]struct {
		actor                    learning.Actor
		userID, courseID, reason string
		want                     error
	}{
		"nobody": {learning.Actor{}, "ada", "go", "", learning.ErrUnauthenticated},
		"student": {learning.Actor{UserID: "ada", Role: learning.Student}, "ada", "go", "",
			learning.ErrForbidden},
		"educator": {learning.Actor{UserID: "eve", Role: learning.Educator}, "ada", "go", "",
			learning.ErrForbidden},
		"unknown_user":   {boss, "Ada", "go", "", learning.ErrUserNotFound},
		"deleted_user":   {boss, "gone", "go", "", learning.ErrUserNotFound},
		"unknown_course": {boss, "ada", "Go", "", learning.ErrCourseNotFound},
		"long_reason": {boss, "ada", "go", strings.Repeat("界", learning.MaxEnrollmentReason+1),
			learning.ErrInvalidRequest},
		"damaged_reason":  {boss, "ada", "go", "\xff", learning.ErrInvalidRequest},
		"id_with_a_space": {boss, "ada ", "go", "", learning.ErrUserNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			created, err := w.Platform.GrantEnrollment(ctx(), c.actor, c.userID, c.courseID,
				c.reason)
			if created || !errors.Is(err, c.want) {
				t.Errorf("the result is %t and %v, want %v", created, err, c.want)
			}
		})
	}
	if diff := cmp.Diff(before, w.dump(t)); diff != "" {
		t.Error(diff)
	}
}

func TestEndEnrollment_ByAnAdminWhateverItCameFrom(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada, _ := w.bought(t, "go")
		w.Course(t, "free", 0)
		w.enrolls(t, ada.UserID, "free")
		w.Course(t, "granted", 499_00)
		w.grants(t, true, ada.UserID, "granted")
		for _, id := range []string{"go", "free", "granted"} {
			if err := w.Platform.EndEnrollment(ctx(), boss, ada.UserID, id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			w.students(t, id)
		}
		if n := w.count(t, "past_enrollments WHERE ended_by = 'boss'"); n != 3 ||
			w.count(t, "enrollments") != 0 {
			t.Errorf("%d enrolments ended", n)
		}
		w.wantValidSales(t)
		if err := w.Platform.EndEnrollment(ctx(), boss, ada.UserID, "go"); !errors.Is(err,
			learning.ErrEnrollmentNotFound) {
			t.Errorf("repeated: %v", err)
		}
	})
}

func TestEndEnrollment_Refuses(t *testing.T) {
	w := newFixture(t, sqlite(t))
	ada, _ := w.bought(t, "go")
	w.Course(t, "other", 0)
	before := w.dump(t)
	for name, c := range map[string]struct {
		actor            learning.Actor
		userID, courseID string
		want             error
	}{
		"nobody":      {learning.Actor{}, "ada", "go", learning.ErrUnauthenticated},
		"the_student": {ada, "ada", "go", learning.ErrForbidden},
		"educator": {learning.Actor{UserID: "eve", Role: learning.Educator}, "ada", "go",
			learning.ErrForbidden},
		"unknown_user":   {boss, "Ada", "go", learning.ErrUserNotFound},
		"unknown_course": {boss, "ada", "Go", learning.ErrCourseNotFound},
		"not_enrolled":   {boss, "ada", "other", learning.ErrEnrollmentNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			if err := w.Platform.EndEnrollment(ctx(), c.actor, c.userID,
				c.courseID); !errors.Is(err, c.want) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
		})
	}
	if diff := cmp.Diff(before, w.dump(t)); diff != "" {
		t.Error(diff)
	}
}

// The deletion of a user leaves the enrolments and the ids of who decided, as purchases stay.
func TestEnrollments_OfADeletedUserStayWithoutTheReasons(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		w.Person(t, "ada", learning.Student)
		w.Person(t, "boss", learning.Admin)
		w.Course(t, "go", 499_00)
		w.Course(t, "past", 499_00)
		w.grants(t, true, "ada", "go")
		w.grants(t, true, "ada", "past")
		w.end(t, true, "ada", "past")
		w.exec(t, "UPDATE past_enrollments SET end_reason = 'ada is rude'")
		for _, id := range []string{"ada", "boss"} {
			w.apply(t, learning.IdentityEvent{Type: learning.UserDeleted,
				SentAt: w.Clock.Now().Add(time.Hour), User: learning.IdentityUser{ID: id}})
		}
		for _, r := range w.reports(t, learning.EnrollmentQuery{UserID: "ada"}) {
			if r.Reason+r.EndReason != "" || r.GrantedBy != "boss" {
				t.Errorf("the enrolment is %+v", r)
			}
		}
		if n := w.students(t, "go"); n != 1 {
			t.Errorf("%d students", n)
		}
		if err := w.Platform.EndEnrollment(ctx(), boss, "ada", "go"); err != nil {
			t.Errorf("the enrolment of a deleted user cannot be ended: %v", err)
		}
		if err := w.Platform.EndEnrollment(ctx(), boss, "ada", "go"); !errors.Is(err,
			learning.ErrUserNotFound) {
			t.Errorf("repeated: %v", err)
		}
	})
}

func TestEnrollments_ActiveAndPastNewestFirst(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada, _ := w.bought(t, "go")
		w.Course(t, "free", 0)
		w.Clock.Advance(time.Minute)
		w.enrolls(t, ada.UserID, "free")
		w.Clock.Advance(time.Minute)
		if err := w.Platform.EndEnrollment(ctx(), boss, ada.UserID, "go"); err != nil {
			t.Fatal(err)
		}
		w.grants(t, true, ada.UserID, "go")
		w.Clock.Advance(time.Minute)
		w.enrolls(t, "eve", "free")

		list := w.reports(t, learning.EnrollmentQuery{})
		var got []string
		for _, r := range list {
			got = append(got,
				strings.Join([]string{r.UserID, r.CourseID, string(r.Origin), r.Reason, r.EndedBy},
					" "))
		}
		want := []string{"eve free free  ", "ada go grant Scholarship ", "ada free free  ",
			"ada go purchase  boss"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
		for q, want := range map[learning.EnrollmentQuery][]learning.EnrollmentReport{
			{UserID: "ada"}:                  list[1:],
			{CourseID: "free"}:               {list[0], list[2]},
			{UserID: "ada", CourseID: "go"}:  {list[1], list[3]},
			{UserID: "eve", CourseID: "go"}:  nil,
			{UserID: "nobody"}:               nil,
			{UserID: "ada ", CourseID: "go"}: nil,
		} {
			if diff := cmp.Diff(want, w.reports(t, q)); diff != "" {
				t.Errorf("%+v: %s", q, diff)
			}
		}
	})
}

func TestEnrollments_OnlyForAdmins(t *testing.T) {
	w := newFixture(t, sqlite(t))
	for want, actor := range map[error]learning.Actor{learning.ErrUnauthenticated: {},
		learning.ErrForbidden: {UserID: "eve", Role: learning.Educator}} {
		if _, err := w.Platform.Enrollments(ctx(), actor, learning.EnrollmentQuery{},
			learning.PageRequest{Limit: 1}); !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
	}
	for _, limit := range []int{0, -1, learning.MaxPageRows + 1} {
		if _, err := w.Platform.Enrollments(ctx(), boss, learning.EnrollmentQuery{},
			learning.PageRequest{Limit: limit}); !errors.Is(err, learning.ErrInvalidRequest) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// The user was granted a course with an open order, which can still be paid.
func TestGrantEnrollment_LaterPaymentCompletesThePurchaseWithoutAnEnrolment(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada := w.Person(t, "ada", learning.Student)
		o := w.order(t, ada, w.Course(t, "go", 499_00))
		w.grants(t, true, "ada", "go")
		if _, err := w.Platform.OpenOrder(ctx(), ada,
			learning.OrderRequest{CourseID: "go"}); !errors.Is(err, learning.ErrAlreadyEnrolled) {
			t.Errorf("another order: %v", err)
		}
		if err := w.Platform.System().CapturePayment(ctx(),
			capturedPayment(o, w.pay(t, o.OrderID).ID)); err != nil {
			t.Fatal(err)
		}
		w.wantSold(t, "go", 1, 1, 0)
		w.wantLogged(t, "double payment", 1)
		w.wantValidSales(t)
		// The refund of the purchase must not end what the admin gave.
		if _, err := w.refund(t, boss, o.PurchaseID, 0); err != nil {
			t.Fatal(err)
		}
		w.wantSold(t, "go", 1, 0, 0)
		w.wantValidSales(t)
	})
}

// The certificate and the completion of the first enrolment stay, so there are no second ones.
func TestGrantEnrollment_AgainFindsTheProgress(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		w.publish(t, "go", chapter("one", "a", "b"))
		ada := w.enrolls(t, "ada", "go")
		complete := func(lecture string, want error) {
			if _, err := w.Platform.CompleteLecture(ctx(), ada, "go", lecture); !errors.Is(err,
				want) {
				t.Errorf("complete %s: %v, want %v", lecture, err, want)
			}
		}
		complete("a", nil)
		complete("b", nil)
		if err := w.Platform.EndEnrollment(ctx(), boss, "ada", "go"); err != nil {
			t.Fatal(err)
		}
		complete("a", learning.ErrNotPurchased)
		w.grants(t, true, "ada", "go")
		progress, err := w.Platform.Progress(ctx(), ada, "go")
		if err != nil || !progress.Completed() {
			t.Errorf("the progress is %+v: %v", progress, err)
		}
		complete("b", nil)
		w.deliverEvents(t, -1)
		types := slices.DeleteFunc(r.types("user:ada"),
			func(e learning.EventType) bool { return e != learning.EventCourseCompleted })
		if len(types) != 1 {
			t.Errorf("%d completions were told", len(types))
		}
	})
}

// A buyer gets a grant too. The refund of the purchase leaves it, and so does a refund that fails.
func TestGrantEnrollment_OfABuyerStaysAfterARefund(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, r *receiver) {
		ada, boss := w.Person(t, "ada", learning.Student), w.Person(t, "boss", learning.Admin)
		sold := w.sold(t, ada, w.Course(t, "go", 10_00))
		for range 2 {
			w.grants(t, false, "ada", "go")
		}
		reported := func(origin learning.EnrollmentOrigin) {
			t.Helper()
			list := w.reports(t, learning.EnrollmentQuery{UserID: "ada"})
			if len(list) != 1 || list[0].Origin != origin || list[0].Reason != "Scholarship" ||
				list[0].GrantedAt.IsZero() || !list[0].EndedAt.IsZero() {
				t.Errorf("the enrolments are %+v", list)
			}
		}
		reported(learning.EnrollmentPurchased)
		if _, err := w.refund(t, boss, sold.ID, 0); err != nil {
			t.Fatal(err)
		}
		w.wantSold(t, "go", 1, 0, 0)
		reported(learning.EnrollmentGranted)
		w.mustTell(t, sandbox.RefundFailed, w.refundsAt(t, sold.PaymentID)[0])
		w.wantSold(t, "go", 1, 1, 0)
		w.wantValidSales(t)
		w.deliverEvents(t, -1)
		w.wantEventTypes(t, r, learning.EventEnrollmentCreated)

		w.end(t, true, "ada", "go") // whatever it came from
		w.wantSold(t, "go", 0, 1, 0)
		w.wantValidSales(t)
	})
}

// A grant and the refund of the purchase happen at once: the user keeps the access.
func TestGrantEnrollment_WhileThePurchaseIsRefunded(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		boss := w.Person(t, "boss", learning.Admin)
		course := w.Course(t, "go", 10_00)
		for round := range accessRounds {
			ada := w.Person(t, fmt.Sprint("ada-", round), learning.Student)
			sold := w.sold(t, ada, course)
			for _, err := range concurrently(2, func(i int) error {
				if i == 0 {
					_, err := w.Platform.GrantEnrollment(ctx(), boss, ada.UserID, course, "")
					return err
				}
				_, err := w.refund(t, boss, sold.ID, 0)
				return err
			}) {
				if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
			}
			if enrolled, err := w.Store.Enrolled(ctx(), ada.UserID, course); err != nil ||
				!enrolled {
				t.Errorf("round %d: the grant is lost (%v)", round, err)
			}
			w.wantValidSales(t)
		}
	})
}
