package learning_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// buys opens an order with a coupon and fails the test if there is an error.
func (w *fixture) buys(t *testing.T, who learning.Actor, courseID, code string) learning.Order {
	t.Helper()
	o, err := w.Platform.OpenOrder(ctx(), who,
		learning.OrderRequest{CourseID: courseID, CouponCode: code})
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
	if o, err := w.Platform.OpenOrder(ctx(), who,
		learning.OrderRequest{CourseID: courseID, CouponCode: code}); !errors.Is(err,
		learning.ErrCouponUnusable) {
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
		w.coupon(t, learning.NewCoupon{Code: code, PercentOff: c.percentOff, AmountOff: c.amountOff,
			CourseID: course})
		q, err := w.Platform.Quote(ctx(), ada, course, code)
		if err != nil || q.Total != c.total || q.Price != c.price ||
			q.Discount() != c.price-c.total || q.Currency != "INR" || q.Coupon.Code != code {
			t.Errorf("%+v: %+v, error %v", c, q, err)
		}
	}
	if _, err := w.Platform.Quote(ctx(), learning.Actor{}, "course-0", ""); !errors.Is(err,
		learning.ErrUnauthenticated) {
		t.Errorf("the error is %v", err)
	}
}

func TestQuote_Times(t *testing.T) {
	w := newFixture(t, sqlite(t))
	course, now := w.Course(t, "go", 499_00), w.Clock.Now()
	w.coupon(t, learning.NewCoupon{Code: "NOW", PercentOff: 10_00, StartsAt: now.Add(time.Second),
		EndsAt: now.Add(2 * time.Second)})
	for _, valid := range []bool{false, true, false} {
		if _, err := w.Platform.Quote(ctx(), ada, course, "NOW"); (err == nil) != valid ||
			err != nil && !errors.Is(err, learning.ErrCouponUnusable) {
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
		if second := w.buys(t, ada, course, "FIVE"); second.Amount != 494_00 ||
			second.PurchaseID == first.PurchaseID {
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
		if _, err := w.Platform.OpenOrder(ctx(), ada,
			learning.OrderRequest{CourseID: course, CouponCode: "GIFT"}); !errors.Is(err,
			learning.ErrAlreadyEnrolled) {
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
			if _, err := w.Platform.OpenOrder(ctx(), ada,
				learning.OrderRequest{CourseID: course, CouponCode: "TEN"}); err == nil {
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
func (w *fixture) abandons(t *testing.T, who learning.Actor,
	course, couponID string) learning.Purchase {
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
			"TEN": {1, 0, 0, 449_10}, "FIVE": {0, 1, 0, 494_00}, "GIFT": {0, 0, 1, 0},
			"": {0, 0, 0, 499_00},
		} {
			course, who := w.Course(t, "course-"+code, 499_00),
				w.Person(t, "buyer-"+code, learning.Student)
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
		paid := w.pay(t, late.OrderID)
		for range 2 {
			if err := w.Platform.System().CapturePayment(ctx(),
				capturedPayment(late, paid.ID)); err != nil {
				t.Fatal(err)
			}
		}
		w.wantBooks(t, late.PurchaseID, learning.PurchaseCompleted, 0, 0)
		w.wantRedeemed(t, c.ID, 1)
		w.wantUnusable(t, ada, w.Course(t, "other", 499_00), "TEN")
	})
}

// The redemption of an order that was replaced is free, and an order for the same offer has taken
// it again: it passes to the first one, which is paid late.
func TestCompletePurchase_LatePaymentTakesTheRedemptionOfAnOpenOrder(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *fixture, _ *receiver) {
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		c := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		late := w.buys(t, ada, course, "TEN")
		w.order(t, ada, course)
		open := w.buys(t, ada, course, "TEN")
		w.wantRedeemed(t, c.ID, 1)
		if err := w.Platform.VerifyPayment(ctx(), ada,
			w.proof(late.OrderID, w.pay(t, late.OrderID).ID)); err != nil {
			t.Fatal(err)
		}
		w.wantBooks(t, late.PurchaseID, learning.PurchaseCompleted, 0, 0)
		w.wantStatus(t, open.PurchaseID, learning.PurchaseFailed)
		w.wantRedeemed(t, c.ID, 1)
		w.wantSold(t, course, 1, 1, 0)

		// The order that has lost its redemption is paid too.
		err := w.Platform.VerifyPayment(ctx(), ada,
			w.proof(open.OrderID, w.pay(t, open.OrderID).ID))
		if !errors.Is(err, learning.ErrPaymentReturned) {
			t.Errorf("the second payment: %v", err)
		}
		w.wantReturned(t, open)
		w.wantRedeemed(t, c.ID, 1)
		w.wantSold(t, course, 1, 1, 0)
	})
}

// wantReturned checks that the payment of an order was returned, and that the order had no other
// effect.
func (w *fixture) wantReturned(t *testing.T, o learning.Order) {
	t.Helper()
	w.wantBooks(t, o.PurchaseID, learning.PurchaseRefunded, o.Amount, 0)
	p := w.purchase(t, o.PurchaseID)
	if !p.CompletedAt.IsZero() || p.HoldsCoupon || !p.IsReturned() {
		t.Errorf("the purchase is %+v", p)
	}
	if n := w.count(t, "enrollments WHERE purchase_id = ?", o.PurchaseID) +
		w.count(t, "past_enrollments WHERE purchase_id = ?", o.PurchaseID); n != 0 {
		t.Errorf("it gave %d enrolments", n)
	}
	if n := w.count(t, "event_deliveries WHERE subject = ?", "purchase:"+o.PurchaseID); n != 0 {
		t.Errorf("it wrote %d events", n)
	}
	if list := w.refundsAt(t, p.PaymentID); len(list) != 1 || list[0].Amount != int64(o.Amount) {
		t.Errorf("the refunds at the gateway are %+v", list)
	}
}

func TestCompletePurchase_LatePaymentIsReturned(t *testing.T) {
	for name, use := range map[string]func(t *testing.T, w *fixture, ada learning.Actor,
		c learning.Coupon){
		"used up by another user": func(t *testing.T, w *fixture, _ learning.Actor,
			_ learning.Coupon) {
			w.buys(t, w.Person(t, "bob", learning.Student), "go", "TEN")
		},
		"redeemed with an open order of another course": func(t *testing.T, w *fixture,
			ada learning.Actor, _ learning.Coupon) {
			w.buys(t, ada, w.Course(t, "other", 499_00), "TEN")
		},
		"redeemed with another purchase": func(t *testing.T, w *fixture, ada learning.Actor,
			_ learning.Coupon) {
			o := w.buys(t, ada, w.Course(t, "other", 499_00), "TEN")
			if err := w.Platform.VerifyPayment(ctx(), ada,
				w.proof(o.OrderID, w.pay(t, o.OrderID).ID)); err != nil {
				t.Fatal(err)
			}
		},
		"no longer active": func(t *testing.T, w *fixture, _ learning.Actor, c learning.Coupon) {
			if _, err := w.Platform.ChangeCoupon(ctx(), boss, c.ID,
				learning.CouponChange{Active: new(false)}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			withEventsOnEngines(t, func(t *testing.T, w *fixture, _ *receiver) {
				course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
				c := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00,
					MaxRedemptions: 1})
				late := w.buys(t, ada, course, "TEN")
				w.order(t, ada, course)
				use(t, w, ada, c)
				before, err := w.Store.Coupon(ctx(), c.ID)
				if err != nil {
					t.Fatal(err)
				}
				paid := w.pay(t, late.OrderID)
				if err := w.Platform.System().CapturePayment(ctx(),
					capturedPayment(late, paid.ID)); err != nil {
					t.Errorf("the webhook: %v", err)
				}
				for range 2 {
					err := w.Platform.VerifyPayment(ctx(), ada, w.proof(late.OrderID, paid.ID))
					if !errors.Is(err, learning.ErrPaymentReturned) {
						t.Errorf("the proof: %v", err)
					}
				}
				w.wantReturned(t, late)
				w.wantRedeemed(t, c.ID, before.Redemptions)
				w.wantLogged(t, "late payment is returned", 1)
				if s, err := w.Platform.Stats(ctx(), boss); err != nil || s.Revenue%449_10 != 0 ||
					s.Revenue > 449_10 {
					t.Errorf("the statistics are %+v: %v", s, err)
				}
			})
		})
	}
}

