package sqldb

import (
	"context"
	"sync"
	"time"
)

// turnsAtOnce is how many transactions of this process ask the server for one row at the same time:
// one that has it, and one that waits there, so that the server gives it to the next one at once.
const turnsAtOnce = 2

// turnPatience is how long a transaction waits for its turn at a row before it waits at the server,
// as long as a wait at the server. A run after such a wait has timed out waits for secondPatience.
const (
	turnPatience   = time.Second
	secondPatience = 8 * time.Second
)

// lockQueues lets the transactions of this process that lock one row wait for each other here, in
// their order, and not at the server. A PostgreSQL wakes every transaction that waits for a row
// whenever one commits, and they queue again; of many, most of the time is spent so. The lock of
// the server is still what excludes transactions: a turn decides only who asks for it first, so it
// may be given up at any time.
//
// Two transactions that wait for each other's turns are no deadlock that the server can find.
// turnPatience ends it: then both wait at the server, which finds it.
type lockQueues struct {
	mu   sync.Mutex
	rows map[string]*lockQueue // by kind and id
}

// lockQueue is the queue at one row.
type lockQueue struct {
	turn chan struct{} // has an element while a transaction has its turn
	uses int           // transactions that have or await a turn
}

// enter waits for the turn at a row, at most for patience. It returns a function that ends the
// turn, or the wait for it, which the caller must call when the transaction has ended.
func (q *lockQueues) enter(ctx context.Context, row string, patience time.Duration) (leave func()) {
	// Find the queue, or make it.
	q.mu.Lock()
	queue := q.rows[row]
	if queue == nil {
		queue = &lockQueue{turn: make(chan struct{}, turnsAtOnce)}
		q.rows[row] = queue
	}
	queue.uses++
	q.mu.Unlock()

	// Wait for the turn. Most rows have no queue.
	hasTurn := true
	select {
	case queue.turn <- struct{}{}:
	default:
		timer := time.NewTimer(patience)
		defer timer.Stop()
		select {
		case queue.turn <- struct{}{}:
		case <-timer.C:
			hasTurn = false
		case <-ctx.Done():
			hasTurn = false
		}
	}

	return func() {
		if hasTurn {
			<-queue.turn
		}
		q.mu.Lock()
		defer q.mu.Unlock()
		if queue.uses--; queue.uses == 0 {
			delete(q.rows, row)
		}
	}
}

// awaitTurn waits for the turn of the transaction at a row that it is about to lock, unless it has
// had it. SQLite has one transaction at a time.
func (t *Tx) awaitTurn(ctx context.Context, row string) {
	if t.queues == nil {
		return
	}
	if _, hasHad := t.turns[row]; hasHad {
		return
	}
	if t.turns == nil {
		t.turns = map[string]func(){}
	}
	patience := turnPatience
	if t.lockTimedOut {
		patience = secondPatience
	}
	t.turns[row] = t.queues.enter(ctx, row, patience)
}

// leaveQueues ends the turns of a transaction that has ended.
func (t *Tx) leaveQueues() {
	for _, leave := range t.turns {
		leave()
	}
	t.turns = nil
}
