package learning_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// captureCase is one rule of docs/api.md §6 on POST /gateway.
type captureCase struct {
	name     string
	change   func(p *payment.Payment, other sale.Order)
	enrolled bool   // whether the buyer of the order is enrolled afterwards
	logged   string // a part of the log; "" if nothing must be logged
}

var captureCases = []captureCase{
	{name: "valid", change: func(*payment.Payment, sale.Order) {}, enrolled: true, logged: ""},
	{name: "no notes", change: func(p *payment.Payment, _ sale.Order) { p.PurchaseID = "" },
		enrolled: false, logged: ""},
	{name: "no payment id", change: func(p *payment.Payment, _ sale.Order) { p.ID = "" },
		enrolled: false, logged: ""},
	{name: "a payment id that is too long",
		change:   func(p *payment.Payment, _ sale.Order) { p.ID = strings.Repeat("x", 192) },
		enrolled: false, logged: "payment whose id cannot be kept"},
	{name: "a payment id that ends with a space",
		change: func(p *payment.Payment, _ sale.Order) { p.ID += " " }, enrolled: false,
		logged: "payment whose id cannot be kept"},
	{name: "notes that name another purchase",
		change: func(p *payment.Payment,
			other sale.Order) {
			p.PurchaseID = other.PurchaseID
		},
		enrolled: true, logged: ""},
	{name: "notes that name no purchase",
		change:   func(p *payment.Payment, _ sale.Order) { p.PurchaseID = "unknown" },
		enrolled: true, logged: ""},
	{name: "an unknown order",
		change:   func(p *payment.Payment, _ sale.Order) { p.OrderID = "order_unknown" },
		enrolled: true, logged: ""},
	{name: "an unknown order and another amount",
		change: func(p *payment.Payment, _ sale.Order) {
			p.OrderID, p.Amount = "order_unknown", new(core.Money(1_00))
		}, enrolled: false, logged: `paid="1 INR" expected="499 INR"`},
	{name: "an unknown order and an unknown purchase",
		change: func(p *payment.Payment,
			_ sale.Order) {
			p.OrderID, p.PurchaseID = "order_unknown", "unknown"
		}, enrolled: false, logged: "payment for an unknown purchase"},
	{name: "an order that ends with a space",
		change: func(p *payment.Payment, _ sale.Order) { p.OrderID += " " }, enrolled: true,
		logged: ""},
	{name: "no order, amount and currency",
		change: func(p *payment.Payment, _ sale.Order) {
			p.OrderID, p.Amount, p.Currency = "",
				nil, ""
		}, enrolled: true, logged: ""},
	{name: "no order and no amount, another currency",
		change: func(p *payment.Payment, _ sale.Order) {
			p.OrderID, p.Amount, p.Currency = "",
				nil, "USD"
		}, enrolled: false, logged: `paid="? USD" expected="499 INR"`},
	{name: "no order and no currency, another amount",
		change: func(p *payment.Payment, _ sale.Order) {
			p.OrderID = ""
			p.Amount = new(core.Money(1_00))
			p.Currency = ""
		}, enrolled: false, logged: `paid=1 expected="499 INR"`},
	{name: "no order and the amount zero",
		change: func(p *payment.Payment, _ sale.Order) {
			p.OrderID, p.Amount = "",
				new(core.Money(0))
		}, enrolled: false, logged: `paid="0 INR" expected="499 INR"`},
	{name: "no order and a negative amount",
		change: func(p *payment.Payment, _ sale.Order) {
			p.OrderID, p.Amount = "",
				new(core.Money(-499_00))
		}, enrolled: false, logged: `paid="-499 INR" expected="499 INR"`},
	{name: "no order and the currency in lower case",
		change:   func(p *payment.Payment, _ sale.Order) { p.OrderID, p.Currency = "", "inr" },
		enrolled: false, logged: `paid="499 inr" expected="499 INR"`},
	{name: "no amount and currency",
		change:   func(p *payment.Payment, _ sale.Order) { p.Amount, p.Currency = nil, "" },
		enrolled: true, logged: ""},
	{name: "another amount",
		change: func(p *payment.Payment,
			_ sale.Order) {
			p.Amount = new(core.Money(1_00))
		}, enrolled: true, logged: `paid="1 INR" expected="499 INR"`},
	{name: "another currency",
		change: func(p *payment.Payment, _ sale.Order) { p.Currency = "USD" }, enrolled: true,
		logged: `paid="499 USD" expected="499 INR"`},
	{name: "no order", change: func(p *payment.Payment, _ sale.Order) { p.OrderID = "" },
		enrolled: true, logged: ""},
	{name: "no order and another amount",
		change: func(p *payment.Payment, _ sale.Order) {
			p.OrderID, p.Amount = "",
				new(core.Money(498_99))
		}, enrolled: false, logged: `level=WARN msg="payment differs from its purchase"`},
	{name: "no order and another currency",
		change:   func(p *payment.Payment, _ sale.Order) { p.OrderID, p.Currency = "", "USD" },
		enrolled: false, logged: `level=WARN msg="payment differs from its purchase"`},
	{name: "no order and an unknown purchase",
		change: func(p *payment.Payment, _ sale.Order) {
			p.OrderID, p.PurchaseID = "",
				"unknown"
		}, enrolled: false, logged: "payment for an unknown purchase"},
}

func TestCapturePayment_Rules(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		for i, tt := range captureCases {
			t.Run(tt.name, func(t *testing.T) { tt.run(t, w, strconv.Itoa(i)) })
		}
	})
}

