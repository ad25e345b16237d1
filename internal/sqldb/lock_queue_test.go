package sqldb

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"
)

// Transactions get their turns at a row in the order in which they ask, and none at another row
// waits for them.
func TestLockQueues_TurnsInOrder(t *testing.T) {
	q := &lockQueues{rows: map[string]*lockQueue{}}
	var first []func()
	for range turnsAtOnce {
		first = append(first, q.enter(t.Context(), "post p", time.Minute))
	}
	q.enter(t.Context(), "post other", time.Minute)()

	var mu sync.Mutex
	var order []int
	var all sync.WaitGroup
	const waiting = 10
	for i := range waiting {
		all.Go(func() {
			leave := q.enter(t.Context(), "post p", time.Minute)
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			leave()
		})
		eventually(t, func() bool { return q.waiting("post p") == i+1 })
	}
	for _, leave := range first[1:] { // one turn is left, so that they come one after the other
		defer leave()
	}
	first[0]()
	all.Wait()
	if !slices.IsSorted(order) || len(order) != waiting {
		t.Errorf("the turns were those of %v", order)
	}
}

// waiting returns how many transactions wait for their turn at a row.
func (q *lockQueues) waiting(row string) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.rows[row].uses - turnsAtOnce
}

// A transaction whose patience or whose context has ended goes on without a turn, and takes none.
func TestLockQueues_WaitEnds(t *testing.T) {
	q := &lockQueues{rows: map[string]*lockQueue{}}
	var held []func()
	for range turnsAtOnce {
		held = append(held, q.enter(t.Context(), "post p", time.Minute))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	q.enter(ctx, "post p", time.Minute)()
	q.enter(t.Context(), "post p", time.Nanosecond)()
	for _, leave := range held {
		leave()
	}
	if len(q.rows) != 0 {
		t.Errorf("%d queues are kept without a transaction", len(q.rows))
	}
	for range turnsAtOnce { // all turns are free again
		defer q.enter(t.Context(), "post p", 0)()
	}
}
