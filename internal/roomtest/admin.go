package roomtest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// UsersOf returns the ids of the users that a query selects.
func (w *World) UsersOf(t *testing.T, q people.UserQuery) (ids []string) {
	t.Helper()
	list, err := PageRows(w.Platform.People.Users(ctx(), Boss, q, core.PageRequest{Limit: 10}))
	if err != nil {
		t.Errorf("%+v: %v", q, err)
	}
	for _, u := range list {
		ids = append(ids, u.ID)
	}
	return ids
}

// Sell makes a user buy a course at the time of the clock.
func (w *World) Sell(t *testing.T, courseID, buyerID string) sale.Order {
	t.Helper()
	o := w.Order(t, w.Person(t, buyerID, core.Student), courseID)
	if err := w.Platform.System().CapturePayment(ctx(),
		CapturedPayment(o, "pay_"+o.OrderID)); err != nil {
		t.Fatal(err)
	}
	return o
}

// Fill adds n rows of each kind. ada teaches the courses.
func (w *World) Fill(t *testing.T, n int) {
	t.Helper()
	now := w.Clock.Now()
	// Many rows are many transactions, because a transaction has a deadline.
	for i := range n {
		id := fmt.Sprintf("filled-%d-%d", n, i)
		Must(t, w.Store.InTx(ctx(), func(tx learning.Tx) error {
			return errors.Join(
				tx.InsertUser(ctx(), people.User{ID: id, CreatedAt: now, ChangedAt: now}),
				tx.InsertCourse(ctx(),
					catalog.Course{ID: id, Educator: core.Person{ID: "ada"}, CreatedAt: now,
						UpdatedAt: now}, nil),
				tx.InsertEnrollment(ctx(),
					study.Enrollment{UserID: id, CourseID: id, PurchaseID: id, CreatedAt: now}),
				tx.InsertPurchase(ctx(),
					purchase.Purchase{ID: id, UserID: id, CourseID: id, Amount: 1, Currency: "INR",
						OrderID: id, PaymentID: id,
						Status: purchase.Completed, CreatedAt: now, UpdatedAt: now,
						CompletedAt: now}),
				tx.InsertApplication(ctx(),
					people.Application{ID: id, UserID: id, Status: people.ApplicationApproved,
						CreatedAt: now, UpdatedAt: now}))
		}))
	}
}