// A user orders five courses with a coupon of one redemption, each without it again, and pays the
// old orders. One course is sold at the price of the coupon.
func TestCompletePurchase_NoOrderOfStepsGetsAnotherRedemption(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada := w.Person(t, "ada", learning.Student)
		c := w.coupon(t, learning.NewCoupon{Code: "HALF", PercentOff: 50_00, MaxRedemptions: 1})
		var orders []learning.Order
		for i := range 5 {
			course := w.Course(t, fmt.Sprint("course-", i), 499_00)
			orders = append(orders, w.buys(t, ada, course, "HALF"))
			w.order(t, ada, course)
		}
		errs := concurrently(len(orders), func(i int) error {
			return w.Platform.VerifyPayment(ctx(), ada,
				w.proof(orders[i].OrderID, w.pay(t, orders[i].OrderID).ID))
		})
		if diff := cmp.Diff(map[string]int{"": 1, learning.ErrPaymentReturned.Error(): 4},
			countErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.wantRedeemed(t, c.ID, 1)
		if n := w.count(t, "enrollments WHERE user_id = 'ada'"); n != 1 {
			t.Errorf("%d courses were sold", n)
		}
		for i, o := range orders {
			if errs[i] != nil {
				w.wantReturned(t, o)
			}
		}
	})
}

