package staff_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
)

// soldTo returns the ids of the purchases that q selects.
func soldTo(t *testing.T, w *roomtest.World, q staff.PurchaseQuery) (ids []string) {
	t.Helper()
	list, err := roomtest.PageRows(w.Platform.Staff.Purchases(ctx(), roomtest.Boss, q,
		roomtest.WholeList))
	roomtest.Must(t, err)
	for _, p := range list {
		ids = append(ids, p.ID)
	}
	return ids
}

// An admin has a name, a mail, or a number in it, and finds the purchase.
func TestPurchases_Search(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 499_00)
		ada, ben := w.Sell(t, course, "ada"), w.Sell(t, course, "ben")
		_, err := w.Platform.System().NumberPapers(ctx())
		roomtest.Must(t, err)
		detail, err := w.Platform.System().Purchase(ctx(), ada.PurchaseID)
		roomtest.Must(t, err)
		receipt := detail.Papers[0].Number.String()
		for search, want := range map[string][]string{
			"ADA": {ada.PurchaseID}, "ben exam": {ben.PurchaseID}, "eve": nil, "ada ben": nil,
			ada.OrderID: {ada.PurchaseID}, detail.PaymentID: {ada.PurchaseID},
			receipt: {ada.PurchaseID}, "R-2031-000001": nil,
		} {
			if d := cmp.Diff(want, soldTo(t, w, staff.PurchaseQuery{Search: search})); d != "" {
				t.Errorf("%q: -want +got\n%s", search, d)
			}
		}

		// A name and another user exclude each other, and so does a number.
		for _, search := range []string{"ben", ben.OrderID} {
			got := soldTo(t, w, staff.PurchaseQuery{Search: search, UserID: "ada"})
			if len(got) != 0 {
				t.Errorf("%q of another user: %q", search, got)
			}
		}

		// A deleted user has no name, and is found by the id and the order.
		w.Apply(t, roomtest.Event("user.deleted", 1)) // ada
		for q, want := range map[staff.PurchaseQuery][]string{
			{Search: "ada"}: nil, {UserID: "ada"}: {ada.PurchaseID},
			{Search: ada.OrderID}: {ada.PurchaseID},
		} {
			if d := cmp.Diff(want, soldTo(t, w, q)); d != "" {
				t.Errorf("%+v: -want +got\n%s", q, d)
			}
		}
	})
}

// buys lets a new user buy a course at the sandbox, and returns the id of the purchase.
func buys(t *testing.T, w *roomtest.World, userID, courseID string) string {
	t.Helper()
	w.Buy(t, w.Person(t, userID, core.Student), courseID)
	return soldTo(t, w, staff.PurchaseQuery{UserID: userID})[0]
}

// The history of a purchase has what is stored, in the order of time.
func TestPurchase_History(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		sold := buys(t, w, "ada", w.Course(t, "go", 499_00))
		_, err := w.Platform.System().NumberPapers(ctx())
		roomtest.Must(t, err)
		w.Clock.Advance(time.Hour)
		_, err = w.Platform.Refunds.Refund(ctx(), roomtest.Boss,
			refund.Request{PurchaseID: sold, Amount: new(core.Money(100_00))})
		roomtest.Must(t, err)
		_, err = w.Platform.System().NumberPapers(ctx())
		roomtest.Must(t, err)

		d, err := w.Platform.Staff.Purchase(ctx(), roomtest.Boss, sold)
		roomtest.Must(t, err)
		type event struct {
			kind   staff.PurchaseEventKind
			by     string
			amount core.Money
		}
		var got []event
		for _, e := range d.History {
			got = append(got, event{e.Kind, e.By, e.Amount})
		}
		want := []event{{staff.EventOrdered, "", 499_00}, {staff.EventCompleted, "", 499_00},
			{staff.EventNumbered, "", 499_00}, {staff.EventRefundStarted, roomtest.Boss.UserID, 100_00},
			{staff.EventRefundProcessed, "", 100_00}, {staff.EventNumbered, "", 100_00}}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(event{})); d != "" {
			t.Errorf("-want +got\n%s", d)
		}
		if len(d.Refunds) != 1 || len(d.Papers) != 2 || d.RefundedAmount != 100_00 {
			t.Errorf("%+v", d)
		}
	})
}

