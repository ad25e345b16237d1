package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// The process is killed after the provider has created the order and before the order is
// stored. The lease that is left must not prevent the next purchase.
func TestPurchase_KilledBetweenTheProvidersOrderAndTheCommit(t *testing.T) {
	t.Parallel()
	onTills(t, func(t *testing.T, c *deployment) {
		ann := c.students(t, 1)[0]
		var once sync.Once
		c.till.OnOrder(func() { once.Do(c.kill) })
		if o, a := c.purchase(t.Context(), ann); a.status != 0 {
			t.Fatalf("the killed server answered %d, %+v", a.status, o)
		}
		if leased, orders := c.count(t, "purchases WHERE status = 'created' AND order_id IS NULL"),
			c.till.Orders(); leased != 1 || orders != 1 {
			t.Fatalf("%d leased purchases and %d orders are left", leased, orders)
		}

		c.start(t)
		waiting := make(chan answer, 1)
		var o order
		go func() {
			var a answer
			o, a = c.purchase(t.Context(), ann)
			waiting <- a
		}()
		c.expireLeases(t)
		if a := <-waiting; a.status != http.StatusOK {
			t.Fatalf("the next purchase got %d: %s", a.status, a.body)
		}
		// Stripe knows by its key that it was asked before.
		want := map[string]int{payment.NameGateway: 2}[c.till.Name()]
		if n := c.till.Orders(); n != max(1, want) {
			t.Errorf("%d orders at the provider", n)
		}
		paymentID, err := c.till.Pay(o.OrderID, sandbox.WithoutWebhook())
		if err != nil {
			t.Fatal(err)
		}
		if a := c.verify(t.Context(), ann, o.OrderID, paymentID); a.status != http.StatusOK {
			t.Errorf("paying got %d: %s", a.status, a.body)
		}
		c.wantEnrolled(t, 1)
		if n := c.count(t, "purchases"); n != 1 {
			t.Errorf("%d purchases", n)
		}
	})
}

// stream is many users who buy at the same time from a server that is killed repeatedly.
type stream struct {
	*deployment
	started atomic.Int64 // requests of completions
	failed  atomic.Int64
}

func TestPurchase_KilledDuringManyCompletions(t *testing.T) {
	t.Parallel()
	const people, kills = 240, 5
	onTills(t, func(t *testing.T, c *deployment) {
		s := &stream{deployment: c}
		var buyers sync.WaitGroup
		queue := make(chan student, people)
		for _, person := range s.students(t, people) {
			queue <- person
		}
		close(queue)
		for range 16 {
			buyers.Go(func() {
				for person := range queue {
					s.buy(t, person)
				}
			})
		}
		for i := range int64(kills) {
			// Each user sends about two requests; the last kill must be before the last request.
			at := (i*2 + rand.Int64N(2)) * people / kills * 4 / 5
			await(t, "more requests", func() bool { return s.started.Load() > at })
			s.kill()
			s.start(t)
			s.expireLeases(t)
		}
		buyers.Wait()
		t.Logf("%d of %d requests failed", s.failed.Load(), s.started.Load())
		if t.Failed() {
			return
		}
		if s.failed.Load() < kills {
			t.Error("no request failed by a kill")
		}
		s.kill()
		s.wantReconciled(t, people)
	})
}

// buy opens an order with as many tries as needed, pays it, and reports it as client and as
// provider at the same time, each at most once. Every fourth payment is not reported.
func (s *stream) buy(t *testing.T, person student) {
	o, ok := s.purchaseUntilAnswered(t, person)
	if !ok {
		return
	}
	paymentID, err := s.till.Pay(o.OrderID, sandbox.WithoutWebhook())
	if err != nil {
		t.Error(err)
		return
	}
	if rand.N(4) == 0 {
		s.started.Add(2)
		return
	}
	var both sync.WaitGroup
	for _, report := range []func() error{
		func() error {
			if a := s.verify(t.Context(), person, o.OrderID, paymentID); a.status != http.StatusOK {
				return fmt.Errorf("verify: %d %s", a.status, a.body)
			}
			return nil
		},
		func() error {
			body, err := s.till.PaidEvent(o.OrderID, paymentID)
			if err != nil {
				return err
			}
			return s.till.Send(t.Context(), body)
		},
	} {
		both.Go(func() {
			s.started.Add(1)
			if report() != nil {
				s.failed.Add(1)
			}
		})
	}
	both.Wait()
}

// purchaseUntilAnswered requests an order until it gets one.
func (s *stream) purchaseUntilAnswered(t *testing.T, person student) (order, bool) {
	ctx, cancel := context.WithTimeout(t.Context(), longEnough)
	defer cancel()
	for {
		o, a := s.purchase(ctx, person)
		if a.status == http.StatusOK {
			return o, true
		}
		if a.status != 0 || ctx.Err() != nil {
			t.Errorf("%s gets no order: %d %s", person.id, a.status, a.body)
			return order{}, false
		}
		select { // without blocking if no goroutine receives
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

var reconciled = regexp.MustCompile(`^(\d+) orders checked, (\d+) purchases completed\n$`)

// wantReconciled runs the reconcile command, and checks that every captured payment has
// its purchase and that no user is enrolled twice.
func (s *stream) wantReconciled(t *testing.T, people int) {
	t.Helper()
	before := s.count(t, "enrollments")
	s.wantEnrolled(t, before)
	s.ageOrders(t)
	out := s.printed(t, "reconcile")
	if found := reconciled.FindStringSubmatch(out); found == nil ||
		found[2] != fmt.Sprint(people-before) {
		t.Errorf("with %d of %d enrolled it says: %s", before, people, out)
	}
	s.wantEnrolled(t, people)
	if diff := cmp.Diff(s.captures(t), s.completions(t)); diff != "" {
		t.Errorf("captured at the gateway, and completed here: %s", diff)
	}
	if out := s.printed(t, "reconcile"); !strings.HasPrefix(out, "0 orders checked") {
		t.Errorf("a second time it says: %s", out)
	}
}

// printed runs a command in a process of its own and returns its output.
func (c *deployment) printed(t *testing.T, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longEnough)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.Env = c.env.process()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}
