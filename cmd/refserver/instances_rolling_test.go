package main

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// visitors read and buy through the proxy, at a steady rate, until stop is called.
type visitors struct {
	f      *instances
	buyers *buyers
	reads  atomic.Int64
	cancel context.CancelFunc
	done   sync.WaitGroup
}

// startVisitors starts four readers, and one buyer for all people.
func (f *instances) startVisitors(t *testing.T, people []student) *visitors {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	v := &visitors{f: f, buyers: &buyers{deployment: f.shop, servers: []string{f.open}},
		cancel: cancel}
	for range 4 {
		v.done.Go(func() { every(ctx, 20*time.Millisecond, func() { v.read(t) }) })
	}
	v.done.Go(func() {
		every(ctx, 100*time.Millisecond, func() {
			if len(people) > 0 {
				v.buyers.buy(t, people[0])
				people = people[1:]
			}
		})
	})
	t.Cleanup(v.stop)
	return v
}

// every calls fn again and again, with a pause, until ctx is done.
func every(ctx context.Context, pause time.Duration, fn func()) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for ctx.Err() == nil {
		fn()
		select {
		case <-ctx.Done():
		case <-ticker.C:
		}
	}
}

func (v *visitors) read(t *testing.T) {
	v.reads.Add(1)
	if a := v.f.shop.request(t.Context(), http.MethodGet, "/api/course/all", student{},
		""); a.status != http.StatusOK {
		t.Errorf("at %s a read was answered with %d %s", time.Now().Format("15:04:05.000"),
			a.status, a.body)
	}
}

// stop lets the requests that are sent finish.
func (v *visitors) stop() {
	v.cancel()
	v.done.Wait()
}

// restart stops a server as a supervisor does, starts it again, and waits until the proxy sends it
// requests.
func (f *instances) restart(t *testing.T, i int) {
	t.Helper()
	if err := f.servers[i].Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if status := ended(t, f.servers[i]); status.ExitStatus() != 0 {
		t.Errorf("server %d ended with %v", i, status)
	}
	wantNoFaults(t, f.logs[i].String())
	f.start(t, i)
	await(t, "the proxy to send requests to the new server", func() bool {
		return strings.Contains(f.logs[i].String(), `"route":"course.list"`)
	})
}

// TestInstances_RollingRestartFailsNoRequest restarts one server after the other with the settings
// of examples/deploy. The proxy does not try another server if a connection is refused, so
// LEARNING_DRAIN_DELAY alone must prevent that.
func TestInstances_RollingRestartFailsNoRequest(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "rolling", nil)
	f := newInstances(t, environment{"LEARNING_DRAIN_DELAY": drainDelay(t).String()}, "retries 3",
		"retries 0", "option redispatch 1", "no option redispatch")
	v := f.startVisitors(t, f.shop.students(t, 600))
	for i := range f.servers {
		f.restart(t, i)
	}
	v.stop()
	v.buyers.wait(t)
	f.shop.wantConsistent(t)
	f.shop.wantTotals(t)
	bought := v.buyers.bought.Load()
	if n := f.shop.count(t, "enrollments"); n != int(bought) || n == 0 {
		t.Errorf("%d enrollments of %d people who bought", n, bought)
	}
	t.Logf("%d reads and %d purchases", v.reads.Load(), bought)
}
