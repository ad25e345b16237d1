package refund_test

import (
	"context"
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func ctx() context.Context { return context.Background() }

// amounts are what a line has paid and refunded.
type amounts = [2]core.Money

func TestRefund_Lines(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
		w.Course(t, "go", 300_00)
		w.Course(t, "sql", 100_00)
		w.Course(t, "c", 100_00)
		sold := w.BundleOf(t, 250_00, "go", "sql", "c")
		p := w.PaysOrder(t, w.OrderBundle(t, ada, sold.ID))

		// A part is spread, and ends nothing. A line ends its enrolment.
		_, err := w.Refund(t, boss, p.ID, 50_00)
		roomtest.Must(t, err)
		w.WantLines(t, p.ID, amounts{150_00, 30_00}, amounts{50_00, 10_00}, amounts{50_00, 10_00})
		roomtest.Must(t, w.RefundLines(boss, p.ID, "sql"))
		w.WantBooks(t, p.ID, purchase.Completed, 90_00, 0)
		w.WantLines(t, p.ID, amounts{150_00, 30_00}, amounts{50_00, 50_00}, amounts{50_00, 10_00})
		if w.Students(t, "sql") != 0 || w.Students(t, "go") != 1 || w.Students(t, "c") != 1 {
			t.Error("the refund of a line ends its enrolment only")
		}
		for name, ids := range map[string][]string{
			"nothing left": {"sql"}, "unknown": {"x"}, "twice": {"c", "c"}, "none": {},
		} {
			want := core.ErrInvalidRequest
			if name == "nothing left" {
				want = refund.ErrNotRefundable
			}
			if err := w.RefundLines(boss, p.ID, ids...); !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", name, err, want)
			}
		}

		// All that is left ends all enrolments.
		_, err = w.Refund(t, boss, p.ID, 0)
		roomtest.Must(t, err)
		w.WantBooks(t, p.ID, purchase.Refunded, 250_00, 0)
		if w.Students(t, "sql")+w.Students(t, "go")+w.Students(t, "c") != 0 {
			t.Error("enrolments are left")
		}

		// The refund of the line fails at the gateway after it was counted: what it did is taken
		// back.
		w.MustTell(t, sandbox.RefundFailed, w.RefundsAt(t, p.PaymentID)[1])
		w.WantBooks(t, p.ID, purchase.Completed, 210_00, 0)
		w.WantLines(t, p.ID, amounts{150_00, 150_00}, amounts{50_00, 10_00}, amounts{50_00, 50_00})
		if w.Students(t, "sql") != 1 || w.Students(t, "go") != 0 || w.Students(t, "c") != 0 {
			t.Error("the enrolment of the line is not given back")
		}
	})
}

// Refunds of lines and of amounts at once give back no more than was paid, and end the enrolments
// whose lines have nothing left.
func TestBundleRace_RefundsAtOnce(t *testing.T) {
	roomtest.AtTills(t, func(t *testing.T, newWorld roomtest.NewWorld) {
		w := newWorld((&roomtest.Receiver{}).Option())
		var sold []purchase.Purchase
		w.Races(t, []error{refund.ErrNotRefundable}, func(id string) []func() error {
			buyer := w.Person(t, id, core.Student)
			a, b := w.Course(t, id+"-a", 300_00), w.Course(t, id+"-b", 100_00)
			p := w.PaysOrder(t, w.OrderBundle(t, buyer, w.BundleOf(t, 200_00, a, b).ID))
			sold = append(sold, p)
			made := func(request refund.Request) func() error {
				request.PurchaseID = p.ID
				return func() error {
					_, err := w.Platform.Refunds.Refund(ctx(), roomtest.Boss, request)
					return err
				}
			}
			return []func() error{
				made(refund.Request{CourseIDs: []string{a}}),
				made(refund.Request{CourseIDs: []string{b}}),
				made(refund.Request{Amount: new(core.Money(7_00))}),
				made(refund.Request{CourseIDs: []string{a}}),
				made(refund.Request{}),
			}
		})
		for _, p := range sold {
			p = w.Purchase(t, p.ID)
			if p.RefundedAmount != p.Amount || p.Status != purchase.Refunded {
				t.Errorf("%s: %d of %d are refunded, and it is %s", p.ID, p.RefundedAmount, p.Amount,
					p.Status)
			}
			for _, l := range p.Lines {
				if n := w.Students(t, l.CourseID); n != 0 {
					t.Errorf("%s has %d students after the refund", l.CourseID, n)
				}
			}
		}
	})
}

// A refund that was started at the gateway is spread over the lines.
func TestReceiveWebhook_RefundOfABundleStartedAtTheGateway(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada := w.Person(t, "ada", core.Student)
	w.Course(t, "go", 300_00)
	w.Course(t, "sql", 100_00)
	p := w.PaysOrder(t, w.OrderBundle(t, ada, w.BundleOf(t, 200_00, "go", "sql").ID))
	for _, amount := range []int64{100_00, 100_00} {
		_, err := w.Sandbox.Gateway().Refund(p.PaymentID, sandbox.WithAmount(amount))
		roomtest.Must(t, err)
		list := w.RefundsAt(t, p.PaymentID)
		w.MustTell(t, sandbox.RefundProcessed, list[len(list)-1])
		w.WantValidSales(t)
		if len(list) == 1 {
			w.WantLines(t, p.ID, amounts{150_00, 75_00}, amounts{50_00, 25_00})
			if w.Students(t, "go") != 1 || w.Students(t, "sql") != 1 {
				t.Error("a part of the refund ends an enrolment")
			}
		}
	}
	w.WantBooks(t, p.ID, purchase.Refunded, 200_00, 0)
	if w.Students(t, "go") != 0 || w.Students(t, "sql") != 0 {
		t.Error("enrolments are left")
	}
}
