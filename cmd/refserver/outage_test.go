package main

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

const unexpected = `{"success":false,"message":"An unexpected error occurred"}`

// wantUnexpected checks that an answer is a 500 that does not contain the cause.
func wantUnexpected(t *testing.T, what string, a answer) {
	t.Helper()
	var got, want map[string]any
	if json.Unmarshal([]byte(a.body), &got) != nil ||
		json.Unmarshal([]byte(unexpected), &want) != nil {
		t.Errorf("%s: no JSON: %d %s", what, a.status, a.body)
	}
	if diff := cmp.Diff(want, got); diff != "" || a.status != http.StatusInternalServerError {
		t.Errorf("%s: %d %s", what, a.status, diff)
	}
}

func TestPurchase_SurvivesAFailingProvider(t *testing.T) {
	t.Parallel()
	eachSeller(t, surviveAFailingProvider)
}

func surviveAFailingProvider(t *testing.T, sells seller) {
	c := newDeploymentAt(t, "sqlite:"+filepath.Join(t.TempDir(), "learning.db"), sells)
	op, isAtStripe := c.till.Operations().CreateOrder, c.till.Name() != payment.NameGateway
	faults := map[string]sandbox.Fault{
		"too late":    {Kind: sandbox.FaultHang}, // takes as long as the time-out
		"500":         {Kind: sandbox.FaultStatus},
		"nonsense":    {Kind: sandbox.FaultNonsense},
		"empty":       {Kind: sandbox.FaultEmpty},
		"dropped":     {Kind: sandbox.FaultDrop},
		"answer lost": {Kind: sandbox.FaultDrop, After: true},
	}
	if isAtStripe { // whose requests with a key are repeated by net/http, nobody knows how often
		delete(faults, "dropped")
		delete(faults, "answer lost")
	}
	people := c.students(t, len(faults))
	answers := make(map[string]answer)
	var mu sync.Mutex
	var all sync.WaitGroup
	i := 0
	for name, fault := range faults {
		person, calls := people[i], c.till.Faults().Calls(op)
		i++
		requests := 1
		if fault.Kind == sandbox.FaultDrop { // the client tries once more
			requests = 2
		}
		fault.On = op
		c.till.Faults().Next(requests, fault)
		all.Go(func() {
			_, a := c.purchase(t.Context(), person)
			mu.Lock()
			defer mu.Unlock()
			answers[name] = a
		})
		await(t, "the provider to receive the request",
			func() bool { return c.till.Faults().Calls(op) >= calls+requests })
	}
	all.Wait()
	for name, a := range answers {
		wantUnexpected(t, name, a)
	}
	if n := c.count(t, "purchases"); n != 0 {
		t.Errorf("%d purchases are left", n)
	}
	for _, person := range people {
		if o, a := c.purchase(t.Context(), person); a.status != http.StatusOK || o.OrderID == "" {
			t.Errorf("the next attempt: %d %s", a.status, a.body)
		}
	}
}

// outage is a database that stops while users buy.
type outage struct {
	*deployment
	t      *testing.T
	buyers atomic.Pointer[[]student] // the users who buy now

	mu     sync.Mutex
	orders map[string]order // by user, as answered
	owned  map[string]bool  // users whose payment was acknowledged
	tries  map[string]int   // of a user to buy
	counts map[int]int      // of answers by status

	payments map[string]string // by order
}

func TestPurchase_SurvivesARestartOfMariaDB(t *testing.T) {
	t.Parallel()
	server := enginetest.StartMariaDB(t)
	for name, end := range map[string]func(){"stopped": server.Stop, "killed": server.Kill} {
		eachSeller(t, func(t *testing.T, sells seller) {
			database := server.URL(name + strconv.Itoa(len(t.Name())))
			o := &outage{deployment: newDeploymentAt(t, database, sells), t: t,
				orders: map[string]order{},
				owned:  map[string]bool{}, tries: map[string]int{}, counts: map[int]int{},
				payments: map[string]string{}}
			people := o.students(t, 300)
			// So that the database stops while orders are being created.
			op := o.till.Operations().CreateOrder
			o.till.Faults().Next(-1, sandbox.Fault{On: op, Delay: 30 * time.Millisecond})
			stop := o.open(people[:100])
			o.await("people to be enrolled", func() int { return len(o.owned) })
			others := people[100:200]
			o.buyers.Store(&others)
			o.await("orders to be opened", func() int { return o.till.Faults().Calls(op) })
			end()
			o.checkWhileStopped(others[0])
			server.Start()
			o.expireLeases(t)
			o.buyers.Store(&people)
			o.await("more people to be enrolled", func() int { return len(o.owned) })
			stop()
			o.wantKept()
		})
	}
}

