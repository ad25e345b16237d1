package learning_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/study"
)

func TestQuote_ExactTotals(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	for i, c := range []struct {
		price, total, amountOff core.Money
		discount, percentOff    core.Percent
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
		w.Exec(t, "UPDATE courses SET discount = ? WHERE id = ?", int64(c.discount), course)
		w.Coupon(t, offer.NewCoupon{Code: code, PercentOff: c.percentOff, AmountOff: c.amountOff,
			CourseID: course})
		q, err := w.Platform.Sales.Quote(ctx(), roomtest.Ada,
			sale.QuoteRequest{CourseID: course, CouponCode: code})
		if err != nil || q.Total != c.total || q.Price != c.price ||
			q.Discount() != c.price-c.total || q.Currency != "INR" || q.Coupon.Code != code {
			t.Errorf("%+v: %+v, error %v", c, q, err)
		}
	}
	if _, err := w.Platform.Sales.Quote(ctx(), learning.Actor{},
		sale.QuoteRequest{CourseID: "course-0", CouponCode: ""}); !errors.Is(err,
		core.ErrUnauthenticated) {
		t.Errorf("the error is %v", err)
	}
}

func TestQuote_Times(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course, now := w.Course(t, "go", 499_00), w.Clock.Now()
	w.Coupon(t, offer.NewCoupon{Code: "NOW", PercentOff: 10_00, StartsAt: now.Add(time.Second),
		EndsAt: now.Add(2 * time.Second)})
	for _, valid := range []bool{false, true, false} {
		if _, err := w.Platform.Sales.Quote(ctx(), roomtest.Ada,
			sale.QuoteRequest{CourseID: course, CouponCode: "NOW"}); (err == nil) != valid ||
			err != nil && !errors.Is(err, offer.ErrCouponUnusable) {
			t.Errorf("at %v: %v", w.Clock.Now().Sub(now), err)
		}
		w.Clock.Advance(time.Second)
	}
}

func TestOpenOrder_CouponIsGivenBackWhenReplaced(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		bob := w.Person(t, "bob", core.Student)
		ten := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		five := w.Coupon(t, offer.NewCoupon{Code: "FIVE", AmountOff: 5_00, CourseID: course})
		first := w.Buys(t, ada, course, "ten")
		if again := w.Buys(t, ada, course, "TEN"); again != first || first.Amount != 449_10 {
			t.Errorf("the orders are %+v and %+v", first, again)
		}
		w.WantRedeemed(t, ten.ID, 1)
		w.WantUnusable(t, bob, course, "TEN")
		if second := w.Buys(t, ada, course, "FIVE"); second.Amount != 494_00 ||
			second.PurchaseID == first.PurchaseID {
			t.Errorf("the order is %+v", second)
		}
		w.WantStatus(t, first.PurchaseID, purchase.Failed)
		w.WantRedeemed(t, ten.ID, 0)
		w.WantRedeemed(t, five.ID, 1)
		w.Buys(t, bob, course, "TEN")
		w.WantUnusable(t, ada, course, "TEN") // and her order stays open
		w.WantRedeemed(t, five.ID, 1)
		w.SetPrice(t, course, 399_00)
		if o := w.Buys(t, ada, course, "FIVE"); o.Amount != 394_00 {
			t.Errorf("the order is %+v", o)
		}
		w.WantRedeemed(t, five.ID, 1)
		w.WantSold(t, course, 0, 0, 2)
	})
}

func TestOpenOrder_CouponMakesTheCourseFree(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		gift := w.Coupon(t, offer.NewCoupon{Code: "GIFT", PercentOff: 100_00})
		old := w.Order(t, ada, course)
		w.Sandbox.Gateway().Faults().Next(-1, sandbox.Fault{Kind: sandbox.FaultStatus})
		if o := w.Buys(t, ada, course, "GIFT"); o.OrderID != "" || o.Amount != 0 {
			t.Errorf("the order is %+v", o)
		}
		w.WantStatus(t, old.PurchaseID, purchase.Failed)
		w.WantSold(t, course, 1, 1, 0)
		w.WantRedeemed(t, gift.ID, 1)
		if _, err := w.Platform.Sales.OpenOrder(ctx(), ada,
			sale.OrderRequest{CourseID: course, CouponCode: "GIFT"}); !errors.Is(err,
			study.ErrAlreadyEnrolled) {
			t.Errorf("again: %v", err)
		}
		w.WantUnusable(t, ada, w.Course(t, "other", 499_00), "GIFT")
	})
}

