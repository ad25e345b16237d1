package main

import "testing"

// The webhooks of refunds that were started at the provider are lost. The command finds the
// first one, as the servers do, and the second one only if it asks for all.
func TestReconcile_FindsRefundsThatWereStartedAtTheProvider(t *testing.T) {
	t.Parallel()
	onTills(t, func(t *testing.T, c *deployment) {
		r := newRefundDeployment(t, c)
		purchase, payment := r.sell(t)
		refund := func(amount int64) {
			if err := r.till.Refund(payment, untold(amount)...); err != nil {
				t.Fatal(err)
			}
		}
		const nothing = "0 orders checked, 0 purchases completed\n"
		refund(100)
		for _, want := range []string{nothing + "1 refunds found that were not reported\n",
			nothing} {
			if out := r.printed(t, "reconcile"); out != want {
				t.Errorf("reconcile says: %s", out)
			}
		}
		refund(0)
		if out := r.printed(t, "reconcile", "--refunds-of=1h"); out != nothing+
			"1 payments asked for refunds, 1 found that were not reported\n" {
			t.Errorf("reconcile of all says: %s", out)
		}
		if n := r.count(t,
			"purchases WHERE status = 'refunded' AND refunded_amount = amount AND id = '"+purchase+
				"'"); n != 1 || r.count(t, "refunds") != 2 {
			t.Errorf("%d refunded purchases, %d refunds", n, r.count(t, "refunds"))
		}
		if n := r.count(t, "enrollments"); n != 0 {
			t.Errorf("%d enrolments", n)
		}
	})
}
