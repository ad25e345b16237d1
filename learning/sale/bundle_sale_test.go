package sale_test

import (
	"errors"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// amounts are what a line has paid and refunded.
type amounts = [2]core.Money

func TestOpenOrder_Bundle(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		w.Course(t, "go", 300_00)
		w.Course(t, "sql", 100_00)
		w.Course(t, "c", 50_00)
		sold := w.BundleOf(t, 200_00, "go", "sql")
		o := w.OrderBundle(t, ada, sold.ID)
		if again := w.OrderBundle(t, ada, sold.ID); o.Amount != 200_00 || again.OrderID != o.OrderID {
			t.Errorf("the orders are %+v and %+v", o, again)
		}
		p := w.PaysOrder(t, o)
		if p.CourseID != "" || p.BundleID != sold.ID || p.BundleTitle != "Bundle" {
			t.Errorf("the purchase is %+v", p)
		}
		w.WantLines(t, p.ID, amounts{150_00}, amounts{50_00})
		w.WantBooks(t, p.ID, purchase.Completed, 0, 0)
		if w.Students(t, "go") != 1 || w.Students(t, "sql") != 1 {
			t.Error("the buyer is not enrolled in all courses")
		}

		// All are owned: neither a quote nor an order. With another course, the bundle has one
		// line.
		_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{BundleID: sold.ID})
		_, quoteErr := w.Platform.Sales.Quote(ctx(), ada, sale.QuoteRequest{BundleID: sold.ID})
		if !errors.Is(err, study.ErrAlreadyEnrolled) ||
			!errors.Is(quoteErr, study.ErrAlreadyEnrolled) {
			t.Errorf("all courses are owned: %v, %v", err, quoteErr)
		}
		wider := w.BundleOf(t, 90_00, "c", "go")
		p = w.PaysOrder(t, w.OrderBundle(t, ada, wider.ID))
		w.WantLines(t, p.ID, amounts{90_00})
		w.WantValidSales(t)
	})
}

func TestOpenOrder_BundleRefusals(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	w.Course(t, "go", 300_00)
	w.Course(t, "sql", 100_00)
	sold := w.BundleOf(t, 200_00, "go", "sql")
	w.Coupon(t, offer.NewCoupon{Code: "GOCODE", CourseID: "go", PercentOff: 10_00})
	w.Coupon(t, offer.NewCoupon{Code: "ALL", PercentOff: 10_00})
	draft := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{"go", "sql"}, Price: 1_00})
	for name, c := range map[string]struct {
		request sale.OrderRequest
		want    error
	}{
		"unknown": {sale.OrderRequest{BundleID: "x"}, bundle.ErrBundleNotFound},
		"a draft": {sale.OrderRequest{BundleID: draft.ID}, bundle.ErrBundleNotFound},
		"a course too": {sale.OrderRequest{BundleID: sold.ID, CourseID: "go"},
			core.ErrInvalidRequest},
		"a coupon of one course": {sale.OrderRequest{BundleID: sold.ID, CouponCode: "GOCODE"},
			offer.ErrCouponUnusable},
	} {
		if _, err := w.Platform.Sales.OpenOrder(ctx(), ada, c.request); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	o, err := w.Platform.Sales.OpenOrder(ctx(), ada,
		sale.OrderRequest{BundleID: sold.ID, CouponCode: "ALL"})
	if err != nil || o.Amount != 180_00 {
		t.Errorf("with a coupon for all courses: %+v, %v", o, err)
	}
	w.Exec(t, "UPDATE courses SET is_published = 0 WHERE id = 'sql'")
	_, err = w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{BundleID: sold.ID})
	if !errors.Is(err, bundle.ErrBundleNotFound) {
		t.Errorf("with a draft in it: %v", err)
	}
}

// A course that was bought meanwhile keeps its line and its enrolment.
func TestComplete_BundleWithACourseThatWasBoughtMeanwhile(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	w.Course(t, "go", 300_00)
	w.Course(t, "sql", 100_00)
	sold := w.BundleOf(t, 200_00, "go", "sql")
	o := w.OrderBundle(t, ada, sold.ID)
	single := w.Sold(t, ada, "go")
	p := w.PaysOrder(t, o)
	w.WantLines(t, p.ID, amounts{150_00}, amounts{50_00})
	w.WantValidSales(t)
	if w.Students(t, "go") != 1 {
		t.Error("there is a second enrolment")
	}

	// When the single purchase is refunded, the line gives the enrolment, and ends it later.
	_, err := w.Refund(t, boss, single.ID, 0)
	roomtest.Must(t, err)
	if w.Students(t, "go") != 1 {
		t.Error("the line does not give the enrolment")
	}
	roomtest.Must(t, w.RefundLines(boss, p.ID, "go"))
	if w.Students(t, "go") != 0 || w.Students(t, "sql") != 1 {
		t.Error("the line does not end its enrolment only")
	}
	w.WantValidSales(t)
}

