package study_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

func TestGrantEnrollment_OnceForADraftTooAndWithoutAPurchase(t *testing.T) {
	roomtest.WithEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		w.Person(t, "ada", core.Student)
		w.Course(t, "go", 499_00)
		w.Exec(t, "UPDATE courses SET is_published = 0 WHERE id = 'go'")
		w.Grants(t, true, "ada", "go")
		w.Grants(t, false, "ada", "go")
		w.WantSold(t, "go", 1, 0, 0)
		if n := w.Count(t,
			"enrollments WHERE user_id = 'ada' AND granted_by = 'boss' AND reason = 'Scholarship' "+
				"AND purchase_id = ''"); n != 1 {
			t.Errorf("%d decisions are kept", n)
		}
		w.WantValidSales(t)
		w.DeliverEvents(t, -1)
		if diff := cmp.Diff([]core.EventType{study.EventEnrollmentCreated,
			core.EventNotificationCreated}, r.Types("user:ada")); diff != "" {
			t.Error(diff)
		}
	})
}

// Who is granted a course again after its access has ended is told again.
func TestGrantEnrollment_AfterTheEndOfTheAccess(t *testing.T) {
	roomtest.WithEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		w.Person(t, "ada", core.Student)
		w.Course(t, "go", 499_00)
		for range 2 {
			created, err := w.Platform.Study.GrantEnrollment(ctx(), roomtest.Boss, study.Grant{
				UserID: "ada", CourseID: "go", ExpiresAt: w.Clock.Now().Add(time.Hour)})
			if !created || err != nil {
				t.Fatalf("granted: %t, %v", created, err)
			}
			w.Clock.Advance(2 * time.Hour)
		}
		w.DeliverEvents(t, -1)
		if diff := cmp.Diff([]core.EventType{
			study.EventEnrollmentCreated, core.EventNotificationCreated,
			study.EventEnrollmentEnded, study.EventEnrollmentCreated, core.EventNotificationCreated,
		}, r.Types("user:ada")); diff != "" {
			t.Error(diff)
		}
	})
}

func TestGrantEnrollment_Refuses(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Person(t, "ada", core.Student)
	w.Person(t, "gone", core.Student)
	w.Course(t, "go", 499_00)
	w.Apply(t, people.IdentityEvent{Type: people.UserDeleted,
		SentAt: w.Clock.Now().Add(time.Hour), User: people.IdentityUser{ID: "gone"}})
	before := w.Dump(t)
	for name, c := range map[string]struct {
		actor                    learning.Actor
		userID, courseID, reason string
		want                     error
	}{
		"nobody": {learning.Actor{}, "ada", "go", "", core.ErrUnauthenticated},
		"student": {learning.Actor{UserID: "ada", Role: core.Student}, "ada", "go", "",
			core.ErrForbidden},
		"educator": {learning.Actor{UserID: "eve", Role: core.Educator}, "ada", "go", "",
			core.ErrForbidden},
		"unknown_user":   {roomtest.Boss, "Ada", "go", "", people.ErrUserNotFound},
		"deleted_user":   {roomtest.Boss, "gone", "go", "", people.ErrUserNotFound},
		"unknown_course": {roomtest.Boss, "ada", "Go", "", catalog.ErrCourseNotFound},
		"long_reason": {roomtest.Boss, "ada", "go",
			strings.Repeat("界", study.MaxEnrollmentReason+1),
			core.ErrInvalidRequest},
		"damaged_reason":  {roomtest.Boss, "ada", "go", "\xff", core.ErrInvalidRequest},
		"id_with_a_space": {roomtest.Boss, "ada ", "go", "", people.ErrUserNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			created, err := w.Platform.Study.GrantEnrollment(ctx(), c.actor,
				study.Grant{UserID: c.userID, CourseID: c.courseID, Reason: c.reason})
			if created || !errors.Is(err, c.want) {
				t.Errorf("the result is %t and %v, want %v", created, err, c.want)
			}
		})
	}
	if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
		t.Error(diff)
	}
}

func TestEndEnrollment_ByAnAdminWhateverItCameFrom(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, _ := w.Bought(t, "go")
		w.Course(t, "free", 0)
		w.Enrolls(t, ada.UserID, "free")
		w.Course(t, "granted", 499_00)
		w.Grants(t, true, ada.UserID, "granted")
		for _, id := range []string{"go", "free", "granted"} {
			if err := w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, ada.UserID,
				id); err != nil {
				t.Errorf("%s: %v", id, err)
			}
			w.Students(t, id)
		}
		if n := w.Count(t, "past_enrollments WHERE ended_by = 'boss'"); n != 3 ||
			w.Count(t, "enrollments") != 0 {
			t.Errorf("%d enrolments ended", n)
		}
		w.WantValidSales(t)
		if err := w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, ada.UserID,
			"go"); !errors.Is(err,
			study.ErrEnrollmentNotFound) {
			t.Errorf("repeated: %v", err)
		}
	})
}

