package learning_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
)

// otherTeacher is an educator without courses.
var otherTeacher = learning.Actor{UserID: "other-educator", Role: learning.Educator}

// coupon creates a coupon as an admin. It is active.
func (w *fixture) coupon(t *testing.T, n learning.NewCoupon) learning.Coupon {
	t.Helper()
	n.Active = true
	c, err := w.Platform.CreateCoupon(ctx(), boss, n)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCreateCoupon_ByOwnersAndAdmins(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.Course(t, "go", 499_00)
		now := w.Clock.Now()
		n := learning.NewCoupon{Code: " go_10-a ", PercentOff: 10_00, CourseID: course,
			StartsAt: now.Add(time.Hour).In(time.FixedZone("", 3600)),
			EndsAt:   now.Add(time.Hour + time.Microsecond), MaxRedemptions: 3, Active: true}
		got, err := w.Platform.CreateCoupon(ctx(), teacher, n)
		if err != nil {
			t.Fatal(err)
		}
		want := learning.Coupon{ID: got.ID, Code: "GO_10-A", PercentOff: 10_00, CourseID: course,
			StartsAt: now.Add(time.Hour).UTC(),
			EndsAt:   n.EndsAt.UTC(), MaxRedemptions: 3, Active: true, CreatedAt: got.CreatedAt}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		w.Clock.Advance(time.Second)
		every := w.coupon(t, learning.NewCoupon{Code: "ALL", AmountOff: 1})
		for who, want := range map[learning.Actor][]learning.Coupon{teacher: {got},
			otherTeacher: {}, boss: {every, got}} {
			list, err := w.Platform.Coupons(ctx(), who)
			if diff := cmp.Diff(want, list); diff != "" || err != nil {
				t.Error(who, err, diff)
			}
		}
	})
}

func TestCreateCoupon_Refusals(t *testing.T) {
	w := newFixture(t, sqlite(t))
	course := w.Course(t, "go", 499_00)
	w.coupon(t, learning.NewCoupon{Code: "TAKEN", PercentOff: 1})
	valid := learning.NewCoupon{Code: "VALID", PercentOff: 10_00, CourseID: course}
	with := func(change func(n *learning.NewCoupon)) learning.NewCoupon {
		n := valid
		change(&n)
		return n
	}
	now := w.Clock.Now()
	for name, c := range map[string]struct {
		who  learning.Actor
		n    learning.NewCoupon
		want error
	}{
		"anonymous":        {learning.Actor{}, valid, learning.ErrUnauthenticated},
		"student":          {ada, valid, learning.ErrForbidden},
		"another educator": {otherTeacher, valid, learning.ErrForbidden},
		"every course": {teacher, with(func(n *learning.NewCoupon) { n.CourseID = "" }),
			learning.ErrForbidden},
		"unknown course": {boss, with(func(n *learning.NewCoupon) { n.CourseID = "none" }),
			learning.ErrCourseNotFound},
		"taken": {boss, with(func(n *learning.NewCoupon) { n.Code = "taken" }),
			learning.ErrCouponExists},
		"short": {boss, with(func(n *learning.NewCoupon) { n.Code = "AB" }),
			learning.ErrInvalidRequest},
		"long": {boss,
			with(func(n *learning.NewCoupon) { n.Code = strings.Repeat("A", 41) }),
			learning.ErrInvalidRequest},
		"characters": {boss, with(func(n *learning.NewCoupon) { n.Code = "A.B" }),
			learning.ErrInvalidRequest},
		"both": {boss, with(func(n *learning.NewCoupon) { n.AmountOff = 1 }),
			learning.ErrInvalidRequest},
		"neither": {boss, with(func(n *learning.NewCoupon) { n.PercentOff = 0 }),
			learning.ErrInvalidRequest},
		"negative": {boss, with(func(n *learning.NewCoupon) { n.PercentOff = -1 }),
			learning.ErrInvalidRequest},
		"over 100 %": {boss, with(func(n *learning.NewCoupon) { n.PercentOff = 100_01 }),
			learning.ErrInvalidRequest},
		"large amount": {boss,
			with(func(n *learning.NewCoupon) {
				n.PercentOff, n.AmountOff = 0,
					learning.MaxCouponAmount+1
			}), learning.ErrInvalidRequest},
		"negative limit": {boss, with(func(n *learning.NewCoupon) { n.MaxRedemptions = -1 }),
			learning.ErrInvalidRequest},
		"large limit": {boss,
			with(func(n *learning.NewCoupon) { n.MaxRedemptions = 1_000_000_001 }),
			learning.ErrInvalidRequest},
		"no time": {boss,
			with(func(n *learning.NewCoupon) { n.StartsAt, n.EndsAt = now, now }),
			learning.ErrInvalidRequest},
		"long ago": {boss,
			with(func(n *learning.NewCoupon) {
				n.StartsAt = time.Date(999, 1, 1, 0, 0, 0, 0,
					time.UTC)
			}), learning.ErrInvalidRequest},
	} {
		if _, err := w.Platform.CreateCoupon(ctx(), c.who, c.n); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if n := w.count(t, "coupons"); n != 1 {
		t.Errorf("%d coupons", n)
	}
}

func TestCreateCoupon_OneCodeAtOnce(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		errs := concurrently(10, func(i int) error {
			_, err := w.Platform.CreateCoupon(ctx(), boss,
				learning.NewCoupon{Code: []string{"same", "SAME"}[i%2], PercentOff: 1})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 1, learning.ErrCouponExists.Error(): 9},
			countErrors(errs)); diff != "" {
			t.Error(diff)
		}
	})
}