func TestOpenOrder_GatewayFailureGivesTheCouponBack(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		c := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		for range 3 {
			w.Till.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultStatus,
				On: w.Till.Operations().CreateOrder})
			if _, err := w.Platform.Sales.OpenOrder(ctx(), ada,
				sale.OrderRequest{CourseID: course, CouponCode: "TEN"}); err == nil {
				t.Error("the provider did not fail")
			}
			w.WantRedeemed(t, c.ID, 0)
		}
		w.Buys(t, ada, course, "TEN")
		w.WantRedeemed(t, c.ID, 1)
	})
}

func TestOpenOrder_TakeOverOfAPurchaseWithACoupon(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ten := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		five := w.Coupon(t, offer.NewCoupon{Code: "FIVE", AmountOff: 5_00})
		gift := w.Coupon(t, offer.NewCoupon{Code: "GIFT", PercentOff: 100_00})
		for code, want := range map[string]struct{ ten, five, gift, amount int64 }{
			"TEN": {1, 0, 0, 449_10}, "FIVE": {0, 1, 0, 494_00}, "GIFT": {0, 0, 1, 0},
			"": {0, 0, 0, 499_00},
		} {
			course, who := w.Course(t, "course-"+code, 499_00),
				w.Person(t, "buyer-"+code, core.Student)
			w.Abandons(t, who, course, ten.ID)
			if o := w.Buys(t, who, course, code); int64(o.Amount) != want.amount {
				t.Errorf("%q: the order is %+v", code, o)
			}
			w.WantRedeemed(t, ten.ID, want.ten)
			w.WantRedeemed(t, five.ID, want.five)
			w.WantRedeemed(t, gift.ID, want.gift)
			w.Exec(t, "DELETE FROM purchases")
			w.Exec(t, "UPDATE coupons SET redemptions = 0")
		}
	})
}

func TestCompletePurchase_LatePaymentRedeemsAgain(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		c := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		late := w.Buys(t, ada, course, "TEN")
		w.Order(t, ada, course) // replaces it
		w.WantRedeemed(t, c.ID, 0)
		paid := w.Pay(t, late.OrderID)
		for range 2 {
			if err := w.Platform.System().CapturePayment(ctx(),
				roomtest.CapturedPayment(late, paid.ID)); err != nil {
				t.Fatal(err)
			}
		}
		w.WantBooks(t, late.PurchaseID, purchase.Completed, 0, 0)
		w.WantRedeemed(t, c.ID, 1)
		w.WantUnusable(t, ada, w.Course(t, "other", 499_00), "TEN")
	})
}

// The redemption of an order that was replaced is free, and an order for the same offer has taken
// it again: it passes to the first one, which is paid late.
func TestCompletePurchase_LatePaymentTakesTheRedemptionOfAnOpenOrder(t *testing.T) {
	withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, _ *roomtest.Receiver) {
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		c := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		late := w.Buys(t, ada, course, "TEN")
		w.Order(t, ada, course)
		open := w.Buys(t, ada, course, "TEN")
		w.WantRedeemed(t, c.ID, 1)
		if err := w.Platform.Sales.VerifyPayment(ctx(), ada,
			w.Proof(late.OrderID, w.Pay(t, late.OrderID).ID)); err != nil {
			t.Fatal(err)
		}
		w.WantBooks(t, late.PurchaseID, purchase.Completed, 0, 0)
		w.WantStatus(t, open.PurchaseID, purchase.Failed)
		w.WantRedeemed(t, c.ID, 1)
		w.WantSold(t, course, 1, 1, 0)

		// The order that has lost its redemption is paid too.
		err := w.Platform.Sales.VerifyPayment(ctx(), ada,
			w.Proof(open.OrderID, w.Pay(t, open.OrderID).ID))
		if !errors.Is(err, sale.ErrPaymentReturned) {
			t.Errorf("the second payment: %v", err)
		}
		w.WantReturned(t, open)
		w.WantRedeemed(t, c.ID, 1)
		w.WantSold(t, course, 1, 1, 0)
	})
}