// The provider refuses, loses or fails the refund of a returned payment. Reconciliation requests it
// until it is made, and logs an error each time.
func TestReconcile_RefundOfAReturnedPaymentIsRequestedAgain(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		late := w.buys(t, ada, course, "TEN")
		w.order(t, ada, course)
		w.buys(t, w.Person(t, "bob", learning.Student), course, "TEN")
		gateway, paid := w.Sandbox.Gateway(), w.pay(t, late.OrderID)

		// The answer to the first request is lost, and the next two are refused.
		gateway.Faults().Next(2, sandbox.Fault{Kind: sandbox.FaultDrop, On: sandbox.OpCreateRefund})
		err := w.Platform.VerifyPayment(ctx(), ada, w.proof(late.OrderID, paid.ID))
		if !errors.Is(err, learning.ErrPaymentReturned) {
			t.Errorf("the proof: %v", err)
		}
		w.wantBooks(t, late.PurchaseID, learning.PurchaseRefunded, 0, late.Amount)
		for n := range 2 {
			gateway.Faults().Next(1,
				sandbox.Fault{Kind: sandbox.FaultStatus, Status: 400, On: sandbox.OpCreateRefund})
			w.reconcileRefunds(t, 1, 0)
			w.wantBooks(t, late.PurchaseID, learning.PurchaseRefunded, 0, late.Amount)
			w.wantLogged(t, "the refund of a returned payment failed", n+1)
		}
		w.reconcileRefunds(t, 1, 1)
		w.wantReturned(t, late)

		// It fails after it was processed, and is requested with another key.
		w.mustTell(t, sandbox.RefundFailed, w.refundsAt(t, paid.ID)[0])
		w.wantBooks(t, late.PurchaseID, learning.PurchaseRefunded, 0, late.Amount)
		w.wantLogged(t, "the refund of a returned payment failed", 3)
		if n := w.count(t, "refunds WHERE purchase_id = ? AND status = 'pending'",
			late.PurchaseID); n != 1 {
			t.Errorf("%d refunds are pending", n)
		}
		if n := w.count(t, "enrollments"); n != 0 {
			t.Errorf("%d enrolments", n)
		}
	})
}

// Users who never pay do not use up a coupon.
func TestReconcile_OrdersWithACouponExpire(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.Course(t, "go", 499_00)
		c := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 5})
		orders := map[string]learning.Order{}
		for _, id := range []string{"never", "paid", "authorized", "failing"} {
			orders[id] = w.buys(t, w.Person(t, id, learning.Student), course, "TEN")
		}
		w.abandons(t, w.Person(t, "crashed", learning.Student), course, c.ID)
		w.wantUnusable(t, w.Person(t, "eve", learning.Student), course, "TEN")
		gateway := w.Sandbox.Gateway()
		w.pay(t, orders["paid"].OrderID)
		if _, err := gateway.Authorize(orders["authorized"].OrderID,
			sandbox.WithoutWebhook()); err != nil {
			t.Fatal(err)
		}
		if _, err := gateway.Fail(orders["failing"].OrderID, sandbox.WithoutWebhook()); err != nil {
			t.Fatal(err)
		}

		reconcile := func(expired int) {
			t.Helper()
			found, err := w.Platform.System().ReconcilePurchases(ctx())
			if err != nil || found.Expired != expired {
				t.Errorf("%+v, want %d expired: %v", found, expired, err)
			}
		}
		w.Clock.Advance(24*time.Hour - lease - time.Second)
		reconcile(0)
		w.wantStatus(t, orders["never"].PurchaseID, learning.PurchasePending)
		w.Clock.Advance(2 * time.Second)
		reconcile(3)
		for id, want := range map[string]learning.PurchaseStatus{
			"never": learning.PurchaseFailed, "failing": learning.PurchaseFailed,
			"paid": learning.PurchaseCompleted, "authorized": learning.PurchasePending,
		} {
			w.wantStatus(t, orders[id].PurchaseID, want)
		}
		w.wantRedeemed(t, c.ID, 2)
		if n := w.count(t, "purchases WHERE user_id = 'crashed'"); n != 0 {
			t.Errorf("%d purchases without an order are left", n)
		}
		if again := w.buys(t, learning.Actor{UserID: "never", Role: learning.Student}, course,
			"TEN"); again.OrderID == orders["never"].OrderID {
			t.Error("the order that expired is answered")
		}
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
			_, err := w.Platform.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.id},
				learning.OrderRequest{CourseID: w.id, CouponCode: code(w)})
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
		steps:  []string{"insert a purchase", "redeem a coupon", "update a purchase"},
	}
	onEnginesRepeatedly(t, s.run)
}

func TestRefundPurchase_CouponOnceMore(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", learning.Student)
		c := w.coupon(t, learning.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 2})
		for redemptions := range int64(2) {
			o := w.buys(t, ada, course, "TEN")
			if err := w.Platform.VerifyPayment(ctx(), ada,
				w.proof(o.OrderID, w.pay(t, o.OrderID).ID)); err != nil {
				t.Fatal(err)
			}
			w.wantUnusable(t, ada, w.Course(t, "", 499_00), "TEN")
			if _, err := w.Platform.RefundPurchase(ctx(), boss,
				learning.RefundRequest{PurchaseID: o.PurchaseID}); err != nil {
				t.Fatal(err)
			}
			w.wantRedeemed(t, c.ID, redemptions+1)
		}
		w.wantUnusable(t, ada, course, "TEN") // the limit
	})
}
