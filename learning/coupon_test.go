package learning_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/sale"
)

// otherTeacher is an educator without courses.
var otherTeacher = learning.Actor{UserID: "other-educator", Role: core.Educator}

func TestCreateCoupon_ByOwnersAndAdmins(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Course(t, "go", 499_00)
		now := w.Clock.Now()
		n := offer.NewCoupon{Code: " go_10-a ", PercentOff: 10_00, CourseID: course,
			StartsAt: now.Add(time.Hour).In(time.FixedZone("", 3600)),
			EndsAt:   now.Add(time.Hour + time.Microsecond), MaxRedemptions: 3, Active: true}
		got, err := w.Platform.Offers.CreateCoupon(ctx(), roomtest.Teacher, n)
		if err != nil {
			t.Fatal(err)
		}
		want := offer.Coupon{ID: got.ID, Code: "GO_10-A", PercentOff: 10_00, CourseID: course,
			StartsAt: now.Add(time.Hour).UTC(),
			EndsAt:   n.EndsAt.UTC(), MaxRedemptions: 3, Active: true, CreatedAt: got.CreatedAt}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		w.Clock.Advance(time.Second)
		every := w.Coupon(t, offer.NewCoupon{Code: "ALL", AmountOff: 1})
		for who, want := range map[learning.Actor][]offer.Coupon{roomtest.Teacher: {got},
			otherTeacher: {}, roomtest.Boss: {every, got}} {
			list, err := w.Platform.Offers.Coupons(ctx(), who)
			if diff := cmp.Diff(want, list); diff != "" || err != nil {
				t.Error(who, err, diff)
			}
		}
	})
}

func TestCreateCoupon_Refusals(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Course(t, "go", 499_00)
	w.Coupon(t, offer.NewCoupon{Code: "TAKEN", PercentOff: 1})
	valid := offer.NewCoupon{Code: "VALID", PercentOff: 10_00, CourseID: course}
	with := func(change func(n *offer.NewCoupon)) offer.NewCoupon {
		n := valid
		change(&n)
		return n
	}
	now := w.Clock.Now()
	for name, c := range map[string]struct {
		who  learning.Actor
		n    offer.NewCoupon
		want error
	}{
		"anonymous":        {learning.Actor{}, valid, core.ErrUnauthenticated},
		"student":          {roomtest.Ada, valid, core.ErrForbidden},
		"another educator": {otherTeacher, valid, core.ErrForbidden},
		"every course": {roomtest.Teacher, with(func(n *offer.NewCoupon) { n.CourseID = "" }),
			core.ErrForbidden},
		"unknown course": {roomtest.Boss, with(func(n *offer.NewCoupon) { n.CourseID = "none" }),
			catalog.ErrCourseNotFound},
		"taken": {roomtest.Boss, with(func(n *offer.NewCoupon) { n.Code = "taken" }),
			offer.ErrCouponExists},
		"short": {roomtest.Boss, with(func(n *offer.NewCoupon) { n.Code = "AB" }),
			core.ErrInvalidRequest},
		"long": {roomtest.Boss,
			with(func(n *offer.NewCoupon) { n.Code = strings.Repeat("A", 41) }),
			core.ErrInvalidRequest},
		"characters": {roomtest.Boss, with(func(n *offer.NewCoupon) { n.Code = "A.B" }),
			core.ErrInvalidRequest},
		"both": {roomtest.Boss, with(func(n *offer.NewCoupon) { n.AmountOff = 1 }),
			core.ErrInvalidRequest},
		"neither": {roomtest.Boss, with(func(n *offer.NewCoupon) { n.PercentOff = 0 }),
			core.ErrInvalidRequest},
		"negative": {roomtest.Boss, with(func(n *offer.NewCoupon) { n.PercentOff = -1 }),
			core.ErrInvalidRequest},
		"over 100 %": {roomtest.Boss, with(func(n *offer.NewCoupon) { n.PercentOff = 100_01 }),
			core.ErrInvalidRequest},
		"large amount": {roomtest.Boss,
			with(func(n *offer.NewCoupon) {
				n.PercentOff, n.AmountOff = 0,
					offer.MaxCouponAmount+1
			}), core.ErrInvalidRequest},
		"negative limit": {roomtest.Boss, with(func(n *offer.NewCoupon) { n.MaxRedemptions = -1 }),
			core.ErrInvalidRequest},
		"large limit": {roomtest.Boss,
			with(func(n *offer.NewCoupon) { n.MaxRedemptions = 1_000_000_001 }),
			core.ErrInvalidRequest},
		"no time": {roomtest.Boss,
			with(func(n *offer.NewCoupon) { n.StartsAt, n.EndsAt = now, now }),
			core.ErrInvalidRequest},
		"long ago": {roomtest.Boss,
			with(func(n *offer.NewCoupon) {
				n.StartsAt = time.Date(999, 1, 1, 0, 0, 0, 0,
					time.UTC)
			}), core.ErrInvalidRequest},
	} {
		if _, err := w.Platform.Offers.CreateCoupon(ctx(), c.who, c.n); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if n := w.Count(t, "coupons"); n != 1 {
		t.Errorf("%d coupons", n)
	}
}

func TestCreateCoupon_OneCodeAtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		errs := roomtest.Concurrently(10, func(i int) error {
			_, err := w.Platform.Offers.CreateCoupon(ctx(), roomtest.Boss,
				offer.NewCoupon{Code: []string{"same", "SAME"}[i%2], PercentOff: 1})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 1, offer.ErrCouponExists.Error(): 9},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
	})
}

