package learning_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/faultystore"
	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
)

// Payments, refunds, failures of refunds and recounts happen at once, each webhook twice. The
// totals equal the purchases afterwards, and no recount has found one that did not.
func TestTotals_ConcurrentSalesAndRefunds(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		two := [2]*roomtest.World{w, w.OtherInstance(t)}
		boss := w.Person(t, "boss", core.Admin)
		course, free := w.Course(t, "go", 10_00), w.Course(t, "free", 0)
		const buyers = 12
		others := []string{w.Course(t, "sql", 20_00), w.Course(t, "css", 20_00),
			w.Course(t, "dns", 20_00)}
		payments, sold := make([]roomtest.Paid, buyers), make([]purchase.Purchase, buyers)
		for i := range buyers {
			who := w.Person(t, fmt.Sprint("buyer-", i), core.Student)
			payments[i] = w.Pay(t, w.Order(t, who, others[i%3]).OrderID)
			sold[i] = w.Sold(t, who, course)
		}
		var wrong []core.Total
		var mu sync.Mutex
		errs := roomtest.Concurrently(4*buyers+2, func(i int) error {
			one := two[i%2]
			p, buyer := one.Platform, i/4
			switch {
			case i >= 4*buyers:
				for range buyers {
					list, err := p.System().RecountTotals(ctx())
					if err != nil {
						return err
					}
					mu.Lock()
					wrong = append(wrong, list...)
					mu.Unlock()
				}
				return nil
			case i%4 == 0, i%4 == 1: // the proof and the webhook of one payment
				return one.Report(payments[buyer])
			case i%4 == 2:
				_, err := p.Sales.OpenOrder(ctx(), roomtest.Student(fmt.Sprint("buyer-", buyer)),
					sale.OrderRequest{CourseID: free})
				return err
			}
			part := core.Money(4_00)
			for _, amount := range []*core.Money{&part, nil} {
				request := refund.Request{PurchaseID: sold[buyer].ID, Amount: amount}
				if _, err := p.Refunds.Refund(ctx(), boss, request); err != nil {
					return err
				}
			}
			return failRefunds(two, sold[buyer].PaymentID)
		})
		if diff := cmp.Diff(map[string]int{"": len(errs)}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if len(wrong) > 0 {
			t.Errorf("recounts have found wrong totals: %+v", wrong)
		}
		w.WantRightTotals(t)
		s, err := w.Platform.Staff.Stats(ctx(), boss)
		if want := core.Money(buyers * (10_00 + 20_00)); err != nil || s.Revenue != want ||
			s.Enrollments != 3*buyers {
			t.Errorf("%+v (%v), want the revenue %v of %d enrolments", s, err, want, 3*buyers)
		}
	})
}

// failRefunds makes the refunds of a payment fail, and tells both instances at once.
func failRefunds(two [2]*roomtest.World, paymentID string) error {
	list, err := two[0].Till.Refunds(paymentID)
	if err != nil {
		return err
	}
	for i, r := range list {
		if err := two[0].Till.FailRefund(r.ID); err != nil {
			return err
		}
		list[i].Status = payment.RefundFailed
	}
	return errors.Join(roomtest.Concurrently(2*len(list), func(i int) error {
		body, err := two[0].Till.RefundEvent(list[i/2])
		if err != nil {
			return err
		}
		return two[i%2].Receive(body)
	})...)
}

// The totals of a completed purchase take one statement, the last one.
func TestCapturePayment_Statements(t *testing.T) {
	var steps []string
	record := learningtest.WithStore(func(s learning.Store) learning.Store {
		return faultystore.With(s, func(_ context.Context, name string) error {
			steps = append(steps, name)
			return nil
		})
	})
	w := roomtest.New(t, roomtest.SQLite(t), record)
	o := w.Order(t, w.Person(t, "ada", core.Student), w.Course(t, "go", 10_00))
	payment := roomtest.CapturedPayment(o, w.Pay(t, o.OrderID).ID)
	steps = nil
	if err := w.Platform.System().CapturePayment(ctx(), payment); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"list the purchases of an order", "begin a transaction",
		"lock a user", "read the state of a purchase", "update a purchase",
		"read what a receipt copies", "insert a paper", // only if there is a seller
		"read the first enrolment in a course",
		"count an enrolment", "insert an enrolment",
		"add to totals",
		"COMMIT", "answer to COMMIT",
	}
	if diff := cmp.Diff(want, steps); diff != "" {
		t.Error(diff)
	}
}
