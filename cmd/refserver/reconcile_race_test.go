package main

import (
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// While one process waits for the provider in its reconciliation, the other process does not
// reconcile. It takes over after the first process was killed and the lease has expired.
func TestReconcile_OneOfTwoProcessesAtATime(t *testing.T) {
	t.Parallel()
	onTills(t, reconcileAtTwo,
		environment{"LEARNING_RECONCILE_EVERY": "1s", "LEARNING_LOG_LEVEL": "debug"})
}

func reconcileAtTwo(t *testing.T, d *deployment) {
	faults, asks := d.till.Faults(), d.till.Operations().AskForPayment
	faults.Next(-1, sandbox.Fault{Kind: sandbox.FaultHang, On: asks})
	people := d.students(t, 20) // each hanging call times out, so that asking for all takes minutes
	for _, s := range people {
		o, a := d.purchase(t.Context(), s)
		if _, err := d.till.Pay(o.OrderID, sandbox.WithoutWebhook()); err != nil {
			t.Fatalf("%v; the order was answered with %+v", err, a)
		}
	}
	d.ageOrders(t)
	await(t, "the first process to reconcile",
		func() bool { return faults.Calls(asks) > 0 })

	_, _, log := process(t, d.env)
	await(t, "the second process to skip", func() bool {
		return strings.Count(log.String(),
			`"scheduled work is skipped, because another instance does it or has done it"`) >= 3
	})
	if strings.Contains(log.String(), `"msg":"reconcile"`) ||
		d.count(t, "leases WHERE name = 'schedule:reconcile'") != 1 {
		t.Errorf("the second process has reconciled:\n%s", log)
	}
	d.kill()
	faults.Clear()
	// of the killed process
	d.exec(t,
		"UPDATE leases SET expires_at = '2000-01-01 00:00:00.000000' WHERE name LIKE 'schedule:%'")
	await(t, "the second process to take over",
		func() bool { return strings.Contains(log.String(), `"completed":20`) })
	d.wantEnrolled(t, len(people))
	wantNoFaults(t, log.String())
}
