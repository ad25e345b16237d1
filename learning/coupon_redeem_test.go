package learning_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// buys opens an order with a coupon and fails the test if there is an error.
func (w *fixture) buys(t *testing.T, who learning.Actor, courseID, code string) learning.Order {
	t.Helper()
	o, err := w.Platform.OpenOrderWithCoupon(ctx(), who, courseID, code)
	if err != nil {
		t.Fatalf("open an order with the coupon %q: %v", code, err)
	}
	return o
}

// wantRedeemed checks the redemptions of a coupon, and that the redemptions of all coupons are
// the numbers of their purchases.
func (w *fixture) wantRedeemed(t *testing.T, couponID string, want int64) {
	t.Helper()
	c, err := w.Store.Coupon(ctx(), couponID)
	if err != nil || c.Redemptions != want {
		t.Errorf("the coupon has %d redemptions, want %d: %v", c.Redemptions, want, err)
	}
	for _, name := range []string{"redemptions", "held in vain", "students"} {
		if n := w.count(t, invariants.Courses[name]); n != 0 {
			t.Errorf("%s: %d invalid rows", name, n)
		}
	}
}

func (w *fixture) wantUnusable(t *testing.T, who learning.Actor, courseID, code string) {
	t.Helper()
	if o, err := w.Platform.OpenOrderWithCoupon(ctx(), who, courseID, code); !errors.Is(err, learning.ErrCouponUnusable) {
		t.Errorf("the order is %+v, the error %v", o, err)
	}
}

func TestQuote_ExactTotals(t *testing.T) {
	w := newFixture(t, sqlite(t))
	for i, c := range []struct {
		price, total, amountOff learning.Money
		discount, percentOff    learning.Percent
	}{
		{price: 19_99, discount: 15_00, percentOff: 10_00, total: 15_29}, // 16.99 less 1.699
		{price: 3_01, discount: 50_00, percentOff: 33_33, total: 1_01},   // 1.51 less 0.5033
		{price: 1_000_00, percentOff: 99_99, total: 1_00},
		{price: 10_00, percentOff: 99_99, total: 0}, // 0.001 is rounded to 0
		{price: 10_000_000_00, percentOff: 1, total: 9_999_000_00},
		{price: 499_00, percentOff: 100_00, total: 0},
		{price: 499_00, amountOff: 498_99, total: 1_00},
		{price: 499_00, amountOff: 498_00, total: 1_00},
		{price: 499_00, amountOff: 499_00, total: 0},
		{price: 499_00, amountOff: 500_00, total: 0},
		{price: 0, amountOff: 1, total: 0},
		{price: 19_99, amountOff: 1, total: 19_98},
	} {
		course, code := w.Course(t, fmt.Sprint("course-", i), c.price), fmt.Sprint("CODE-", i)
		w.exec(t, "UPDATE courses SET discount = ? WHERE id = ?", int64(c.discount), course)
		w.coupon(t, learning.NewCoupon{Code: code, PercentOff: c.percentOff, AmountOff: c.amountOff, CourseID: course})
		q, err := w.Platform.Quote(ctx(), ada, course, code)
		if err != nil || q.Total != c.total || q.Price != c.price || q.Discount() != c.price-c.total || q.Currency != "INR" || q.Coupon.Code != code {
			t.Errorf("%+v: %+v, error %v", c, q, err)
		}
	}
	if _, err := w.Platform.Quote(ctx(), learning.Actor{}, "course-0", ""); !errors.Is(err, learning.ErrUnauthenticated) {
		t.Errorf("the error is %v", err)
	}
}

func TestQuote_Times(t *testing.T) {
	w := newFixture(t, sqlite(t))
	course, now := w.Course(t, "go", 499_00), w.Clock.Now()
	w.coupon(t, learning.NewCoupon{Code: "NOW", PercentOff: 10_00, StartsAt: now.Add(time.Second), EndsAt: now.Add(2 * time.Second)})
	for _, valid := range []bool{false, true, false} {
		if _, err := w.Platform.Quote(ctx(), ada, course, "NOW"); (err == nil) != valid || err != nil && !errors.Is(err, learning.ErrCouponUnusable) {
			t.Errorf("at %v: %v", w.Clock.Now().Sub(now), err)
		}
		w.Clock.Advance(time.Second)
	}
}

