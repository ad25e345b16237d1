package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

var lineTests = []test{
	{"a purchase of a bundle is read with its lines", lineRoundTrip},
	{"the parts of a purchase have the courses and the enrolments of its lines", lineParts},
	{"a line is updated, and lines are deleted", lineChanges},
	{"the shares of a refund are read with it", lineShares},
	{"two pending refunds of lines may have one amount", lineRefundsOfOneAmount},
	{"lines of completed purchases give access, until they have ended", linePaying},
	{"the enrolments of a user in courses are listed", lineEnrollments},
	{"purchases of a course are listed with those of bundles, the newest first", lineReports},
	{"the sales of a course are those of its purchases and lines", lineTotals},
}

// bundled returns a purchase of a bundle of the courses "a" and "b", with a value in every field of
// its lines. It is not stored.
func bundled(id string, status purchase.Status) purchase.Purchase {
	p := purchaseIn(id, status)
	p.CourseID, p.BundleID, p.BundleTitle = "", "bundle", "The bundle"
	p.TermDays, p.TermUntil = 0, time.Time{}
	for i, courseID := range []string{"a", "b"} {
		p.Lines = append(p.Lines, purchase.Line{ID: study.LineCause(id, courseID), PurchaseID: id,
			Number: i + 1, UserID: p.UserID, CourseID: courseID, CreatedAt: p.CreatedAt,
			Amount: 10_00, RefundedAmount: 2, PendingRefunds: 1, TermDays: 30,
			TermUntil: noon.Add(1000 * time.Hour), ExpiresAt: noon.Add(999 * time.Hour),
			End: purchase.LineEnd(i), RefundEnded: i == 0, DisputeEnded: i == 1})
	}
	return p
}

// addBundled stores a purchase with its lines.
func (f *fixture) addBundled(p purchase.Purchase) {
	f.t.Helper()
	f.add(p)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.InsertLines(ctx, p.Lines) })
}

func lineRoundTrip(t *testing.T, f *fixture) {
	p := bundled("p", purchase.Completed)
	single := purchaseIn("q", purchase.Completed)
	single.OrderID = p.OrderID
	f.addBundled(p)
	f.add(single)
	got, err := f.Purchase(t.Context(), "p")
	equal(t, got, err, p)
	list, err := f.PurchasesByOrder(t.Context(), p.OrderID)
	equal(t, list, err, []purchase.Purchase{single, p})
	open := bundled("o", purchase.Pending)
	f.addBundled(open)
	got, err = f.OpenPurchase(t.Context(), "student", "bundle")
	equal(t, got, err, open)
	own, err := f.PurchaseWithTitle(t.Context(), "p")
	if err != nil || own.CourseTitle != "The bundle" || own.BundleID != "bundle" {
		t.Errorf("the purchase with its title is %+v (%v)", own, err)
	}
}

func lineParts(t *testing.T, f *fixture) {
	a := course("a")
	f.add(a)
	p := bundled("p", purchase.Completed)
	f.addBundled(p)
	e := study.Enrollment{UserID: "student", CourseID: "a", PurchaseID: p.Lines[0].ID,
		CreatedAt: noon, ExpiresAt: later}
	f.add(e)
	parts, err := f.PurchaseParts(t.Context(), "p")
	if err != nil || len(parts) != 2 {
		t.Fatalf("parts %+v (%v)", parts, err)
	}
	equal(t, parts[0].Line, nil, p.Lines[0])
	equal(t, parts[0].Enrollment, nil, e)
	equal(t, parts[1], nil, purchase.Part{Line: p.Lines[1], CourseDeleted: true})
	if parts[0].CourseTitle != a.Title || parts[0].CourseDeleted ||
		parts[0].CourseTerms.Days != a.Terms.Days {
		t.Errorf("the first part is %+v", parts[0])
	}
	state, err := f.PurchaseState(t.Context(), "p", "")
	equal(t, state, err, purchase.State{Purchase: p, Parts: parts})
	none, err := f.PurchaseParts(t.Context(), "none")
	equal(t, none, err, nil)
}

func lineChanges(t *testing.T, f *fixture) {
	p, other := bundled("p", purchase.Completed), bundled("q", purchase.Completed)
	f.addBundled(p)
	f.addBundled(other)
	changed := p.Lines[1]
	changed.RefundedAmount, changed.PendingRefunds, changed.End = 9, 8, purchase.EndedWithAll
	changed.RefundEnded, changed.DisputeEnded, changed.ExpiresAt = true, false, time.Time{}
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.UpdateLine(ctx, changed) })
	p.Lines[1] = changed
	got, err := f.Purchase(t.Context(), "p")
	equal(t, got, err, p)
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteLines(ctx, "p") })
	p.Lines = nil
	got, err = f.Purchase(t.Context(), "p")
	equal(t, got, err, p)
	got, err = f.Purchase(t.Context(), "q")
	equal(t, got, err, other)
	changed.ID = "none"
	f.fails(core.ErrNoRecord, func(ctx context.Context, tx learning.Tx) error {
		return tx.UpdateLine(ctx, changed)
	})
}

