package learning_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

func TestOpenOrder_LastRedemptionAtOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		other := w.OtherInstance(t)
		course := w.Course(t, "go", 499_00)
		c := w.Coupon(t, offer.NewCoupon{Code: "LAST", PercentOff: 10_00, MaxRedemptions: 2})
		w.Buys(t, w.Person(t, "first", core.Student), course, "LAST")
		for i := range 50 {
			w.Person(t, fmt.Sprint("buyer-", i), core.Student)
		}
		errs := roomtest.Concurrently(50, func(i int) error {
			_, err := []*roomtest.World{w, other}[i%2].Platform.Sales.OpenOrder(ctx(),
				roomtest.Student(fmt.Sprint("buyer-", i)),
				sale.OrderRequest{CourseID: course, CouponCode: "LAST"})
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 1, offer.ErrCouponUnusable.Error(): 49},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantRedeemed(t, c.ID, 2)
		w.WantSold(t, course, 0, 0, 2)
	})
}

func TestOpenOrder_OneCouponForTwoCoursesAtOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		for code, percent := range map[string]core.Percent{"TEN": 10_00, "GIFT": 100_00} {
			c := w.Coupon(t, offer.NewCoupon{Code: code, PercentOff: percent})
			ada := w.Person(t, "ada", core.Student)
			courses := []string{w.Course(t, "one-"+code, 499_00), w.Course(t, "two-"+code, 499_00)}
			errs := roomtest.Concurrently(10, func(i int) error {
				_, err := w.Platform.Sales.OpenOrder(ctx(), ada,
					sale.OrderRequest{CourseID: courses[i%2], CouponCode: code})
				return err
			})
			count := roomtest.CountErrors(errs)
			if count[offer.ErrCouponUnusable.Error()] != 5 ||
				count[""]+count[study.ErrAlreadyEnrolled.Error()] != 5 || count[""] == 0 {
				t.Errorf("%s: %v", code, count)
			}
			w.WantRedeemed(t, c.ID, 1)
		}
	})
}

// Prices, coupons and payments change while a user opens orders: the books stay right.
func TestOpenOrder_RaceOfPricesCouponsAndPayments(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		ten := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		five := w.Coupon(t, offer.NewCoupon{Code: "FIVE", AmountOff: 5_00, MaxRedemptions: 1})
		first := w.Buys(t, ada, course, "TEN")
		w.Order(t, ada, course) // replaces it
		paid, isTaken := w.PayLate(t, first.OrderID)
		ctx, cancel := context.WithTimeout(context.Background(), roomtest.Bound)
		defer cancel()
		errs := roomtest.Concurrently(24, func(i int) error {
			switch i % 4 {
			case 0:
				_, err := w.DB.Exec("UPDATE courses SET price = ? WHERE id = 'go'", 399_00+i)
				return err
			case 1:
				if !isTaken {
					return nil
				}
				return w.Report(paid)
			case 2:
				if i > 14 {
					_, err := w.Platform.Offers.ChangeCoupon(ctx, roomtest.Boss, ten.ID,
						offer.CouponChange{Active: new(i > 20)})
					return err
				}
			}
			_, err := w.Platform.Sales.OpenOrder(ctx, ada,
				sale.OrderRequest{CourseID: course,
					CouponCode: []string{"TEN", "FIVE", ""}[i%3]})
			if errors.Is(err, study.ErrAlreadyEnrolled) ||
				errors.Is(err, offer.ErrCouponUnusable) {
				return nil
			}
			return err
		})
		if diff := cmp.Diff(map[string]int{"": 24}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		// A payment that comes while the coupon is not active is returned.
		bought, err := w.Store.Purchase(ctx, first.PurchaseID)
		if err != nil {
			t.Fatal(err)
		}
		students := map[purchase.Status]int{
			purchase.Completed: 1, purchase.Refunded: 0,
			purchase.Failed: 0, // replaced, and cancelled at Stripe
		}
		want, decided := students[bought.Status]
		if !decided {
			t.Errorf("the purchase is %s", bought.Status)
		}
		for _, c := range []offer.Coupon{ten, five} {
			got, err := w.Store.Coupon(ctx, c.ID)
			if err != nil {
				t.Fatal(err)
			}
			w.WantRedeemed(t, c.ID, got.Redemptions)
		}
		if n := w.Students(t, course); n != want {
			t.Errorf("%d students of a purchase that is %s", n, bought.Status)
		}
	})
}

// The user is deleted while the gateway opens the order; later the order is paid.
func TestOpenOrder_RaceOfACouponAndTheDeletionOfTheUser(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		c := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		w.Till.OnOrder(func() { w.Apply(t, roomtest.Event(people.UserDeleted, 1)) })
		o := w.Buys(t, ada, course, "TEN")
		w.WantRedeemed(t, c.ID, 1)
		roomtest.Must(t, w.Report(w.Pay(t, o.OrderID)))
		w.WantRedeemed(t, c.ID, 1)
		w.WantSold(t, course, 1, 1, 0)
	})
}
