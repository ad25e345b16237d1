package learning_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// A service actor does what an admin may do, is kept as who did it, and is no user.
func TestSystemActor_IsAnAdminWithoutARecord(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		payment := w.Buy(t, ada, course)
		billing := w.Platform.System().Actor("billing")

		list, err := w.Platform.Staff.Purchases(t.Context(), billing,
			staff.PurchaseQuery{Status: purchase.Completed},
			learning.PageRequest{Limit: 1})
		roomtest.Must(t, err)
		_, err = w.Platform.Refunds.Refund(t.Context(), billing,
			refund.Request{PurchaseID: list.Rows[0].ID})
		if err != nil {
			t.Errorf("refund of %s: %v", payment.ID, err)
		}
		ended, err := w.Platform.Study.Enrollments(t.Context(), billing,
			study.EnrollmentQuery{UserID: "ada"}, learning.PageRequest{Limit: 1})
		if err != nil || len(ended.Rows) != 1 || ended.Rows[0].EndedAt.IsZero() {
			t.Errorf("%+v: %v", ended.Rows, err)
		}

		_, err = w.Platform.Sales.OpenOrder(t.Context(), billing,
			sale.OrderRequest{CourseID: course})
		if !errors.Is(err, people.ErrUserNotFound) {
			t.Errorf("a service buys a course: %v", err)
		}
		users, err := w.Platform.People.Users(t.Context(), billing, people.UserQuery{},
			learning.PageRequest{Limit: 10})
		if err != nil || len(users.Rows) != 2 { // ada and the educator
			t.Errorf("%d users: %v", len(users.Rows), err)
		}
	})
}

func TestSystemActor_RefusesAnInvalidName(t *testing.T) {
	system := learningtest.New(t).Platform.System()
	for _, name := range []string{"", "Billing", "a b", "a/b", "é", "a\n", strings.Repeat("a", 41)} {
		if actor := system.Actor(name); actor != (core.Actor{}) {
			t.Errorf("%q: %+v", name, actor)
		}
	}
	if actor := system.Actor(strings.Repeat("a", 40)); !actor.SignedIn() {
		t.Error("a name of 40 letters is refused")
	}
}

// What follows a commit may call the platform, with a context of its own.
func TestWithInTransaction_AfterCommitMayCallThePlatform(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, b := newHost(t, database)
		course := w.Course(t, "go", 499_00)
		w.Person(t, "ada", core.Student)
		w.Person(t, "ben", core.Student)
		admin := w.Platform.System().Actor("tests")
		called := 0
		b.Set(func(ctx context.Context, tx core.HostTx, events []learning.Event) error {
			if events[0].Data.UserID != "ada" {
				return nil
			}
			if _, err := w.Platform.Study.GrantEnrollment(ctx, admin,
				study.Grant{UserID: "ben", CourseID: course}); err == nil {
				t.Error("the platform begins a transaction inside a transaction")
			}
			tx.AfterCommit(func() {
				called++
				_, err := w.Platform.Study.GrantEnrollment(context.Background(), admin,
					study.Grant{UserID: "ben", CourseID: course})
				if err != nil {
					t.Error(err)
				}
			})
			return nil
		})
		_, err := w.Platform.Study.GrantEnrollment(t.Context(), admin,
			study.Grant{UserID: "ada", CourseID: course})
		roomtest.Must(t, err)
		ben, err := w.Platform.People.User(t.Context(), people.Claims{UserID: "ben"})
		if err != nil || called != 1 || len(ben.Enrolled) != 1 {
			t.Errorf("called %d times, %v: %v", called, ben.Enrolled, err)
		}
	})
}