func TestPurchase_IsForAdmins(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	sold := w.Sell(t, w.Course(t, "go", 499_00), "ada")
	ada := core.Actor{UserID: "ada", Role: core.Student}
	for actor, want := range map[core.Actor]error{
		{}: core.ErrUnauthenticated, ada: core.ErrForbidden, roomtest.Teacher: core.ErrForbidden,
	} {
		_, err := w.Platform.Staff.Purchase(ctx(), actor, sold.PurchaseID)
		if !errors.Is(err, want) {
			t.Errorf("%+v: %v, want %v", actor, err, want)
		}
		_, err = w.Platform.Staff.Bookings(ctx(), actor, time.Unix(0, 0), time.Unix(1, 0))
		if !errors.Is(err, want) {
			t.Errorf("bookings for %+v: %v, want %v", actor, err, want)
		}
	}
	for _, id := range []string{"", "nothing", "\x00"} {
		if _, err := w.Platform.System().Purchase(ctx(), id); !errors.Is(err,
			purchase.ErrNotFound) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// What the file of a month adds up to in each currency is the revenue of the platform, and what its
// papers add up to too: a refund takes back, and a failed refund is in neither.
func TestBookings_AddUpToTheRevenue(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 499_00)
		from := w.Clock.Now()
		sold := []string{buys(t, w, "ada", course), buys(t, w, "ben", course),
			buys(t, w, "eve", course)}
		w.Clock.Advance(time.Minute)
		for i, amount := range []core.Money{100_00, 499_00} {
			_, err := w.Platform.Refunds.Refund(ctx(), roomtest.Boss,
				refund.Request{PurchaseID: sold[i], Amount: &amount})
			roomtest.Must(t, err)
		}
		_, err := w.Platform.System().RecordSale(ctx(), sale.SaleElsewhere{UserID: "ada",
			CourseID: course, Amount: 2500, Currency: "JPY", Reference: "1", Source: "invoice"})
		roomtest.Must(t, err)
		_, err = w.Platform.System().NumberPapers(ctx())
		roomtest.Must(t, err)
		to := w.Clock.Now().Add(time.Hour)

		rows, err := w.Platform.Staff.Bookings(ctx(), roomtest.Boss, from, to)
		roomtest.Must(t, err)
		money, papers := map[string]core.Money{}, map[string]core.Money{}
		for b, err := range rows {
			roomtest.Must(t, err)
			switch b.Kind {
			case staff.BookedPurchase, staff.BookedRefund:
				money[b.Currency] += b.Amount
			default:
				papers[b.Currency] += b.Amount
			}
		}
		stats, err := w.Platform.Staff.Stats(ctx(), roomtest.Boss)
		roomtest.Must(t, err)
		want := map[string]core.Money{}
		for _, r := range stats.ByCurrency {
			want[r.Currency] = r.Amount
		}
		if d := cmp.Diff(want, money); d != "" {
			t.Errorf("money: -want +got\n%s", d)
		}
		delete(want, "JPY") // an invoice of elsewhere has no paper here
		if d := cmp.Diff(want, papers); d != "" {
			t.Errorf("papers: -want +got\n%s", d)
		}

		// Another time has none of them.
		rows, err = w.Platform.Staff.Bookings(ctx(), roomtest.Boss, to, to.Add(time.Hour))
		roomtest.Must(t, err)
		for b := range rows {
			t.Errorf("%+v is of another time", b)
		}
		_, err = w.Platform.Staff.Bookings(ctx(), roomtest.Boss, to, to)
		if !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("an empty time: %v", err)
		}
	})
}