func TestEndEnrollment_Refuses(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada, _ := w.Bought(t, "go")
	w.Course(t, "other", 0)
	before := w.Dump(t)
	for name, c := range map[string]struct {
		actor            learning.Actor
		userID, courseID string
		want             error
	}{
		"nobody":      {learning.Actor{}, "ada", "go", core.ErrUnauthenticated},
		"the_student": {ada, "ada", "go", core.ErrForbidden},
		"educator": {learning.Actor{UserID: "eve", Role: core.Educator}, "ada", "go",
			core.ErrForbidden},
		"unknown_user":   {roomtest.Boss, "Ada", "go", people.ErrUserNotFound},
		"unknown_course": {roomtest.Boss, "ada", "Go", catalog.ErrCourseNotFound},
		"not_enrolled":   {roomtest.Boss, "ada", "other", study.ErrEnrollmentNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			if err := w.Platform.Study.EndEnrollment(ctx(), c.actor, c.userID,
				c.courseID); !errors.Is(err, c.want) {
				t.Errorf("the error is %v, want %v", err, c.want)
			}
		})
	}
	if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
		t.Error(diff)
	}
}

// The deletion of a user leaves the enrolments and the ids of who decided, as purchases stay.
func TestEnrollments_OfADeletedUserStayWithoutTheReasons(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Person(t, "ada", core.Student)
		w.Person(t, "boss", core.Admin)
		w.Course(t, "go", 499_00)
		w.Course(t, "past", 499_00)
		w.Grants(t, true, "ada", "go")
		w.Grants(t, true, "ada", "past")
		w.End(t, true, "ada", "past")
		w.Exec(t, "UPDATE past_enrollments SET end_reason = 'ada is rude'")
		for _, id := range []string{"ada", "boss"} {
			w.Apply(t, people.IdentityEvent{Type: people.UserDeleted,
				SentAt: w.Clock.Now().Add(time.Hour), User: people.IdentityUser{ID: id}})
		}
		for _, r := range w.Reports(t, study.EnrollmentQuery{UserID: "ada"}) {
			if r.Reason+r.EndReason != "" || r.GrantedBy != "boss" {
				t.Errorf("the enrolment is %+v", r)
			}
		}
		if n := w.Students(t, "go"); n != 1 {
			t.Errorf("%d students", n)
		}
		if err := w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "ada", "go"); err != nil {
			t.Errorf("the enrolment of a deleted user cannot be ended: %v", err)
		}
		if err := w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "ada", "go"); !errors.Is(err,
			people.ErrUserNotFound) {
			t.Errorf("repeated: %v", err)
		}
	})
}

func TestEnrollments_ActiveAndPastNewestFirst(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, _ := w.Bought(t, "go")
		w.Course(t, "free", 0)
		w.Clock.Advance(time.Minute)
		w.Enrolls(t, ada.UserID, "free")
		w.Clock.Advance(time.Minute)
		if err := w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, ada.UserID,
			"go"); err != nil {
			t.Fatal(err)
		}
		w.Grants(t, true, ada.UserID, "go")
		w.Clock.Advance(time.Minute)
		w.Enrolls(t, "eve", "free")

		list := w.Reports(t, study.EnrollmentQuery{})
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
		for q, want := range map[study.EnrollmentQuery][]study.EnrollmentReport{
			{UserID: "ada"}:                  list[1:],
			{CourseID: "free"}:               {list[0], list[2]},
			{UserID: "ada", CourseID: "go"}:  {list[1], list[3]},
			{UserID: "eve", CourseID: "go"}:  nil,
			{UserID: "nobody"}:               nil,
			{UserID: "ada ", CourseID: "go"}: nil,
		} {
			if diff := cmp.Diff(want, w.Reports(t, q)); diff != "" {
				t.Errorf("%+v: %s", q, diff)
			}
		}
	})
}