func lineShares(t *testing.T, f *fixture) {
	f.addBundled(bundled("p", purchase.Completed))
	r := refundIn("r", payment.RefundPending, 5)
	r.Shares = []purchase.Share{{LineID: "p.a", Amount: 5}, {LineID: "p.b"}}
	r.ByLines = true
	f.add(r)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertShares(ctx, "r", r.Shares)
	})
	got, err := f.Refund(t.Context(), "r")
	equal(t, got, err, r)
	list, err := f.PendingRefundsOf(t.Context(), "p")
	equal(t, list, err, []refund.Refund{r})
	f.do(func(ctx context.Context, tx learning.Tx) error { return tx.DeleteShares(ctx, "r") })
	r.Shares = nil
	got, err = f.Refund(t.Context(), "r")
	equal(t, got, err, r)
}

func lineRefundsOfOneAmount(t *testing.T, f *fixture) {
	f.addBundled(bundled("p", purchase.Completed))
	first := refundIn("r", payment.RefundPending, 5)
	second := refundIn("s", payment.RefundPending, 5)
	first.ByLines, second.ByLines = true, true
	f.add(first, second, refundIn("t", payment.RefundPending, 5))
	f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertRefund(ctx, refundIn("u", payment.RefundPending, 5))
	})
}

func linePaying(t *testing.T, f *fixture) {
	p := bundled("p", purchase.Completed)
	f.addBundled(p)
	f.addBundled(bundled("q", purchase.Refunded))
	single := purchaseIn("s", purchase.Completed)
	single.CourseID = "a"
	f.add(single)
	got, err := f.PayingCauses(t.Context(), "student", []string{"a", "b", "bundle"})
	ofSingle := study.Cause{ID: "s", UserID: "student", CourseID: "a"}
	equal(t, got, err, []study.Cause{p.Lines[0].Cause(), ofSingle})
	past := study.PastEnrollment{ID: "past", Enrollment: study.Enrollment{UserID: "student",
		CourseID: "a", PurchaseID: p.Lines[0].ID, CreatedAt: noon}, EndedAt: later}
	f.add(past)
	got, err = f.PayingCauses(t.Context(), "student", []string{"a"})
	equal(t, got, err, []study.Cause{ofSingle})
}

func lineEnrollments(t *testing.T, f *fixture) {
	a := study.Enrollment{UserID: "student", CourseID: "a", PurchaseID: "p", CreatedAt: noon}
	b := study.Enrollment{UserID: "student", CourseID: "b", PurchaseID: "q", CreatedAt: noon}
	f.add(a, b, study.Enrollment{UserID: "another", CourseID: "c", PurchaseID: "r",
		CreatedAt: noon})
	got, err := f.EnrollmentsIn(t.Context(), "student", []string{"b", "c", "a"})
	equal(t, got, err, map[string]study.Enrollment{"a": a, "b": b})
	got, err = f.EnrollmentsIn(t.Context(), "student", []string{"none"})
	equal(t, got, err, nil)
}

func lineReports(t *testing.T, f *fixture) {
	for i, id := range []string{"1", "2", "3", "4"} {
		p := bundled(id, purchase.Completed)
		if i%2 == 0 {
			p = soldAt(0, id, "student", "a", purchase.Completed)
		}
		p.CreatedAt = noon.Add(time.Duration(i) * time.Minute)
		for n := range p.Lines {
			p.Lines[n].CreatedAt = p.CreatedAt
		}
		if p.BundleID != "" {
			f.addBundled(p)
		} else {
			f.add(p)
		}
	}
	of := func(q staff.PurchaseQuery) staff.PurchaseSelection {
		return staff.PurchaseSelection{Query: q}
	}
	equal(t, f.reportedPurchases(of(staff.PurchaseQuery{CourseID: "a"})), nil,
		[]string{"4", "3", "2", "1"})
	equal(t, f.reportedPurchases(of(staff.PurchaseQuery{CourseID: "b"})), nil, []string{"4", "2"})
	equal(t, f.reportedPurchases(of(staff.PurchaseQuery{CourseID: "a", UserID: "student"})), nil,
		[]string{"4", "3", "2", "1"})
	scanned := of(staff.PurchaseQuery{CourseID: "a", Status: purchase.Completed})
	equal(t, f.scannedPurchases(scanned), nil, []string{"4", "3", "2", "1"})
	list, err := f.PurchaseReports(t.Context(), of(staff.PurchaseQuery{CourseID: "b"}), allRows)
	if err != nil || len(list) != 2 || list[0].BundleID != "bundle" || list[0].CourseID != "" ||
		list[0].CourseTitle != "The bundle" {
		t.Errorf("the reports are %+v (%v)", list, err)
	}
}

func lineTotals(t *testing.T, f *fixture) {
	single := purchaseIn("s", purchase.Completed)
	single.CourseID = "a"
	f.add(single)
	f.addBundled(bundled("p", purchase.Completed))
	f.addBundled(bundled("q", purchase.Refunded))
	got, err := f.WrongTotals(t.Context(), purchase.TotalCourseSales)
	equal(t, got, err, []core.Total{
		{Kind: purchase.TotalCourseSales, CourseID: "a", Part: "INR", Number: 2,
			Amount: int64(single.Amount) + 9_98},
		{Kind: purchase.TotalCourseSales, CourseID: "b", Part: "INR", Number: 1, Amount: 9_98},
	})
}
