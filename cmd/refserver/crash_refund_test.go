package main

import (
	"net/http"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// refundDeployment is a deployment with an admin who refunds what a buyer has paid.
type refundDeployment struct {
	*deployment
	admin, buyer student
}

func newRefundDeployment(t *testing.T, c *deployment) *refundDeployment {
	t.Helper()
	r := &refundDeployment{deployment: c}
	r.buyer = r.students(t, 1)[0]
	err := r.box.Identity().PutUserQuietly(sandbox.User{ID: "chief", Role: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	token, err := r.box.Identity().Token("chief")
	if err != nil {
		t.Fatal(err)
	}
	r.admin = student{"chief", token}
	return r
}

// sell sells the course to the buyer and returns the purchase and its payment.
func (r *refundDeployment) sell(t *testing.T) (purchaseID, paymentID string) {
	t.Helper()
	o, a := r.purchase(t.Context(), r.buyer)
	if a.status != http.StatusOK {
		t.Fatalf("to buy got %d: %s", a.status, a.body)
	}
	paymentID, err := r.till.Pay(o.OrderID, sandbox.WithoutWebhook())
	if err != nil {
		t.Fatal(err)
	}
	if a := r.verify(t.Context(), r.buyer, o.OrderID, paymentID); a.status != http.StatusOK {
		t.Fatalf("to pay got %d: %s", a.status, a.body)
	}
	return o.PurchaseID, paymentID
}

func (r *refundDeployment) refund(t *testing.T, purchaseID string) answer {
	return r.request(t.Context(), http.MethodPost, "/api/admin/purchases/"+purchaseID+"/refund",
		r.admin, `{}`)
}

// wantReconciled runs the reconcile command twice, and checks that the payment was refunded
// once and that the books are right.
func (r *refundDeployment) wantReconciled(t *testing.T, purchaseID, paymentID string, pending int) {
	t.Helper()
	if n := r.count(t, "refunds WHERE status = 'pending'"); pending >= 0 && n != pending {
		t.Errorf("%d refunds are pending, want %d", n, pending)
	}
	r.exec(t, "UPDATE refunds SET created_at = '2000-01-01 00:00:00.000000'")
	r.printed(t, "reconcile")
	if out := r.printed(t, "reconcile"); out != "0 orders checked, 0 purchases completed\n" {
		t.Errorf("a second time it says: %s", out)
	}
	if list, err := r.till.Refunds(paymentID); err != nil || len(list) != 1 {
		t.Errorf("%d refunds at the provider, %v", len(list), err)
	}
	for what, rows := range map[string]string{
		"refunded purchase": "purchases WHERE id = '" + purchaseID +
			"' AND status = 'refunded' AND refunded_amount = amount AND pending_refunds = 0",
		"counted refund": "refunds WHERE purchase_id = '" + purchaseID +
			"' AND status = 'processed'",
		"ended enrolment": "past_enrollments WHERE purchase_id = '" + purchaseID + "'",
	} {
		if n := r.count(t, rows); n != 1 {
			t.Errorf("%d rows: %s", n, what)
		}
	}
	if n := r.count(t, "enrollments"); n != 0 {
		t.Errorf("%d enrolments", n)
	}
}

// The process is killed at each step of a refund: before its row, after the row, when the
// provider has made the refund, and at and after the answer.
func TestRefund_KilledAtEachStep(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "kill", nil)
	onTills(t, func(t *testing.T, c *deployment) {
		r := newRefundDeployment(t, c)
		faults, createRefund := r.till.Faults(), r.till.Operations().CreateRefund
		r.box.HoldWebhooks(true) // all is found out by reconciliation

		purchase, payment := r.sell(t)
		r.kill()
		if a := r.refund(t, purchase); a.status != 0 {
			t.Errorf("the killed server answered %d", a.status)
		}
		r.start(t)
		if n := r.count(t, "refunds"); n != 0 {
			t.Errorf("%d refunds before the row", n)
		}

		calls := faults.Calls(createRefund)
		faults.Next(1, sandbox.Fault{Kind: sandbox.FaultHang, On: createRefund})
		answered := make(chan answer, 1)
		go func() { answered <- r.refund(t, purchase) }()
		await(t, "the call of the provider",
			func() bool { return faults.Calls(createRefund) > calls })
		r.kill()
		if a := <-answered; a.status != 0 {
			t.Errorf("the killed server answered %d", a.status)
		}
		r.start(t)
		r.wantReconciled(t, purchase, payment, 1)

		for _, after := range []time.Duration{0, time.Millisecond, 5 * time.Millisecond} {
			purchase, payment := r.sell(t)
			var killed sync.WaitGroup
			pending := -1 // at the answer the program may have counted the refund or not
			r.till.OnRefund(func(till.Refund) {
				if after == 0 {
					r.kill()
					return
				}
				killed.Add(1)
				time.AfterFunc(after, func() { defer killed.Done(); r.kill() })
			})
			r.refund(t, purchase)
			killed.Wait()
			r.till.OnRefund(nil)
			r.start(t)
			if after == 0 {
				pending = 1
			}
			r.wantReconciled(t, purchase, payment, pending)
		}
	})
}

func TestRefundSettings_KeepAccess(t *testing.T) {
	t.Parallel()
	r := newRefundDeployment(t, newDeployment(t,
		"sqlite:"+filepath.Join(t.TempDir(), "learning.db"),
		environment{"LEARNING_REFUND_KEEP_ACCESS": "true"}))
	purchase, _ := r.sell(t)
	if a := r.refund(t, purchase); a.status != http.StatusOK {
		t.Errorf("to refund got %d: %s", a.status, a.body)
	}
	if n := r.count(t, "enrollments"); n != 1 {
		t.Errorf("%d enrolments", n)
	}
	if n := r.count(t, invariants.Courses["unpaid access"]); n != 0 {
		t.Errorf("%d enrolments without payment", n)
	}
}
