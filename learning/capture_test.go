package learning_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/learning/learning"
)

// captureCase is one rule of contract.md §6 on POST /gateway.
type captureCase struct {
	name     string
	change   func(p *learning.Payment, other learning.Order)
	enrolled bool   // whether the buyer of the order has the course afterwards
	logged   string // "" for nothing
}

var captureCases = []captureCase{
	{"as it should be", func(*learning.Payment, learning.Order) {}, true, ""},
	{"no notes", func(p *learning.Payment, _ learning.Order) { p.PurchaseID = "" }, false, ""},
	{"no payment id", func(p *learning.Payment, _ learning.Order) { p.ID = "" }, false, ""},
	{"a payment id that is too long", func(p *learning.Payment, _ learning.Order) { p.ID = strings.Repeat("x", 192) }, false, "payment whose id cannot be kept"},
	{"a payment id that ends with a blank", func(p *learning.Payment, _ learning.Order) { p.ID += " " }, false, "payment whose id cannot be kept"},
	{"notes that name another purchase", func(p *learning.Payment, other learning.Order) { p.PurchaseID = other.PurchaseID }, true, ""},
	{"notes that name no purchase", func(p *learning.Payment, _ learning.Order) { p.PurchaseID = "unknown" }, true, ""},
	{"an unknown order", func(p *learning.Payment, _ learning.Order) { p.OrderID = "order_unknown" }, false, "payment for an unknown purchase"},
	{"another amount", func(p *learning.Payment, _ learning.Order) { p.Amount = 1_00 }, true, `paid="1 INR" expected="499 INR"`},
	{"another currency", func(p *learning.Payment, _ learning.Order) { p.Currency = "USD" }, true, `paid="499 USD" expected="499 INR"`},
	{"no order", func(p *learning.Payment, _ learning.Order) { p.OrderID = "" }, true, ""},
	{"no order and another amount", func(p *learning.Payment, _ learning.Order) { p.OrderID, p.Amount = "", 498_99 }, false, `level=WARN msg="payment differs from its purchase"`},
	{"no order and another currency", func(p *learning.Payment, _ learning.Order) { p.OrderID, p.Currency = "", "USD" }, false, `level=WARN msg="payment differs from its purchase"`},
	{"no order and an unknown purchase", func(p *learning.Payment, _ learning.Order) { p.OrderID, p.PurchaseID = "", "unknown" }, false, "payment for an unknown purchase"},
}

func TestACapturedPaymentIsBelievedAsFarAsTheContractSays(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		for i, tt := range captureCases {
			t.Run(tt.name, func(t *testing.T) { tt.run(t, w, strconv.Itoa(i)) })
		}
	})
}

func (tt captureCase) run(t *testing.T, w *world, id string) {
	course, other := w.Course(t, "course-"+id, 499_00), w.Course(t, "other-"+id, 499_00)
	ada := w.Person(t, "buyer-"+id, learning.Student)
	o, otherOrder := w.order(t, ada, course), w.order(t, ada, other)
	payment := captured(o, "pay_"+id)
	tt.change(&payment, otherOrder)
	before, lines, logged := w.dump(t), w.Log.Count("WARN"), len(w.Log.String())

	if err := w.Platform.CapturePayment(context.Background(), payment); err != nil {
		t.Fatal(err)
	}

	if tt.enrolled {
		w.wantSold(t, course, 1, 1, 0)
	} else if diff := cmp.Diff(before, w.dump(t)); diff != "" {
		t.Error(diff)
	}
	w.wantSold(t, other, 0, 0, 1)
	if n := w.Log.Count("WARN") - lines; tt.logged == "" && n != 0 {
		t.Errorf("%d warnings, want none:\n%s", n, w.Log)
	}
	if tt.logged != "" && !strings.Contains(w.Log.String()[logged:], tt.logged) {
		t.Errorf("the log does not say %s:\n%s", tt.logged, w.Log.String()[logged:])
	}
}

// Without an order nothing says which of two purchases a payment was for, once it
// has completed one.
func TestAPaymentCompletesOnePurchaseOnly(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newWorld(t, database)
		ada := w.Person(t, "ada", learning.Student)
		first, second := w.Course(t, "first", 499_00), w.Course(t, "second", 499_00)
		o1, o2 := w.order(t, ada, first), w.order(t, ada, second)
		for _, o := range []learning.Order{o1, o2, o1} {
			payment := captured(o, "pay_1")
			payment.OrderID = ""
			if err := w.Platform.CapturePayment(context.Background(), payment); err != nil {
				t.Fatal(err)
			}
		}
		w.wantSold(t, first, 1, 1, 0)
		w.wantSold(t, second, 0, 0, 1)
		w.wantLogged(t, "payment has completed another purchase already", 1)

		t.Run("nor is a client told otherwise", func(t *testing.T) {
			err := w.Platform.VerifyPayment(context.Background(), ada, w.proof(o2.OrderID, "pay_1"))
			if err == nil {
				t.Error("a purchase that is not completed was called verified")
			}
			if public, ok := errors.AsType[*learning.Error](err); ok {
				t.Errorf("%v is none of the contract's answers here", public)
			}
		})
		t.Run("nor does it close the way to the course", func(t *testing.T) {
			w.setPrice(t, second, 399_00)
			paid, err := w.Sandbox.Gateway().Pay(o2.OrderID)
			if err != nil {
				t.Fatal(err)
			}
			w.exec(t, "UPDATE purchases SET payment_id = ? WHERE id = ?", paid.ID, o1.PurchaseID)
			if o := w.order(t, ada, second); o.OrderID == o2.OrderID || o.Amount != 399_00 {
				t.Errorf("the order is %+v", o)
			}
		})
	})
}
