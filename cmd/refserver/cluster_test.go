package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// clusterRace is two servers on a database that consists of several servers, of which one fails
// while people buy. The proof of each payment goes to one server and the event of the gateway to
// the other, at the same time.
type clusterRace struct {
	*deployment
	servers  [2]string
	enrolled atomic.Int64

	mu       sync.Mutex
	answered map[string]bool // purchases whose payment a server has confirmed
	failed   [2]map[int]int  // answers of 500 and 503
	last     [2]time.Time
	gap      [2]time.Duration // the longest time between two successes
}

// newClusterRace starts two servers with the given URLs of a database, which sell at a provider. It
// checks the database at a third.
func newClusterRace(t *testing.T, sells seller, first, second, check string) *clusterRace {
	t.Helper()
	r := &clusterRace{
		deployment: newDeploymentAt(t, check, sells, environment{"LEARNING_DATABASE": first}),
		answered:   map[string]bool{},
		failed:     [2]map[int]int{{}, {}},
	}
	r.servers[0] = r.at()
	r.env["LEARNING_DATABASE"] = second
	r.start(t)
	r.servers[1] = r.at()
	return r
}

// lose lets people buy. After some purchases it calls fail, and, after as many, restore. Then it
// logs the figures and checks the books.
func (r *clusterRace) lose(t *testing.T, fail, restore func()) {
	t.Helper()
	people := r.students(t, 200)
	began := time.Now()
	finish := r.open(t, people)
	r.awaitEnrolled(t, 60)
	t.Logf("%.0f purchases a second before", 60/time.Since(began).Seconds())
	fail()
	r.awaitEnrolled(t, 120)
	restore()
	finish()
	for i := range r.servers {
		t.Logf("server %d: answers by status %v, longest time without success %.1f s", i+1,
			r.failed[i], r.gap[i].Seconds())
	}
	r.wantBooks(t)
}

// open lets eight people at a time buy. finish waits until all have tried.
func (r *clusterRace) open(t *testing.T, people []student) (finish func()) {
	queue := make(chan student, len(people))
	for _, s := range people {
		queue <- s
	}
	close(queue)
	r.last = [2]time.Time{time.Now(), time.Now()}
	var buyers sync.WaitGroup
	for i := range 8 {
		buyers.Go(func() {
			for s := range queue {
				r.buy(t, i%2, s)
			}
		})
	}
	return buyers.Wait
}

func (r *clusterRace) awaitEnrolled(t *testing.T, n int64) {
	t.Helper()
	await(t, fmt.Sprintf("%d people to be enrolled", n),
		func() bool { return r.enrolled.Load() >= n })
}

// buy opens an order at a server, pays it, and sends the proof to this server and the event to the
// other. A person whose order is not opened in eight tries, the limit of a minute, has not paid.
func (r *clusterRace) buy(t *testing.T, server int, s student) {
	var opened order
	for try := 0; try < 8 && opened.OrderID == ""; try++ {
		if try > 0 { // a server without a database refuses at once
			_ = backoff.Sleep(t.Context(), 300*time.Millisecond)
		}
		a := requestAt(t.Context(), r.servers[server], http.MethodPost, "/api/user/purchase", s,
			`{"courseId":"paid"}`)
		if r.record(t, server, a) {
			if err := json.Unmarshal([]byte(a.body), &opened); err != nil {
				t.Error(err)
			}
		}
	}
	if opened.OrderID == "" {
		return
	}
	paymentID, err := r.till.Pay(opened.OrderID, sandbox.WithoutWebhook())
	if err != nil {
		t.Error(err)
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		r.record(t, server, requestAt(t.Context(), r.servers[server], http.MethodPost,
			"/api/user/verify-gateway", s, proofBody(r.till.Proof(opened.OrderID, paymentID))))
	})
	both.Go(func() { r.tell(t, 1-server, opened.OrderID, paymentID) })
	both.Wait() // the event is accepted
	r.mu.Lock()
	r.answered[opened.PurchaseID] = true
	r.mu.Unlock()
	r.enrolled.Add(1)
}

// tell sends the event of a payment to a server until it is accepted, as the provider does.
func (r *clusterRace) tell(t *testing.T, server int, orderID, paymentID string) {
	body, err := r.till.PaidEvent(orderID, paymentID)
	if err != nil {
		t.Error(err)
		return
	}
	for accepted := false; !accepted && t.Context().Err() == nil; {
		a, err := r.notify(t.Context(), r.servers[server], body)
		if err != nil {
			t.Error(err)
			return
		}
		if accepted = r.record(t, server, a); !accepted {
			_ = backoff.Sleep(t.Context(), 100*time.Millisecond)
		}
	}
}

// record counts an answer, and reports whether it is a success.
func (r *clusterRace) record(t *testing.T, server int, a answer) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch a.status {
	case http.StatusOK:
		now := time.Now()
		r.gap[server] = max(r.gap[server], now.Sub(r.last[server]))
		r.last[server] = now
		return true
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
		r.failed[server][a.status]++
	default:
		t.Errorf("server %d answered %d %s", server+1, a.status, a.body)
	}
	return false
}

// wantBooks checks that nothing that was answered is lost, that each captured payment has completed
// its purchase, that each has enrolled one person, that the counter of the course has as many, and
// the invariants. Payments whose order was committed without an answer are reconciled, after what
// was answered is checked.
func (r *clusterRace) wantBooks(t *testing.T) {
	t.Helper()
	completed := r.completions(t)
	for id := range r.answered {
		if len(completed[id]) != 1 {
			t.Errorf("purchase %s was confirmed, and has the payments %v", id, completed[id])
		}
	}
	r.ageOrders(t)
	r.printed(t, "reconcile")
	captures := r.captures(t)
	if diff := cmp.Diff(captures, r.completions(t)); diff != "" {
		t.Errorf("captured at the gateway, and completed here: %s", diff)
	}
	r.wantConsistent(t)
}
