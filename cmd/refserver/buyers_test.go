package main

import (
	"net/http"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// buyers are students who buy the paid course, one after the other in four goroutines.
type buyers struct {
	*deployment
	servers  []string // addresses, used in turn
	requests atomic.Int64
	bought   atomic.Int64
	failures sync.Map // of requests, by text
	done     sync.WaitGroup
}

// startBuyers starts buying from the servers. The caller calls wait.
func (c *deployment) startBuyers(t *testing.T, people []student, servers ...string) *buyers {
	t.Helper()
	b := &buyers{deployment: c, servers: servers}
	queue := make(chan student, len(people))
	for _, person := range people {
		queue <- person
	}
	close(queue)
	for range 4 {
		b.done.Go(func() {
			for person := range queue {
				b.buy(t, person)
			}
		})
	}
	return b
}

// send sends a request to the next server.
func (b *buyers) send(t *testing.T, path string, person student, body string) answer {
	server := b.servers[int(b.requests.Add(1))%len(b.servers)]
	a := requestAt(t.Context(), server, http.MethodPost, path, person, body)
	if a.status != http.StatusOK {
		b.failures.Store(a.body, path)
	}
	return a
}

// buy opens an order, pays it, and sends the proof, each to another server.
func (b *buyers) buy(t *testing.T, person student) {
	o, ok := orderIn(b.send(t, "/api/user/purchase", person, `{"courseId":"paid"}`))
	if !ok {
		return
	}
	paymentID, err := b.till.Pay(o.OrderID, sandbox.WithoutWebhook())
	if err != nil {
		t.Error(err)
		return
	}
	if b.send(t, "/api/user/verify-gateway", person,
		proofBody(b.till.Proof(o.OrderID, paymentID))).status == http.StatusOK {
		b.bought.Add(1)
	}
}

// wait waits until all have bought, and checks that each request was answered with 200.
func (b *buyers) wait(t *testing.T) {
	t.Helper()
	b.done.Wait()
	b.failures.Range(func(text, path any) bool {
		t.Errorf("%s was answered with %s", path, text)
		return true
	})
}

// wantConsistent checks the invariants of the database, and that a purchase is completed if and
// only if its payment was captured.
func (c *deployment) wantConsistent(t *testing.T) {
	t.Helper()
	c.wantInvariants(t)
	captured, completed := c.captures(t), c.completions(t)
	for id, payments := range completed {
		if len(payments) != 1 || len(captured[id]) != 1 || payments[0] != captured[id][0] {
			t.Errorf("purchase %s: completed by %v, captured %v", id, payments, captured[id])
		}
	}
	c.wantEnrolled(t, len(completed))
}

// wantInvariants checks that no row of the database violates an invariant.
func (c *deployment) wantInvariants(t *testing.T) {
	t.Helper()
	for _, all := range []map[string]string{invariants.Community, invariants.Events,
		invariants.Courses, invariants.Refunds, invariants.Papers} {
		for what, rows := range all {
			if n := c.count(t, rows); n != 0 {
				t.Errorf("%d rows: %s", n, what)
			}
		}
	}
}

// wantTotals checks that the totals equal the rows that they count. A version that keeps none must
// not have run since the last recount.
func (c *deployment) wantTotals(t *testing.T) {
	t.Helper()
	for what, rows := range invariants.Totals {
		if n := c.count(t, rows); n != 0 {
			t.Errorf("total of %s: %d are wrong", what, n)
		}
	}
}

// runCommand runs a command that must succeed.
func runCommand(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
}
