package sale_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

func ctx() context.Context { return context.Background() }

// invoice is a sale of a course to a user of today.
func invoice(w *roomtest.World, userID, courseID string, amount core.Money) sale.SaleElsewhere {
	return sale.SaleElsewhere{UserID: userID, CourseID: courseID, Amount: amount, Currency: "INR",
		Reference: "2026-1", Source: "invoice", SoldAt: w.Clock.Now().Add(-time.Hour)}
}

func TestRecordSale_SentManyTimes_IsOneSale(t *testing.T) {
	roomtest.OnEnginesRepeatedly(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Person(t, "ada", core.Student)
		w.Course(t, "go", 449_10)
		sold := map[string]bool{}
		ids := make([]string, 8)
		for _, err := range roomtest.Concurrently(len(ids), func(i int) error {
			p, err := w.Platform.System().RecordSale(ctx(), invoice(w, "ada", "go", 100_00))
			ids[i] = p.ID
			return err
		}) {
			roomtest.Must(t, err)
		}
		for _, id := range ids {
			sold[id] = true
		}
		if len(sold) != 1 {
			t.Errorf("the purchases are %v", sold)
		}
		w.WantSold(t, "go", 1, 1, 0)
		w.WantValidSales(t)
		w.WantRightTotals(t)
	})
}

func TestRecordSale_ReferenceOfTwoBuyers_IsThatOfOne(t *testing.T) {
	roomtest.OnEnginesRepeatedly(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		w.Course(t, "go", 449_10)
		for i := range roomtest.Rounds {
			buyers := [2]string{fmt.Sprint("ada", i), fmt.Sprint("ben", i)}
			for _, id := range buyers {
				w.Person(t, id, core.Student)
			}
			errs := roomtest.CountErrors(roomtest.Concurrently(2, func(n int) error {
				e := invoice(w, buyers[n], "go", 100_00)
				e.Reference = fmt.Sprint(i)
				_, err := w.Platform.System().RecordSale(ctx(), e)
				return err
			}))
			if errs[""] != 1 || errs[sale.ErrReferenceUsed.Error()] != 1 {
				t.Fatalf("round %d: %v", i, errs)
			}
		}
		w.WantSold(t, "go", roomtest.Rounds, roomtest.Rounds, 0)
		w.WantRightTotals(t)
	})
}

func TestRecordSale_BuyerIsEnrolled_KeepsTheEnrolment(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	w.Person(t, "ada", core.Student)
	w.Course(t, "go", 449_10)
	boss := w.Person(t, "boss", core.Admin)
	_, err := w.Platform.Study.GrantEnrollment(ctx(), boss,
		study.Grant{UserID: "ada", CourseID: "go"})
	roomtest.Must(t, err)
	sold, err := w.Platform.Sales.RecordSale(ctx(), boss, invoice(w, "ada", "go", 100_00))
	roomtest.Must(t, err)
	w.WantSold(t, "go", 1, 1, 0)
	_, err = w.Platform.Refunds.Refund(ctx(), boss, refund.Request{PurchaseID: sold.ID})
	roomtest.Must(t, err)
	w.WantSold(t, "go", 1, 0, 0)
}

type elsewhere = sale.SaleElsewhere

func TestRecordSale_Refusals(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	w.Course(t, "go", 449_10)
	for name, c := range map[string]struct {
		change func(e *elsewhere)
		want   error
	}{
		"unknown buyer":  {func(e *elsewhere) { e.UserID = "x" }, people.ErrUserNotFound},
		"unknown course": {func(e *elsewhere) { e.CourseID = "x" }, catalog.ErrCourseNotFound},
		"no reference":   {func(e *elsewhere) { e.Reference = " " }, core.ErrInvalidRequest},
		"no source":      {func(e *elsewhere) { e.Source = "" }, core.ErrInvalidRequest},
		"a currency":     {func(e *elsewhere) { e.Currency = "XXX" }, core.ErrInvalidRequest},
		"an amount":      {func(e *elsewhere) { e.Amount = -1 }, core.ErrInvalidRequest},
		"the future": {func(e *elsewhere) { e.SoldAt = w.Clock.Now().Add(time.Hour) },
			core.ErrInvalidRequest},
	} {
		e := invoice(w, "ada", "go", 1_00)
		c.change(&e)
		_, err := w.Platform.System().RecordSale(ctx(), e)
		roomtest.WantFailure(t, err, c.want, name)
	}
	_, err := w.Platform.Sales.RecordSale(ctx(), ada, invoice(w, "ada", "go", 1_00))
	roomtest.WantFailure(t, err, core.ErrForbidden, "a student")
	w.WantSold(t, "go", 0, 0, 0)
}

// What a host refuses is answered as it says; another error of the host is a failure of ours.
func TestBuyPolicy_IsAskedBeforeEachSale(t *testing.T) {
	refusal := &core.Error{Kind: core.Forbidden, Code: "members_only", Message: "Members only"}
	var asked []sale.Offered
	var answer error
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithBuyPolicy(
		func(_ context.Context, actor core.Actor, o sale.Offered) error {
			if actor.UserID != "ada" {
				t.Errorf("asked for %+v", actor)
			}
			asked = append(asked, o)
			return answer
		})))
	ada := w.Person(t, "ada", core.Student)
	w.Course(t, "go", 449_10)
	w.Course(t, "free", 0)
	buy := map[string]func() error{
		"an order": func() error {
			_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: "go"})
			return err
		},
		"a free course": func() error {
			_, err := w.Platform.Sales.OpenOrder(ctx(), ada, sale.OrderRequest{CourseID: "free"})
			return err
		},
		"a price": func() error {
			_, err := w.Platform.Sales.Quote(ctx(), ada, sale.QuoteRequest{CourseID: "go", CouponCode: ""})
			return err
		},
	}
	for _, test := range []struct{ answers, want error }{
		{fmt.Errorf("ask: %w", refusal), refusal},
		{core.ErrUnauthenticated, nil}, // no refusal
		{errors.New("the table of members is gone"), nil},
	} {
		answer = test.answers
		for name, call := range buy {
			asked = nil
			err := call()
			isAnswered := test.want == nil && err != nil && !core.IsPublic(err) ||
				test.want != nil && errors.Is(err, test.want)
			if !isAnswered || len(asked) != 1 {
				t.Errorf("%s, with %v: %v; asked %v", name, answer, err, asked)
			}
		}
	}
	w.WantSold(t, "go", 0, 0, 0)
	w.WantSold(t, "free", 0, 0, 0)
	answer, asked = nil, nil
	roomtest.Must(t, buy["an order"]())
	want := sale.Offered{CourseID: "go", CourseTitle: "Course go", Amount: 449_10, Currency: "INR"}
	if len(asked) != 1 || asked[0] != want {
		t.Errorf("asked for %+v, want %+v", asked, want)
	}
}