// open runs eight buyers at the same time until it is stopped.
func (o *outage) open(students []student) (stop func()) {
	o.buyers.Store(&students)
	done := make(chan struct{})
	var next atomic.Int64
	var buyers sync.WaitGroup
	for range 8 {
		buyers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					students := *o.buyers.Load()
					o.step(students[int(next.Add(1))%len(students)])
				}
			}
		})
	}
	stop = sync.OnceFunc(func() { close(done); buyers.Wait() })
	o.t.Cleanup(stop) // of a test that fails
	return stop
}

// await waits until a number has grown by 30.
func (o *outage) await(what string, number func() int) {
	o.t.Helper()
	locked := func() int {
		o.mu.Lock()
		defer o.mu.Unlock()
		return number()
	}
	before := locked()
	await(o.t, what, func() bool { return locked() >= before+30 })
}

// checkWhileStopped checks the answers while the database is stopped.
func (o *outage) checkWhileStopped(s student) {
	o.t.Helper()
	o.await("failures", func() int { return o.counts[http.StatusInternalServerError] })
	wantUnexpected(o.t, "reading",
		o.request(o.t.Context(), http.MethodGet, "/api/user/data", s, ""))
	_, a := o.purchase(o.t.Context(), s)
	wantUnexpected(o.t, "buying", a)
	a = o.request(o.t.Context(), http.MethodGet, "/readyz", student{}, "")
	if a.status != http.StatusServiceUnavailable {
		o.t.Errorf("/readyz says %d", a.status)
	}
}

// step does the next step of a user: open an order, pay it and send the provider's event
// until it is acknowledged, read the user's data.
func (o *outage) step(s student) {
	o.mu.Lock()
	existing, ordered := o.orders[s.id]
	owned, mayBuy := o.owned[s.id], o.tries[s.id] < 8
	if !owned && !ordered && mayBuy { // counted before, because others try to buy for this user too
		o.tries[s.id]++
	}
	o.mu.Unlock()
	switch {
	case owned || !ordered && !mayBuy:
		a := o.request(o.t.Context(), http.MethodGet, "/api/user/data", s, "")
		o.record(a, func() {
			if lists := strings.Contains(a.body, `"enrolledCourses":["paid"]`); lists != owned {
				o.t.Errorf("%s, enrolled: %v, the answer is %s", s.id, owned, a.body)
			}
		})
	case ordered:
		o.report(s, existing)
	default:
		got, a := o.purchase(o.t.Context(), s)
		o.record(a, func() { o.orders[s.id] = got })
	}
}

// report pays an order, and sends the event once.
func (o *outage) report(s student, existing order) {
	body, err := o.event(existing.OrderID)
	if err != nil {
		o.t.Error(err)
		return
	}
	a, err := o.notify(o.t.Context(), o.at(), body)
	if err != nil {
		o.t.Error(err)
		return
	}
	o.record(a, func() { o.owned[s.id] = true })
}

// event returns the event of an order's payment. It pays the order if it has no payment.
func (o *outage) event(orderID string) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	paymentID, isPaid := o.payments[orderID]
	if !isPaid {
		var err error
		if paymentID, err = o.till.Pay(orderID, sandbox.WithoutWebhook()); err != nil {
			return nil, err
		}
		o.payments[orderID] = paymentID
	}
	return o.till.PaidEvent(orderID, paymentID)
}

// record counts an answer, which must exist, and calls a function if it is a success.
func (o *outage) record(a answer, success func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counts[a.status]++
	switch a.status {
	case http.StatusOK:
		success()
	case http.StatusInternalServerError, http.StatusServiceUnavailable:
	default:
		o.t.Errorf("an answer was %d %s", a.status, a.body)
	}
}

// wantKept checks that every reported success is in the database, and that reconciliation
// completes the rest.
func (o *outage) wantKept() {
	o.t.Helper()
	o.t.Logf("answers by status: %v; %d orders, %d people enrolled", o.counts, len(o.orders),
		len(o.owned))
	for id, answered := range o.orders {
		if n := o.count(o.t, "purchases WHERE id = '"+answered.PurchaseID+"' AND order_id = '"+
			answered.OrderID+"' AND user_id = '"+id+"'"); n != 1 {
			o.t.Errorf("the order %+v of %s was answered and is not in the database", answered, id)
		}
	}
	for id := range o.owned {
		if n := o.count(o.t, "enrollments WHERE user_id = '"+id+"'"); n != 1 {
			o.t.Errorf("%s was acknowledged and has %d enrolments", id, n)
		}
	}
	o.ageOrders(o.t)
	o.printed(o.t, "reconcile")
	captures := o.captures(o.t)
	if diff := cmp.Diff(captures, o.completions(o.t)); diff != "" {
		o.t.Errorf("captured at the provider, and completed here: %s", diff)
	}
	o.wantEnrolled(o.t, len(captures))
}