// seedCoupons adds n coupons of a course with numbers from first on.
func (w *fixture) seedCoupons(t *testing.T, courseID string, first, n int) {
	t.Helper()
	rows := make([]string, n)
	for i := range rows {
		rows[i] = fmt.Sprintf(
			"('seeded_%d', 'SEEDED-%[1]d', 100, 0, '%s', 0, 1, '2026-01-05 00:00:00.000000')",
			first+i, courseID)
	}
	w.exec(t,
		"INSERT INTO coupons (id, code, percent_off, amount_off, course_id, redemptions, "+
			"is_active, created_at) VALUES "+strings.Join(rows, ", "))
}

// An educator adds coupons to two courses at once, until these have 1,000. The coupons of others
// and those for every course do not count.
func TestCreateCoupon_BoundOfAnEducator(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		courses := []string{w.Course(t, "go", 499_00), w.Course(t, "sql", 499_00)}
		w.coupon(t, learning.NewCoupon{Code: "ALL", PercentOff: 1})
		w.seedCoupons(t, "of-another", 0, 10)
		w.seedCoupons(t, courses[0], 10, 600)
		w.seedCoupons(t, courses[1], 610, 395)
		add := func(who learning.Actor, code, courseID string) error {
			_, err := w.Platform.CreateCoupon(ctx(), who,
				learning.NewCoupon{Code: code, PercentOff: 1, CourseID: courseID})
			return err
		}
		errs := concurrently(20,
			func(i int) error { return add(teacher, fmt.Sprintf("RACE-%d", i), courses[i%2]) })
		if diff := cmp.Diff(map[string]int{"": 5, learning.ErrTooManyCoupons.Error(): 15},
			countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if n := w.count(t, "coupons WHERE course_id IN ('go', 'sql')"); n !=
			learning.MaxCouponsOfEducator {
			t.Errorf("the courses have %d coupons", n)
		}
		if err := add(boss, "BY-AN-ADMIN", courses[0]); err != nil {
			t.Errorf("an admin: %v", err)
		}
		if err := add(teacher, "SEEDED-10", courses[0]); !errors.Is(err,
			learning.ErrTooManyCoupons) {
			t.Errorf("a code that exists: %v", err) // the answer does not tell whether it exists
		}
	})
}

func TestChangeCoupon_OnlyWhatItNames(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		c := w.coupon(t, learning.NewCoupon{Code: "GO-", PercentOff: 10_00,
			CourseID: w.Course(t, "go", 499_00)})
		end := w.Clock.Now().Add(time.Hour)
		for _, step := range []struct {
			who    learning.Actor
			change learning.CouponChange
			then   func()
		}{
			{teacher, learning.CouponChange{Active: new(false)}, func() { c.Active = false }},
			{boss, learning.CouponChange{EndsAt: &end}, func() { c.EndsAt = end.UTC() }},
			{teacher, learning.CouponChange{Active: new(true), MaxRedemptions: new(int64(1))},
				func() { c.Active, c.MaxRedemptions = true, 1 }},
			{teacher, learning.CouponChange{}, func() {}},
			{teacher, learning.CouponChange{EndsAt: new(time.Time)},
				func() { c.EndsAt = time.Time{} }},
			{boss, learning.CouponChange{MaxRedemptions: new(int64)},
				func() { c.MaxRedemptions = 0 }},
		} {
			got, err := w.Platform.ChangeCoupon(ctx(), step.who, c.ID, step.change)
			step.then()
			if diff := cmp.Diff(c, got); diff != "" || err != nil {
				t.Errorf("%+v: %v\n%s", step.change, err, diff)
			}
		}
	})
}

func TestChangeCoupon_Refusals(t *testing.T) {
	w := newFixture(t, sqlite(t))
	now := w.Clock.Now()
	own := w.coupon(t, learning.NewCoupon{Code: "OWN", PercentOff: 10_00,
		CourseID: w.Course(t, "go", 499_00), StartsAt: now})
	every := w.coupon(t, learning.NewCoupon{Code: "ALL", PercentOff: 10_00})
	stop := learning.CouponChange{Active: new(false)}
	before := w.dump(t)
	for name, c := range map[string]struct {
		who    learning.Actor
		id     string
		change learning.CouponChange
		want   error
	}{
		"anonymous":        {learning.Actor{}, own.ID, stop, learning.ErrUnauthenticated},
		"student":          {ada, own.ID, stop, learning.ErrForbidden},
		"another educator": {otherTeacher, own.ID, stop, learning.ErrForbidden},
		"every course":     {teacher, every.ID, stop, learning.ErrForbidden},
		"unknown":          {boss, "none", stop, learning.ErrCouponNotFound},
		"negative limit": {boss, own.ID, learning.CouponChange{MaxRedemptions: new(int64(-1))},
			learning.ErrInvalidRequest},
		"end at the start": {boss, own.ID, learning.CouponChange{EndsAt: &now},
			learning.ErrInvalidRequest},
	} {
		if _, err := w.Platform.ChangeCoupon(ctx(), c.who, c.id, c.change); !errors.Is(err,
			c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if diff := cmp.Diff(before, w.dump(t)); diff != "" {
		t.Error(diff)
	}
}

func TestQuote_CouponOfAnotherCourseIsRefused(t *testing.T) {
	w := newFixture(t, sqlite(t))
	c := w.coupon(t, learning.NewCoupon{Code: "GO-", PercentOff: 10_00,
		CourseID: w.Course(t, "go", 499_00)})
	ada := w.Person(t, "ada", learning.Student)
	if _, err := w.Platform.Quote(ctx(), ada, w.Course(t, "sql", 499_00), c.Code); !errors.Is(err,
		learning.ErrCouponUnusable) {
		t.Errorf("%v", err)
	}
}
