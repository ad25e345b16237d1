package refund_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// objections is what has happened to a payment: all that decides about the access, if the policy
// ends it for disputes.
type objections struct {
	isRefunded bool
	disputes   [2]string // "", open, won or lost
}

// enrolled reports whether the buyer has access: who has paid, and objects to nothing.
func (o objections) enrolled() bool {
	for _, d := range o.disputes {
		if d == "open" || d == "lost" {
			return false
		}
	}
	return !o.isRefunded
}

// next returns what can happen next, by name. The disputes open in their order.
func (o objections) next() map[string]objections {
	can := map[string]objections{}
	after := o
	after.isRefunded = !o.isRefunded
	can[map[bool]string{false: "refund", true: "the refund fails"}[o.isRefunded]] = after
	for i, d := range o.disputes {
		switch {
		case d == "open":
			for _, outcome := range []string{"won", "lost"} {
				after := o
				after.disputes[i] = outcome
				can[fmt.Sprint(outcome, " ", i)] = after
			}
		case d == "" && (i == 0 || o.disputes[0] != ""):
			after := o
			after.disputes[i] = "open"
			can[fmt.Sprint("open ", i)] = after
		}
	}
	return can
}

// histories returns all sequences of so many steps.
func (o objections) histories(steps int) [][]string {
	if steps == 0 {
		return [][]string{nil}
	}
	var list [][]string
	for step, after := range o.next() {
		for _, rest := range after.histories(steps - 1) {
			list = append(list, append([]string{step}, rest...))
		}
	}
	return list
}

// objector is a buyer who has bought at Stripe.
type objector struct {
	w        *roomtest.World
	o        sale.Order
	disputes [2]sandbox.StripeDispute
}

// do lets a step happen, and tells the platform of it.
func (b *objector) do(t *testing.T, step string) {
	t.Helper()
	stripe := b.w.Sandbox.Stripe()
	what, number, _ := strings.Cut(step, " ")
	d := &b.disputes[strings.Count(number, "1")]
	var err error
	switch what {
	case "refund":
		_, err = b.w.Refund(t, roomtest.Boss, b.o.PurchaseID, 0)
	case "the":
		made := stripe.Refunds(b.o.OrderID)
		i := slices.IndexFunc(made, func(r sandbox.StripeRefund) bool {
			return r.Status == "succeeded"
		})
		var failed sandbox.StripeRefund
		failed, err = stripe.FailRefund(made[i].ID, sandbox.WithoutWebhook())
		b.w.MustTellStripe(t, "refund.failed", failed)
	case "open":
		*d, err = stripe.Dispute(b.o.OrderID, sandbox.WithoutWebhook())
		b.w.MustTellStripe(t, "charge.dispute.created", *d)
	case "won":
		_, err = stripe.WinDispute(d.ID, sandbox.WithoutWebhook())
		b.w.MustTellStripe(t, "charge.dispute.closed", *d)
	case "lost":
		_, err = stripe.LoseDispute(d.ID, sandbox.WithoutWebhook())
		b.w.MustTellStripe(t, "charge.dispute.closed", *d)
	}
	roomtest.Must(t, err)
}

// Whatever comes after what: a buyer whose payment is refunded or disputed, or whose dispute the
// school has lost, has no access, and any other has. All histories of five steps are run, of a
// course and of a bundle.
func TestDispute_AnyOrderOfRefundsAndDisputes(t *testing.T) {
	t.Parallel()
	for _, isBundle := range []bool{false, true} {
		t.Run(map[bool]string{false: "course", true: "bundle"}[isBundle], func(t *testing.T) {
			t.Parallel()
			w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(
				learning.WithDisputePolicy(refund.DisputePolicy{EndAccess: true})))
			w.Course(t, "go", 300_00)
			w.Course(t, "sql", 300_00)
			yen := []catalog.Price{{Currency: "JPY", Amount: 500}}
			request := sale.OrderRequest{CourseID: "go", Currency: "JPY"}
			if isBundle {
				both := w.Bundle(t, bundle.NewBundle{CourseIDs: []string{"go", "sql"},
					Price: 400_00, Prices: yen, Published: true})
				request = sale.OrderRequest{BundleID: both.ID, Currency: "JPY"}
			} else {
				w.Edit(t, "go", catalog.CourseEdit{Prices: &yen})
			}
			all := objections{}.histories(5)
			slices.SortFunc(all, slices.Compare)
			for i, history := range all {
				buyer := w.Person(t, fmt.Sprint("buyer-", i), core.Student)
				o, err := w.Platform.Sales.OpenOrder(ctx(), buyer, request)
				roomtest.Must(t, err)
				_, err = w.Sandbox.Stripe().Pay(o.OrderID, sandbox.WithoutWebhook())
				roomtest.Must(t, err)
				roomtest.Must(t, w.Platform.Sales.VerifyPayment(ctx(), buyer,
					payment.Proof{OrderID: o.OrderID}))
				b, is := &objector{w: w, o: o}, objections{}
				for n, step := range history {
					b.do(t, step)
					is = is.next()[step]
					enrolled, err := w.Store.Enrolled(ctx(), buyer.UserID, "go")
					if enrolled != is.enrolled() || err != nil {
						t.Fatalf("%s: enrolled %t, %v", strings.Join(history[:n+1], ", "),
							enrolled, err)
					}
				}
			}
			w.WantValidSales(t)
		})
	}
}