func TestCompletePurchase_LatePaymentIsReturned(t *testing.T) {
	for name, use := range map[string]func(t *testing.T, w *roomtest.World, ada learning.Actor,
		c offer.Coupon){
		"used up by another user": func(t *testing.T, w *roomtest.World, _ learning.Actor,
			_ offer.Coupon) {
			w.Buys(t, w.Person(t, "bob", core.Student), "go", "TEN")
		},
		"redeemed with an open order of another course": func(t *testing.T, w *roomtest.World,
			ada learning.Actor, _ offer.Coupon) {
			w.Buys(t, ada, w.Course(t, "other", 499_00), "TEN")
		},
		"redeemed with another purchase": func(t *testing.T, w *roomtest.World, ada learning.Actor,
			_ offer.Coupon) {
			o := w.Buys(t, ada, w.Course(t, "other", 499_00), "TEN")
			if err := w.Platform.Sales.VerifyPayment(ctx(), ada,
				w.Proof(o.OrderID, w.Pay(t, o.OrderID).ID)); err != nil {
				t.Fatal(err)
			}
		},
		"no longer active": func(t *testing.T, w *roomtest.World, _ learning.Actor, c offer.Coupon) {
			if _, err := w.Platform.Offers.ChangeCoupon(ctx(), roomtest.Boss, c.ID,
				offer.CouponChange{Active: new(false)}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			withEventsOnEngines(t, func(t *testing.T, w *roomtest.World, _ *roomtest.Receiver) {
				course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
				c := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00,
					MaxRedemptions: 1})
				late := w.Buys(t, ada, course, "TEN")
				w.Order(t, ada, course)
				use(t, w, ada, c)
				before, err := w.Store.Coupon(ctx(), c.ID)
				if err != nil {
					t.Fatal(err)
				}
				paid := w.Pay(t, late.OrderID)
				if err := w.Platform.System().CapturePayment(ctx(),
					roomtest.CapturedPayment(late, paid.ID)); err != nil {
					t.Errorf("the webhook: %v", err)
				}
				for range 2 {
					err := w.Platform.Sales.VerifyPayment(ctx(), ada,
						w.Proof(late.OrderID, paid.ID))
					if !errors.Is(err, sale.ErrPaymentReturned) {
						t.Errorf("the proof: %v", err)
					}
				}
				w.WantReturned(t, late)
				w.WantRedeemed(t, c.ID, before.Redemptions)
				w.WantLogged(t, "late payment is returned", 1)
				if s, err := w.Platform.Staff.Stats(ctx(), roomtest.Boss); err != nil ||
					s.Revenue%449_10 != 0 ||
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
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		c := w.Coupon(t, offer.NewCoupon{Code: "HALF", PercentOff: 50_00, MaxRedemptions: 1})
		var orders []sale.Order
		for i := range 5 {
			course := w.Course(t, fmt.Sprint("course-", i), 499_00)
			orders = append(orders, w.Buys(t, ada, course, "HALF"))
			w.Order(t, ada, course)
		}
		errs := roomtest.Concurrently(len(orders), func(i int) error {
			return w.Platform.Sales.VerifyPayment(ctx(), ada,
				w.Proof(orders[i].OrderID, w.Pay(t, orders[i].OrderID).ID))
		})
		if diff := cmp.Diff(map[string]int{"": 1, sale.ErrPaymentReturned.Error(): 4},
			roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		w.WantRedeemed(t, c.ID, 1)
		if n := w.Count(t, "enrollments WHERE user_id = 'ada'"); n != 1 {
			t.Errorf("%d courses were sold", n)
		}
		for i, o := range orders {
			if errs[i] != nil {
				w.WantReturned(t, o)
			}
		}
	})
}

// The provider refuses, loses or fails the refund of a returned payment. Reconciliation requests it
// until it is made, and logs an error each time.
func TestReconcile_RefundOfAReturnedPaymentIsRequestedAgain(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 1})
		late := w.Buys(t, ada, course, "TEN")
		w.Order(t, ada, course)
		w.Buys(t, w.Person(t, "bob", core.Student), course, "TEN")
		gateway, paid := w.Sandbox.Gateway(), w.Pay(t, late.OrderID)

		// The answer to the first request is lost, and the next two are refused.
		gateway.Faults().Next(2, sandbox.Fault{Kind: sandbox.FaultDrop, On: sandbox.OpCreateRefund})
		err := w.Platform.Sales.VerifyPayment(ctx(), ada, w.Proof(late.OrderID, paid.ID))
		if !errors.Is(err, sale.ErrPaymentReturned) {
			t.Errorf("the proof: %v", err)
		}
		w.WantBooks(t, late.PurchaseID, purchase.Refunded, 0, late.Amount)
		for n := range 2 {
			gateway.Faults().Next(1,
				sandbox.Fault{Kind: sandbox.FaultStatus, Status: 400, On: sandbox.OpCreateRefund})
			w.ReconcileRefunds(t, 1, 0)
			w.WantBooks(t, late.PurchaseID, purchase.Refunded, 0, late.Amount)
			w.WantLogged(t, "the refund of a returned payment failed", n+1)
		}
		w.ReconcileRefunds(t, 1, 1)
		w.WantReturned(t, late)

		// It fails after it was processed, and is requested with another key.
		w.MustTell(t, sandbox.RefundFailed, w.RefundsAt(t, paid.ID)[0])
		w.WantBooks(t, late.PurchaseID, purchase.Refunded, 0, late.Amount)
		w.WantLogged(t, "the refund of a returned payment failed", 3)
		if n := w.Count(t, "refunds WHERE purchase_id = ? AND status = 'pending'",
			late.PurchaseID); n != 1 {
			t.Errorf("%d refunds are pending", n)
		}
		if n := w.Count(t, "enrollments"); n != 0 {
			t.Errorf("%d enrolments", n)
		}
	})
}