func TestEnrollments_OnlyForAdmins(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	for want, actor := range map[error]learning.Actor{core.ErrUnauthenticated: {},
		core.ErrForbidden: {UserID: "eve", Role: core.Educator}} {
		if _, err := w.Platform.Study.Enrollments(ctx(), actor, study.EnrollmentQuery{},
			learning.PageRequest{Limit: 1}); !errors.Is(err, want) {
			t.Errorf("the error is %v, want %v", err, want)
		}
	}
	for _, limit := range []int{0, -1, core.MaxPageRows + 1} {
		if _, err := w.Platform.Study.Enrollments(ctx(), roomtest.Boss, study.EnrollmentQuery{},
			learning.PageRequest{Limit: limit}); !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
}

// The user was granted a course with an open order, which can still be paid.
func TestGrantEnrollment_LaterPaymentCompletesThePurchaseWithoutAnEnrolment(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		o := w.Order(t, ada, w.Course(t, "go", 499_00))
		w.Grants(t, true, "ada", "go")
		if _, err := w.Platform.Sales.OpenOrder(ctx(), ada,
			sale.OrderRequest{CourseID: "go"}); !errors.Is(err, study.ErrAlreadyEnrolled) {
			t.Errorf("another order: %v", err)
		}
		if err := w.Platform.System().CapturePayment(ctx(),
			roomtest.CapturedPayment(o, w.Pay(t, o.OrderID).ID)); err != nil {
			t.Fatal(err)
		}
		w.WantSold(t, "go", 1, 1, 0)
		w.WantLogged(t, "double payment", 1)
		w.WantValidSales(t)
		// The refund of the purchase must not end what the admin gave.
		if _, err := w.Refund(t, roomtest.Boss, o.PurchaseID, 0); err != nil {
			t.Fatal(err)
		}
		w.WantSold(t, "go", 1, 0, 0)
		w.WantValidSales(t)
	})
}

// The certificate and the completion of the first enrolment stay, so there are no second ones.
func TestGrantEnrollment_AgainFindsTheProgress(t *testing.T) {
	roomtest.WithEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		w.Publish(t, "go", roomtest.Chapter("one", "a", "b"))
		ada := w.Enrolls(t, "ada", "go")
		complete := func(lecture string, want error) {
			if _, err := w.Platform.Study.CompleteLecture(ctx(), ada, "go",
				lecture); !errors.Is(err,
				want) {
				t.Errorf("complete %s: %v, want %v", lecture, err, want)
			}
		}
		complete("a", nil)
		complete("b", nil)
		if err := w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "ada", "go"); err != nil {
			t.Fatal(err)
		}
		complete("a", study.ErrNotPurchased)
		w.Grants(t, true, "ada", "go")
		progress, err := w.Platform.Study.Progress(ctx(), ada, "go")
		if err != nil || !progress.Completed() {
			t.Errorf("the progress is %+v: %v", progress, err)
		}
		complete("b", nil)
		w.DeliverEvents(t, -1)
		types := slices.DeleteFunc(r.Types("user:ada"),
			func(e core.EventType) bool { return e != study.EventCourseCompleted })
		if len(types) != 1 {
			t.Errorf("%d completions were told", len(types))
		}
	})
}

// A buyer gets a grant too. The refund of the purchase leaves it, and so does a refund that fails.
func TestGrantEnrollment_OfABuyerStaysAfterARefund(t *testing.T) {
	roomtest.WithEventsOnEngines(t, func(t *testing.T, w *roomtest.World, r *roomtest.Receiver) {
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		sold := w.Sold(t, ada, w.Course(t, "go", 10_00))
		for range 2 {
			w.Grants(t, false, "ada", "go")
		}
		reported := func(origin study.EnrollmentOrigin) {
			t.Helper()
			list := w.Reports(t, study.EnrollmentQuery{UserID: "ada"})
			if len(list) != 1 || list[0].Origin != origin || list[0].Reason != "Scholarship" ||
				list[0].GrantedAt.IsZero() || !list[0].EndedAt.IsZero() {
				t.Errorf("the enrolments are %+v", list)
			}
		}
		reported(study.EnrollmentPurchased)
		if _, err := w.Refund(t, boss, sold.ID, 0); err != nil {
			t.Fatal(err)
		}
		w.WantSold(t, "go", 1, 0, 0)
		reported(study.EnrollmentGranted)
		w.MustTell(t, sandbox.RefundFailed, w.RefundsAt(t, sold.PaymentID)[0])
		w.WantSold(t, "go", 1, 1, 0)
		w.WantValidSales(t)
		w.DeliverEvents(t, -1)
		w.WantEventTypes(t, r, study.EventEnrollmentCreated, core.EventNotificationCreated)

		w.End(t, true, "ada", "go") // whatever it came from
		w.WantSold(t, "go", 0, 1, 0)
		w.WantValidSales(t)
	})
}

// A grant and the refund of the purchase happen at once: the user keeps the access.
func TestGrantEnrollment_WhileThePurchaseIsRefunded(t *testing.T) {
	roomtest.AtTillsOnAllEngines(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		boss := w.Person(t, "boss", core.Admin)
		course := w.Course(t, "go", 10_00)
		for round := range roomtest.Rounds {
			ada := w.Person(t, fmt.Sprint("ada-", round), core.Student)
			sold := w.Sold(t, ada, course)
			for _, err := range roomtest.Concurrently(2, func(i int) error {
				if i == 0 {
					_, err := w.Platform.Study.GrantEnrollment(ctx(), boss,
						study.Grant{UserID: ada.UserID, CourseID: course})
					return err
				}
				_, err := w.Refund(t, boss, sold.ID, 0)
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
			w.WantValidSales(t)
		}
	})
}