func TestComplete_BundleWithACourseThatHasEnded_ReturnsAll(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	w.Course(t, "go", 300_00)
	w.Course(t, "sql", 100_00)
	sold := w.BundleOf(t, 200_00, "go", "sql")
	until := w.Clock.Now().Add(time.Minute)
	w.Edit(t, "sql", catalog.CourseEdit{Terms: &catalog.Terms{Until: until}})
	o := w.OrderBundle(t, ada, sold.ID)
	w.Clock.Advance(time.Hour)
	paid := w.Pay(t, o.OrderID)
	err := w.Platform.Sales.VerifyPayment(ctx(), ada, w.Proof(o.OrderID, paid.ID))
	if !errors.Is(err, sale.ErrPaymentOfEnded) {
		t.Errorf("verified: %v", err)
	}
	w.WantBooks(t, o.PurchaseID, purchase.Refunded, 200_00, 0)
	if w.Students(t, "go") != 0 {
		t.Error("the buyer is enrolled")
	}
}

func TestDeleteBundle_OpenOrderIsPaid(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	w.Course(t, "go", 300_00)
	w.Course(t, "sql", 100_00)
	sold := w.BundleOf(t, 200_00, "go", "sql")
	o := w.OrderBundle(t, ada, sold.ID)
	roomtest.Must(t, w.Platform.Bundles.Delete(ctx(), roomtest.Teacher, sold.ID))
	for _, id := range []string{"go", "sql"} { // a course of an open order is in use
		err := w.Platform.DeleteCourse(ctx(), roomtest.Teacher, id)
		if !errors.Is(err, catalog.ErrCourseHasStudents) {
			t.Errorf("delete %s: %v", id, err)
		}
	}
	p := w.PaysOrder(t, o)
	if p.Status != purchase.Completed || w.Students(t, "go") != 1 {
		t.Errorf("the purchase is %+v", p)
	}
	w.WantValidSales(t)
}

func TestOpenOrder_FreeBundle_EnrolsAtOnce(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	w.Course(t, "go", 0)
	w.Course(t, "sql", 0)
	o := w.OrderBundle(t, ada, w.BundleOf(t, 0, "go", "sql").ID)
	w.WantLines(t, o.PurchaseID, amounts{}, amounts{})
	if o.OrderID != "" || w.Students(t, "go") != 1 || w.Students(t, "sql") != 1 {
		t.Errorf("the order is %+v", o)
	}
	w.WantValidSales(t)
}

func TestRecordSale_Bundle(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Person(t, "ada", core.Student)
	boss := w.Person(t, "boss", core.Admin)
	w.Course(t, "go", 300_00)
	w.Course(t, "sql", 100_00)
	draft := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{"go", "sql"}, Price: 1_00})
	e := invoice(w, "ada", "", 100_00)
	e.BundleID = draft.ID
	sold, err := w.Platform.Sales.RecordSale(ctx(), boss, e)
	roomtest.Must(t, err)
	again, err := w.Platform.Sales.RecordSale(ctx(), boss, e)
	if err != nil || again.ID != sold.ID || sold.CourseTitle != "Bundle" {
		t.Errorf("sold %+v and again %+v, %v", sold, again, err)
	}
	w.WantLines(t, sold.ID, amounts{75_00}, amounts{25_00})
	roomtest.Must(t, w.RefundLines(boss, sold.ID, "go"))
	w.WantBooks(t, sold.ID, purchase.Completed, 75_00, 0)

	// Who has all courses gets a line for each, and no enrolment.
	e.Reference = "2026-2"
	w.Person(t, "bea", core.Student)
	for _, id := range []string{"go", "sql"} {
		_, err := w.Platform.Study.GrantEnrollment(ctx(), boss,
			study.Grant{UserID: "bea", CourseID: id})
		roomtest.Must(t, err)
	}
	e.UserID = "bea"
	sold, err = w.Platform.Sales.RecordSale(ctx(), boss, e)
	roomtest.Must(t, err)
	w.WantLines(t, sold.ID, amounts{75_00}, amounts{25_00})
	w.WantValidSales(t)
}
