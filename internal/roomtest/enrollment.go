package roomtest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// WantValidSales checks the invariants of sales, refunds and papers.
func (w *World) WantValidSales(t *testing.T) {
	t.Helper()
	for _, set := range []map[string]string{
		invariants.Courses, invariants.Refunds, invariants.Papers,
	} {
		for name, query := range set {
			if n := w.Count(t, query); n != 0 {
				t.Errorf("%d rows violate the invariant %q", n, name)
			}
		}
	}
	w.WantRightTotals(t)
}

// Bought returns a user who has paid for a new course with this id, and the purchase.
func (w *World) Bought(t *testing.T, courseID string) (core.Actor, sale.Order) {
	t.Helper()
	ada := w.Person(t, "ada", core.Student)
	o := w.Order(t, ada, w.Course(t, courseID, 499_00))
	if err := w.Platform.System().CapturePayment(ctx(), CapturedPayment(o, "pay_"+courseID)); err !=
		nil {
		t.Fatal(err)
	}
	return ada, o
}

// End ends an enrolment as an admin. want is whether there is one.
func (w *World) End(t *testing.T, want bool, userID, courseID string) {
	t.Helper()
	err := w.Platform.Study.EndEnrollment(ctx(), Boss, userID, courseID)
	if want && err != nil || !want && !errors.Is(err, study.ErrEnrollmentNotFound) {
		t.Errorf("the end of an enrolment returned %v; there is one: %t", err, want)
	}
}

// Grants enrols a user as the admin does, and checks whether that created the enrolment.
func (w *World) Grants(t *testing.T, want bool, userID, courseID string) {
	t.Helper()
	if created, err := w.Platform.Study.GrantEnrollment(ctx(), Boss,
		study.Grant{UserID: userID, CourseID: courseID, Reason: "Scholarship"}); err != nil || created != want {
		t.Errorf("the enrolment is created: %t with the error %v, want %t", created, err, want)
	}
}

// Reports lists the enrolments that a query selects, in pages of two, and checks that each
// has a title.
func (w *World) Reports(t *testing.T,
	q study.EnrollmentQuery) (list []study.EnrollmentReport) {
	t.Helper()
	page := core.PageRequest{Limit: 2}
	for {
		found, err := w.Platform.Study.Enrollments(ctx(), Boss, q, page)
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

// EnrollmentRounds is how often the calls of a race are run at once.
const EnrollmentRounds = 6

// Races runs calls at once in several rounds, each with a user and a course of its own, and
// checks the invariants of sales and events after each round. An error must be one of allowed.
func (w *World) Races(t *testing.T, allowed []error, prepare func(id string) []func() error) {
	t.Helper()
	for round := range EnrollmentRounds {
		calls := prepare(fmt.Sprintf("round-%d", round))
		for i, err := range Concurrently(len(calls), func(i int) error { return calls[i]() }) {
			if err != nil && !isOneOf(err, allowed) {
				t.Errorf("round %d, call %d: %v", round, i, err)
			}
		}
		w.WantValidSales(t)
		w.WantValidEvents(t)
	}
}

func isOneOf(err error, list []error) bool {
	for _, one := range list {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// GrantOf returns a function that enrols a user in the course of the same id.
func (w *World) GrantOf(id string) func() error {
	return func() error {
		_, err := w.Platform.Study.GrantEnrollment(ctx(), Boss,
			study.Grant{UserID: id, CourseID: id, Reason: "A reason"})
		return err
	}
}

// EndOf returns a function that ends that enrolment.
func (w *World) EndOf(id string) func() error {
	return func() error { return w.Platform.Study.EndEnrollment(ctx(), Boss, id, id) }
}

// Payment returns a call that reports the payment of a new order of the user.
func (w *World) Payment(t *testing.T, id string) func() error {
	paid := w.Pay(t, w.Order(t, core.Actor{UserID: id, Role: core.Student}, id).OrderID)
	return func() error { return w.Report(paid) }
}

// OnSale adds a user and a paid course with this id.
func (w *World) OnSale(t *testing.T, id string) {
	t.Helper()
	w.Person(t, id, core.Student)
	w.Course(t, id, 499_00)
}

// WantEventTypes delivers all events, and checks the types of those of ada.
func (w *World) WantEventTypes(t *testing.T, r *Receiver, want ...core.EventType) {
	t.Helper()
	w.DeliverEvents(t, -1)
	if diff := cmp.Diff(want, r.Types("user:ada")); diff != "" {
		t.Error(diff)
	}
}