// An educator adds coupons to two courses at once, until these have 1,000. The coupons of others
// and those for every course do not count.
func TestCreateCoupon_BoundOfAnEducator(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		courses := []string{w.Course(t, "go", 499_00), w.Course(t, "sql", 499_00)}
		w.Coupon(t, offer.NewCoupon{Code: "ALL", PercentOff: 1})
		w.SeedCoupons(t, "of-another", 0, 10)
		w.SeedCoupons(t, courses[0], 10, 600)
		w.SeedCoupons(t, courses[1], 610, 395)
		add := func(who learning.Actor, code, courseID string) error {
			_, err := w.Platform.Offers.CreateCoupon(ctx(), who,
				offer.NewCoupon{Code: code, PercentOff: 1, CourseID: courseID})
			return err
		}
		errs := roomtest.Concurrently(20,
			func(i int) error { return add(roomtest.Teacher, fmt.Sprintf("RACE-%d", i), courses[i%2]) })
		if diff := cmp.Diff(map[string]int{"": 5, offer.ErrTooManyCoupons.Error(): 15},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.Count(t, "coupons WHERE course_id IN ('go', 'sql')"); n !=
			offer.MaxCouponsOfEducator {
			t.Errorf("the courses have %d coupons", n)
		}
		if err := add(roomtest.Boss, "BY-AN-ADMIN", courses[0]); err != nil {
			t.Errorf("an admin: %v", err)
		}
		if err := add(roomtest.Teacher, "SEEDED-10", courses[0]); !errors.Is(err,
			offer.ErrTooManyCoupons) {
			t.Errorf("a code that exists: %v", err) // the answer does not tell whether it exists
		}
	})
}

func TestChangeCoupon_OnlyWhatItNames(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		c := w.Coupon(t, offer.NewCoupon{Code: "GO-", PercentOff: 10_00,
			CourseID: w.Course(t, "go", 499_00)})
		end := w.Clock.Now().Add(time.Hour)
		for _, step := range []struct {
			who    learning.Actor
			change offer.CouponChange
			then   func()
		}{
			{roomtest.Teacher, offer.CouponChange{Active: new(false)}, func() { c.Active = false }},
			{roomtest.Boss, offer.CouponChange{EndsAt: &end}, func() { c.EndsAt = end.UTC() }},
			{roomtest.Teacher, offer.CouponChange{Active: new(true), MaxRedemptions: new(int64(1))},
				func() { c.Active, c.MaxRedemptions = true, 1 }},
			{roomtest.Teacher, offer.CouponChange{}, func() {}},
			{roomtest.Teacher, offer.CouponChange{EndsAt: new(time.Time)},
				func() { c.EndsAt = time.Time{} }},
			{roomtest.Boss, offer.CouponChange{MaxRedemptions: new(int64)},
				func() { c.MaxRedemptions = 0 }},
		} {
			got, err := w.Platform.Offers.ChangeCoupon(ctx(), step.who, c.ID, step.change)
			step.then()
			if diff := cmp.Diff(c, got); diff != "" || err != nil {
				t.Errorf("%+v: %v\n%s", step.change, err, diff)
			}
		}
	})
}

func TestChangeCoupon_Refusals(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	now := w.Clock.Now()
	own := w.Coupon(t, offer.NewCoupon{Code: "OWN", PercentOff: 10_00,
		CourseID: w.Course(t, "go", 499_00), StartsAt: now})
	every := w.Coupon(t, offer.NewCoupon{Code: "ALL", PercentOff: 10_00})
	stop := offer.CouponChange{Active: new(false)}
	before := w.Dump(t)
	for name, c := range map[string]struct {
		who    learning.Actor
		id     string
		change offer.CouponChange
		want   error
	}{
		"anonymous":        {learning.Actor{}, own.ID, stop, core.ErrUnauthenticated},
		"student":          {roomtest.Ada, own.ID, stop, core.ErrForbidden},
		"another educator": {otherTeacher, own.ID, stop, core.ErrForbidden},
		"every course":     {roomtest.Teacher, every.ID, stop, core.ErrForbidden},
		"unknown":          {roomtest.Boss, "none", stop, offer.ErrCouponNotFound},
		"negative limit": {roomtest.Boss, own.ID, offer.CouponChange{MaxRedemptions: new(int64(-1))},
			core.ErrInvalidRequest},
		"end at the start": {roomtest.Boss, own.ID, offer.CouponChange{EndsAt: &now},
			core.ErrInvalidRequest},
	} {
		if _, err := w.Platform.Offers.ChangeCoupon(ctx(), c.who, c.id, c.change); !errors.Is(err,
			c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
		t.Error(diff)
	}
}

func TestQuote_CouponOfAnotherCourseIsRefused(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	c := w.Coupon(t, offer.NewCoupon{Code: "GO-", PercentOff: 10_00,
		CourseID: w.Course(t, "go", 499_00)})
	ada := w.Person(t, "ada", core.Student)
	if _, err := w.Platform.Sales.Quote(ctx(), ada,
		sale.QuoteRequest{CourseID: w.Course(t, "sql", 499_00), CouponCode: c.Code}); !errors.Is(err,
		offer.ErrCouponUnusable) {
		t.Errorf("%v", err)
	}
}