func (tt captureCase) run(t *testing.T, w *roomtest.World, id string) {
	course, other := w.Course(t, "course-"+id, 499_00), w.Course(t, "other-"+id, 499_00)
	ada := w.Person(t, "buyer-"+id, core.Student)
	o, otherOrder := w.Order(t, ada, course), w.Order(t, ada, other)
	payment := roomtest.CapturedPayment(o, "pay_"+id)
	tt.change(&payment, otherOrder)
	before := w.Dump(t)
	lines := w.Log.Count("WARN")
	logged := len(w.Log.String())

	if err := w.Platform.System().CapturePayment(context.Background(), payment); err != nil {
		t.Fatal(err)
	}

	if tt.enrolled {
		w.WantSold(t, course, 1, 1, 0)
	} else if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
		t.Error(diff)
	}
	w.WantSold(t, other, 0, 0, 1)
	if n := w.Log.Count("WARN") - lines; tt.logged == "" && n != 0 {
		t.Errorf("%d warnings, want none:\n%s", n, w.Log)
	}
	if tt.logged != "" && !strings.Contains(w.Log.String()[logged:], tt.logged) {
		t.Errorf("the log lacks %s:\n%s", tt.logged, w.Log.String()[logged:])
	}
}

// Without an order, a payment that has completed a purchase must not complete another one,
// because only the notes name the purchase.
func TestCapturePayment_CompletesOnePurchaseOnly(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		first, second := w.Course(t, "first", 499_00), w.Course(t, "second", 499_00)
		o1, o2 := w.Order(t, ada, first), w.Order(t, ada, second)
		for _, o := range []sale.Order{o1, o2, o1} {
			payment := roomtest.CapturedPayment(o, "pay_1")
			payment.OrderID = ""
			if err := w.Platform.System().CapturePayment(context.Background(), payment); err !=
				nil {
				t.Fatal(err)
			}
		}
		w.WantSold(t, first, 1, 1, 0)
		w.WantSold(t, second, 0, 0, 1)
		w.WantLogged(t, "payment has completed another purchase already", 1)
	})
}

// A signature or an event of the gateway with the order of a purchase proves that the purchase
// is paid, also if the payment has completed another one.
func TestComplete_PaymentSeenBefore(t *testing.T) {
	ways := map[string]func(w *roomtest.World, ada learning.Actor, o sale.Order) error{
		"proof": func(w *roomtest.World, ada learning.Actor, o sale.Order) error {
			return w.Platform.Sales.VerifyPayment(ctx(), ada, w.Proof(o.OrderID, "pay_1"))
		},
		"webhook": func(w *roomtest.World, _ learning.Actor, o sale.Order) error {
			return w.Platform.System().CapturePayment(ctx(), roomtest.CapturedPayment(o, "pay_1"))
		},
	}
	for name, complete := range ways {
		t.Run(name+"_of_a_known_order_completes", func(t *testing.T) {
			roomtest.OnEngines(t, func(t *testing.T, database string) {
				w := roomtest.New(t, database)
				ada := w.Person(t, "ada", core.Student)
				for _, course := range []string{"first", "second", "third"} {
					o := w.Order(t, ada, w.Course(t, course, 499_00))
					for range 2 {
						if err := complete(w, ada, o); err != nil {
							t.Errorf("%s: %v", course, err)
						}
					}
					w.WantSold(t, course, 1, 1, 0)
					if got := w.Purchase(t, o.PurchaseID).PaymentID; got != "pay_1" {
						t.Errorf("%s: the payment is %q", course, got)
					}
				}
				w.WantLogged(t, `level=WARN msg="payment has completed another purchase already"`,
					2)
				w.WantLogged(t, "completed=true", 2)
				w.WantLogged(t, "double payment", 0)
			})
		})
	}
}

// The order of the second purchase was paid with a payment that has completed the first
// purchase, by a webhook without an order.
func TestOpenOrder_OldOrderPaidByAPaymentSeenBefore(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		first, second := w.Order(t, ada, w.Course(t, "first", 499_00)),
			w.Order(t, ada, w.Course(t, "second", 499_00))
		payment := roomtest.CapturedPayment(first, w.Pay(t, second.OrderID).ID)
		payment.OrderID = ""
		if err := w.Platform.System().CapturePayment(ctx(), payment); err != nil {
			t.Fatal(err)
		}
		w.SetPrice(t, "second", 399_00)
		if o, err := w.Platform.Sales.OpenOrder(ctx(), ada,
			sale.OrderRequest{CourseID: "second"}); !errors.Is(err,
			study.ErrAlreadyEnrolled) {
			t.Errorf("%+v, %v", o, err)
		}
		w.WantSold(t, "first", 1, 1, 0)
		w.WantSold(t, "second", 1, 1, 0)
	})
}

// Without an order, the notes of a payment can complete only one purchase.
func TestCapturePayment_OnePaymentForManyPurchasesConcurrently(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const courses = 30
		w := roomtest.New(t, database)
		ada := w.Person(t, "ada", core.Student)
		orders := make([]sale.Order, courses)
		for i := range orders {
			orders[i] = w.Order(t, ada, w.Course(t, "course-"+strconv.Itoa(i), 499_00))
		}
		errs := roomtest.Concurrently(2*courses, func(i int) error {
			payment := roomtest.CapturedPayment(orders[i%courses], "pay_1")
			payment.OrderID = ""
			payment.Amount = nil
			payment.Currency = ""
			return w.Platform.System().CapturePayment(ctx(), payment)
		})
		if diff := cmp.Diff(map[string]int{"": 2 * courses}, roomtest.CountErrors(errs)); diff != "" {
			t.Error(diff)
		}
		if completed, enrolled := w.Count(t, "purchases WHERE status = 'completed'"),
			w.Count(t, "enrollments"); completed != 1 || enrolled != 1 {
			t.Errorf("one payment has completed %d purchases and enrolled %d times", completed,
				enrolled)
		}
	})
}