func TestOpenOrder_CouponIsGivenBackWhenReplaced(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		bob := w.Person(t, "bob", learning.Student)
		ten := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		five := w.coupon(t, learning.NewCoupon{Code: "FIVE", AmountOff: 5_00, CourseID: course})
		first := w.buys(t, ada, course, "ten")
		if again := w.buys(t, ada, course, "TEN"); again != first || first.Amount != 449_10 {
			t.Errorf("the orders are %+v and %+v", first, again)
		}
		w.wantRedeemed(t, ten.ID, 1)
		w.wantUnusable(t, bob, course, "TEN")
		if second := w.buys(t, ada, course, "FIVE"); second.Amount != 494_00 || second.PurchaseID == first.PurchaseID {
			t.Errorf("the order is %+v", second)
		}
		w.wantStatus(t, first.PurchaseID, learning.PurchaseFailed)
		w.wantRedeemed(t, ten.ID, 0)
		w.wantRedeemed(t, five.ID, 1)
		w.buys(t, bob, course, "TEN")
		w.wantUnusable(t, ada, course, "TEN") // and her order stays open
		w.wantRedeemed(t, five.ID, 1)
		w.setPrice(t, course, 399_00)
		if o := w.buys(t, ada, course, "FIVE"); o.Amount != 394_00 {
			t.Errorf("the order is %+v", o)
		}
		w.wantRedeemed(t, five.ID, 1)
		w.wantSold(t, course, 0, 0, 2)
	})
}

func TestOpenOrder_CouponMakesTheCourseFree(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		gift := w.coupon(t, learning.NewCoupon{Code: "GIFT", PercentOff: 100_00})
		old := w.order(t, ada, course)
		w.Sandbox.Gateway().Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultStatus})
		if o := w.buys(t, ada, course, "GIFT"); o.OrderID != "" || o.Amount != 0 {
			t.Errorf("the order is %+v", o)
		}
		w.wantStatus(t, old.PurchaseID, learning.PurchaseFailed)
		w.wantSold(t, course, 1, 1, 0)
		w.wantRedeemed(t, gift.ID, 1)
		if _, err := w.Platform.OpenOrderWithCoupon(ctx(), ada, course, "GIFT"); !errors.Is(err, learning.ErrAlreadyEnrolled) {
			t.Errorf("again: %v", err)
		}
		w.wantUnusable(t, ada, w.Course(t, "other", 499_00), "GIFT")
	})
}

func TestOpenOrder_GatewayFailureGivesTheCouponBack(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		c := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		for range 3 {
			w.Sandbox.Gateway().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultStatus})
			if _, err := w.Platform.OpenOrderWithCoupon(ctx(), ada, course, "TEN"); err == nil {
				t.Error("the gateway did not fail")
			}
			w.wantRedeemed(t, c.ID, 0)
		}
		w.buys(t, ada, course, "TEN")
		w.wantRedeemed(t, c.ID, 1)
	})
}

// abandons leaves a created purchase with a coupon, whose instance died, and advances the clock
// to the end of its lease.
func (w *fixture) abandons(t *testing.T, who learning.Actor, course, couponID string) learning.Purchase {
	t.Helper()
	p := w.abandoned(t, who, course, 449_10)
	w.exec(t, "UPDATE purchases SET coupon_id = ?, holds_coupon = 1 WHERE id = ?", couponID, p.ID)
	w.exec(t, "UPDATE coupons SET redemptions = redemptions + 1 WHERE id = ?", couponID)
	w.Clock.Advance(lease)
	return p
}

func TestOpenOrder_TakeOverOfAPurchaseWithACoupon(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ten := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		five := w.coupon(t, learning.NewCoupon{Code: "FIVE", AmountOff: 5_00})
		gift := w.coupon(t, learning.NewCoupon{Code: "GIFT", PercentOff: 100_00})
		for code, want := range map[string]struct{ ten, five, gift, amount int64 }{
			"TEN": {1, 0, 0, 449_10}, "FIVE": {0, 1, 0, 494_00}, "GIFT": {0, 0, 1, 0}, "": {0, 0, 0, 499_00},
		} {
			course, who := w.Course(t, "course-"+code, 499_00), w.Person(t, "buyer-"+code, learning.Student)
			w.abandons(t, who, course, ten.ID)
			if o := w.buys(t, who, course, code); int64(o.Amount) != want.amount {
				t.Errorf("%q: the order is %+v", code, o)
			}
			w.wantRedeemed(t, ten.ID, want.ten)
			w.wantRedeemed(t, five.ID, want.five)
			w.wantRedeemed(t, gift.ID, want.gift)
			w.exec(t, "DELETE FROM purchases")
			w.exec(t, "UPDATE coupons SET redemptions = 0")
		}
	})
}