// Users who never pay do not use up a coupon.
func TestReconcile_OrdersWithACouponExpire(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld()
		course := w.Course(t, "go", 499_00)
		c := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 5})
		orders := map[string]sale.Order{}
		for _, id := range []string{"never", "paid", "authorized", "failing"} {
			orders[id] = w.Buys(t, w.Person(t, id, core.Student), course, "TEN")
		}
		w.Abandons(t, w.Person(t, "crashed", core.Student), course, c.ID)
		w.WantUnusable(t, w.Person(t, "eve", core.Student), course, "TEN")
		w.Pay(t, orders["paid"].OrderID)
		roomtest.Must(t, w.Till.Authorize(orders["authorized"].OrderID, sandbox.WithoutWebhook()))
		roomtest.Must(t, w.Till.Fail(orders["failing"].OrderID, sandbox.WithoutWebhook()))

		reconcile := func(expired int) {
			t.Helper()
			found, err := w.Platform.System().ReconcilePurchases(ctx())
			if err != nil || found.Expired != expired {
				t.Errorf("%+v, want %d expired: %v", found, expired, err)
			}
		}
		w.Clock.Advance(24*time.Hour - roomtest.Lease - time.Second)
		reconcile(0)
		w.WantStatus(t, orders["never"].PurchaseID, purchase.Pending)
		w.Clock.Advance(2 * time.Second)
		reconcile(3)
		for id, want := range map[string]purchase.Status{
			"never": purchase.Failed, "failing": purchase.Failed,
			"paid": purchase.Completed, "authorized": purchase.Pending,
		} {
			w.WantStatus(t, orders[id].PurchaseID, want)
		}
		w.WantRedeemed(t, c.ID, 2)
		if n := w.Count(t, "purchases WHERE user_id = 'crashed'"); n != 0 {
			t.Errorf("%d purchases without an order are left", n)
		}
		if again := w.Buys(t, learning.Actor{UserID: "never", Role: core.Student}, course,
			"TEN"); again.OrderID == orders["never"].OrderID {
			t.Error("the order that expired is answered")
		}
	})
}

func TestOpenOrder_CouponFaultAtEachStep(t *testing.T) {
	code := func(w roomtest.FaultRun) string { return "C-" + w.ID }
	s := &roomtest.Scenario{
		Prepare: func(t *testing.T, w roomtest.FaultRun) {
			w.Course(t, w.ID, 499_00)
			w.Person(t, "buyer-"+w.ID, core.Student)
			w.Coupon(t, offer.NewCoupon{Code: code(w), PercentOff: 10_00, MaxRedemptions: 1})
		},
		Do: func(t *testing.T, w roomtest.FaultRun) error {
			_, err := w.Platform.Sales.OpenOrder(ctx(), learning.Actor{UserID: "buyer-" + w.ID},
				sale.OrderRequest{CourseID: w.ID, CouponCode: code(w)})
			return err
		},
		Check: func(t *testing.T, w roomtest.FaultRun) {
			w.WantSold(t, w.ID, 0, 0, 1)
			c, err := w.Store.CouponByCode(ctx(), "C-RUN-"+w.ID[len("run-"):])
			if err != nil {
				t.Fatal(err)
			}
			w.WantRedeemed(t, c.ID, 1)
		},
		Leaves: []string{"coupons"}, // with its purchase, until the lease has expired
		Steps:  []string{"insert a purchase", "redeem a coupon", "update a purchase"},
	}
	roomtest.AtTillsRepeatedly(t, s.RunIn)
}

func TestRefundPurchase_CouponOnceMore(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course, ada := w.Course(t, "go", 499_00), w.Person(t, "ada", core.Student)
		c := w.Coupon(t, offer.NewCoupon{Code: "TEN", PercentOff: 10_00, MaxRedemptions: 2})
		for redemptions := range int64(2) {
			o := w.Buys(t, ada, course, "TEN")
			if err := w.Platform.Sales.VerifyPayment(ctx(), ada,
				w.Proof(o.OrderID, w.Pay(t, o.OrderID).ID)); err != nil {
				t.Fatal(err)
			}
			w.WantUnusable(t, ada, w.Course(t, "", 499_00), "TEN")
			if _, err := w.Platform.Refunds.Refund(ctx(), roomtest.Boss,
				refund.Request{PurchaseID: o.PurchaseID}); err != nil {
				t.Fatal(err)
			}
			w.WantRedeemed(t, c.ID, redemptions+1)
		}
		w.WantUnusable(t, ada, course, "TEN") // the limit
	})
}
