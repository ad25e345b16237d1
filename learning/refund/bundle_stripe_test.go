package refund_test

import (
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// soldAtStripe sells a bundle of two courses at Stripe. in has the prices of the courses and of the
// bundle in a currency; a course whose price is 0 has none.
func soldAtStripe(
	t *testing.T, w *roomtest.World, currency string, in [3]core.Money,
) purchase.Purchase {
	t.Helper()
	ada := w.Person(t, "ada", core.Student)
	for i, id := range []string{"go", "sql"} {
		w.Course(t, id, 300_00)
		if in[i] > 0 {
			w.Edit(t, id, catalog.CourseEdit{
				Prices: &[]catalog.Price{{Currency: currency, Amount: in[i]}}})
		}
	}
	both := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{"go", "sql"}, Price: 400_00,
		Prices: []catalog.Price{{Currency: currency, Amount: in[2]}}, Published: true})
	o, err := w.Platform.Sales.OpenOrder(ctx(), ada,
		sale.OrderRequest{BundleID: both.ID, Currency: currency})
	roomtest.Must(t, err)
	_, err = w.Sandbox.Stripe().Pay(o.OrderID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	roomtest.Must(t, w.Platform.Sales.VerifyPayment(ctx(), ada, payment.Proof{OrderID: o.OrderID}))
	return w.Purchase(t, o.PurchaseID)
}

// The lines follow the prices in the currency of the order, in the step in which Stripe counts, and
// are equal where a course has no price in it.
func TestRefund_LinesInOtherCurrencies(t *testing.T) {
	for name, c := range map[string]struct {
		currency string
		in       [3]core.Money
		want     [2]core.Money
	}{
		"no decimals":            {"JPY", [3]core.Money{200, 100, 1000}, [2]core.Money{667, 333}},
		"three, in steps of ten": {"KWD", [3]core.Money{1_000, 2_000, 1_000}, [2]core.Money{330, 670}},
		"a course has no price":  {"JPY", [3]core.Money{900, 0, 501}, [2]core.Money{251, 250}},
	} {
		t.Run(name, func(t *testing.T) {
			w := roomtest.New(t, roomtest.SQLite(t))
			p := soldAtStripe(t, w, c.currency, c.in)
			w.WantLines(t, p.ID, amounts{c.want[0]}, amounts{c.want[1]})
			roomtest.Must(t, w.RefundLines(roomtest.Boss, p.ID, "sql"))
			w.WantBooks(t, p.ID, purchase.Completed, c.want[1], 0)
			if w.Students(t, "go") != 1 || w.Students(t, "sql") != 0 {
				t.Error("the refund of a line ends another enrolment than its own")
			}
		})
	}
}

// A dispute ends the access to all courses of a bundle if the host wants that, and gives it back
// when it is won.
func TestDispute_PolicyForABundle(t *testing.T) {
	for _, ends := range []bool{false, true} {
		w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(
			learning.WithDisputePolicy(refund.DisputePolicy{EndAccess: ends})))
		p := soldAtStripe(t, w, "JPY", [3]core.Money{200, 100, 1000})
		want := func(what string, students int) {
			t.Helper()
			if goers, sqlers := w.Students(t, "go"), w.Students(t, "sql"); goers != students ||
				sqlers != students {
				t.Errorf("access ends: %v. %s: %d and %d are enrolled, want %d", ends, what, goers,
					sqlers, students)
			}
			w.WantValidSales(t)
		}
		stripe := w.Sandbox.Stripe()
		opened, err := stripe.Dispute(p.OrderID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		w.MustTellStripe(t, "charge.dispute.created", opened)
		if ends {
			want("disputed", 0)
		} else {
			want("disputed", 1)
		}
		_, err = stripe.WinDispute(opened.ID, sandbox.WithoutWebhook())
		roomtest.Must(t, err)
		w.MustTellStripe(t, "charge.dispute.closed", opened)
		want("won", 1)
	}
}

// A dispute that is won while all is refunded gives nothing back. If the refund fails then, the
// buyer gets back all courses that the dispute had ended.
func TestDispute_WonBeforeTheRefundOfABundleFails(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(
		learning.WithDisputePolicy(refund.DisputePolicy{EndAccess: true})))
	p := soldAtStripe(t, w, "JPY", [3]core.Money{200, 100, 1000})
	stripe := w.Sandbox.Stripe()
	opened, err := stripe.Dispute(p.OrderID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	w.MustTellStripe(t, "charge.dispute.created", opened)
	_, err = w.Refund(t, roomtest.Boss, p.ID, 0)
	roomtest.Must(t, err)
	_, err = stripe.WinDispute(opened.ID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	w.MustTellStripe(t, "charge.dispute.closed", opened)
	failed, err := stripe.FailRefund(stripe.Refunds(p.OrderID)[0].ID, sandbox.WithoutWebhook())
	roomtest.Must(t, err)
	w.MustTellStripe(t, "refund.failed", failed)
	if w.Students(t, "go") != 1 || w.Students(t, "sql") != 1 {
		t.Errorf("%d and %d are enrolled, want 1", w.Students(t, "go"), w.Students(t, "sql"))
	}
	got, err := w.Store.Purchase(t.Context(), p.ID)
	for _, l := range got.Lines {
		if l.DisputeEnded || l.RefundEnded || err != nil {
			t.Errorf("the line %+v, %v", l, err)
		}
	}
	w.WantValidSales(t)
}