func TestCompletePurchase_LatePaymentRedeemsAgain(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		c := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		late := w.buys(t, ada, course, "TEN")
		w.order(t, ada, course) // replaces it
		w.wantRedeemed(t, c.ID, 0)
		w.buys(t, w.Person(t, "bob", learning.Student), course, "TEN")
		w.wantRedeemed(t, c.ID, 1)
		paid := w.pay(t, late.OrderID)
		for range 2 {
			if err := w.Platform.System().CapturePayment(ctx(), capturedPayment(late, paid.ID)); err != nil {
				t.Fatal(err)
			}
		}
		if p := w.purchase(t, late.PurchaseID); p.Status != learning.PurchaseCompleted || p.Amount != 449_10 {
			t.Errorf("the purchase is %+v", p)
		}
		w.wantRedeemed(t, c.ID, 2)
		w.wantLogged(t, "late payment exceeds the limit of a coupon", 1)
		w.wantUnusable(t, ada, w.Course(t, "other", 499_00), "TEN")
	})
}

func TestCompletePurchase_LatePaymentOfACouponRedeemedElsewhere(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, other := w.Course(t, "go", 499_00), w.Course(t, "other", 499_00)
		ada := w.Person(t, "ada", learning.Student)
		c := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00})
		late := w.buys(t, ada, course, "TEN")
		w.order(t, ada, course) // replaces it
		w.buys(t, ada, other, "TEN")
		if err := w.Platform.VerifyPayment(ctx(), ada, w.proof(late.OrderID, w.pay(t, late.OrderID).ID)); err != nil {
			t.Fatal(err)
		}
		w.wantStatus(t, late.PurchaseID, learning.PurchaseCompleted)
		w.wantRedeemed(t, c.ID, 2)
		w.wantLogged(t, "late payment exceeds", 0)
		w.wantSold(t, course, 1, 1, 1)
	})
}

func TestOpenOrder_CouponFaultAtEachStep(t *testing.T) {
	code := func(w faultRun) string { return "C-" + w.id }
	s := &scenario{
		prepare: func(t *testing.T, w faultRun) {
			w.Course(t, w.id, 499_00)
			w.Person(t, "buyer-"+w.id, learning.Student)
			w.coupon(t, learning.NewCoupon{Code: code(w), PercentOff: 10_00, MaxRedemptions: 1})
		},
		do: func(t *testing.T, w faultRun) error {
			_, err := w.Platform.OpenOrderWithCoupon(ctx(), learning.Actor{UserID: "buyer-" + w.id}, w.id, code(w))
			return err
		},
		check: func(t *testing.T, w faultRun) {
			w.wantSold(t, w.id, 0, 0, 1)
			c, err := w.Store.CouponByCode(ctx(), "C-RUN-"+w.id[len("run-"):])
			if err != nil {
				t.Fatal(err)
			}
			w.wantRedeemed(t, c.ID, 1)
		},
		leaves: []string{"coupons"}, // with its purchase, until the lease has expired
		steps:  []string{"insert a purchase", "redeem a coupon", "store the order of a purchase"},
	}
	onEngines(t, s.run)
}

func TestRefundPurchase_CouponOnceMore(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		c := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 2})
		for redemptions := range int64(2) {
			o := w.buys(t, ada, course, "TEN")
			if err := w.Platform.VerifyPayment(ctx(), ada, w.proof(o.OrderID, w.pay(t, o.OrderID).ID)); err != nil {
				t.Fatal(err)
			}
			w.wantUnusable(t, ada, w.Course(t, "", 499_00), "TEN")
			if _, err := w.Platform.RefundPurchase(ctx(), boss, o.PurchaseID, nil, ""); err != nil {
				t.Fatal(err)
			}
			w.wantRedeemed(t, c.ID, redemptions+1)
		}
		w.wantUnusable(t, ada, course, "TEN") // the limit
	})
}
