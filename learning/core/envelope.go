package core

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/internal/text"
)

// AccountReader reads what a caller is to the platform.
type AccountReader interface {
	// AccountState returns the state of a user id, or the zero AccountState if it is unknown.
	AccountState(ctx context.Context, userID string) (AccountState, error)
}

// Tx is what the envelope itself needs of a transaction. The Tx of each room embeds it. Each
// method runs one statement and checks no permission. If a method returns an error, the function of
// the transaction must return it. A transaction is not safe for concurrent use.
type Tx interface {
	AccountReader
	// LockUser locks the record or the tombstone of a user until the transaction ends, and
	// reports whether there is one.
	LockUser(ctx context.Context, id string) (bool, error)
	// AddToTotals adds the numbers and amounts of changes to the totals. changes must not be empty,
	// and must have the order of their course, kind and part without repetitions. A total is stored
	// in several slots; the id of the row that changes chooses the slot, so that transactions on
	// different rows seldom wait for each other.
	AddToTotals(ctx context.Context, rowID string, changes []Total) error
	notificationTx
	decisionTx
	lease.Table
	outbox.Tx
	// Repeatable declares that fn has the same effect and result if it runs again after the
	// transaction was committed, because a unique key or the condition of an UPDATE prevents a
	// second effect. If COMMIT is not answered, the store then runs fn again, and calls the
	// functions of both runs after the last COMMIT. To other transactions it adds a statement,
	// which tells it whether they were committed.
	Repeatable()
	// WithHost calls a function with the transaction as functions of the host get it, and ends
	// that when the function has returned. Its context has the deadline of the transaction. The
	// transaction is not repeatable afterwards.
	WithHost(ctx context.Context, fn func(ctx context.Context, tx HostTx) error) error
	// Changed reports whether this run of fn has written a row. A type that wraps a store can
	// use it to recognize transactions that only read.
	Changed() bool
	// AfterCommit registers a function to call after the commit. If fn runs again, the
	// functions of the previous run are removed, but for those of Repeatable.
	AfterCommit(func())
}

// Env is what the services of a platform share.
type Env struct {
	Clock     Clock
	Log       *slog.Logger
	Observer  Observer // nil for none
	NewID     func() string
	Leases    *lease.Leases
	Events    *outbox.Outbox
	HostFuncs []HostFunc    // in the order in which they are called
	Timeout   time.Duration // of one call to a provider
}

// Now returns the current time as it is stored: UTC, without parts of a microsecond.
func (e *Env) Now() time.Time { return e.Clock.Now().UTC().Truncate(time.Microsecond) }

// Provider returns ctx with the time limit of one call to a provider. The caller must call the
// function after the call.
func (e *Env) Provider(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, e.Timeout)
}

// HasEvents reports whether a target or a function of the host gets events.
func (e *Env) HasEvents() bool { return len(e.Events.Targets) > 0 || len(e.HostFuncs) > 0 }

// LogPanic logs a panic of a shared call: see [singleflight.Group]. The callers get an error.
func (e *Env) LogPanic(ctx context.Context, p *singleflight.PanicError) {
	e.Log.ErrorContext(ctx, "panic", "value", fmt.Sprint(p.Value), "stack", string(p.Stack))
}

// Base is what each service has: the shared environment, and the transactions of its room. T is the
// Tx of the room. A service holds it in an unexported field.
//
// A transaction of the library goes the same way each time:
//
//  1. Lock what serialises it, as its first statement: ChangeOfUser locks a user.
//  2. Read the state. On MySQL a read before the lock would fix what all later reads see.
//  3. Decide in one function without side effects.
//  4. Write, and collect decisions, notifications, events and totals in [Changes].
//  5. The decisions, the notifications and the events are stored, the functions of the host are
//     called with the events, and the totals come last: see Change.
//  6. After the commit the functions of AfterCommit are called.
//
// All of it may run several times before a commit:
//
//	method             why it runs again              who runs it again     at most
//	InTx               deadlock, lock time-out, busy  the store             8 times, or 24 while the
//	                   database, lost connection,                           server finds conflicts
//	                   COMMIT without effect
//	Change             the number of an event was     outbox.Retry          100 times InTx
//	                   taken
//	Retry              [ErrDuplicate]: what fn had    record.RetryDuplicate 24 times InTx
//	                   read has changed
//	ChangeOfUser,      the same                       record.RetryDuplicate 24 times Change
//	ChangeOfUndeleted
//
// docs/architecture.md ("How often a transaction runs") has the operations beside it.
//
// Base is an alias of a struct of functions. Each package that uses a service would compile the
// methods of a generic type anew, with one function for each method of the room's Tx.
type Base[T Tx] = struct {
	*Env

	// InTx runs fn in one transaction: see the store.
	InTx func(ctx context.Context, fn func(tx T) error) error
	// Retry runs fn in a transaction, and in another one if fn returns [ErrDuplicate], because a
	// concurrent transaction has inserted a row that fn had found missing. It returns the error of
	// the last one.
	Retry func(ctx context.Context, fn func(tx T) error) error
	// Change runs fn in a transaction, and stores the decisions, the notifications, the events and
	// the changes of totals that fn collects. The functions of the host get all events in one call,
	// after all rows but the totals are written, so that they can read them. The totals come last,
	// because their rows are shared by many transactions: one that waited for another lock after
	// changing a total, such as for a row of the host, would delay them. Change runs the
	// transaction again if a concurrent one has written an event of the same subject.
	Change func(ctx context.Context, fn func(tx T, changes *Changes) error) error
	// ChangeOfUser runs fn in a transaction that has locked a user, also one whose record has not
	// arrived, and stores what fn collects in changes. fn reads the whole state, decides by a
	// function without side effects, and writes. If fn returns [ErrDuplicate], because a concurrent
	// transaction has changed what it had read, it runs again in another transaction.
	ChangeOfUser func(
		ctx context.Context, userID string, fn func(tx T, changes *Changes) error,
	) error
	// ChangeOfUndeleted is ChangeOfUser for what a deleted user must not leave. Error:
	// [ErrUnauthenticated] if the user was deleted.
	ChangeOfUndeleted func(
		ctx context.Context, userID string, fn func(tx T, changes *Changes) error,
	) error
}

// NewBase returns a base whose transactions are those of a store.
func NewBase[T Tx](
	env *Env, inTx func(ctx context.Context, fn func(tx T) error) error,
) Base[T] {
	e := envelope[T]{Env: env, inTx: inTx}
	return Base[T]{Env: env, InTx: inTx, Retry: e.retry, Change: e.change,
		ChangeOfUser: e.changeOfUser, ChangeOfUndeleted: e.changeOfUndeleted}
}

// Narrow returns a base for the transactions of a room. as returns a transaction of the store as
// one of the room.
func Narrow[N, W Tx](b Base[W], as func(W) N) Base[N] {
	return NewBase(b.Env, func(ctx context.Context, fn func(tx N) error) error {
		return b.InTx(ctx, func(tx W) error { return fn(as(tx)) })
	})
}

// envelope has the functions of a [Base].
type envelope[T Tx] struct {
	*Env
	inTx func(ctx context.Context, fn func(tx T) error) error
}

func (e envelope[T]) retry(ctx context.Context, fn func(tx T) error) error {
	return record.RetryDuplicate(ctx, func() error { return e.inTx(ctx, fn) })
}

func (e envelope[T]) change(ctx context.Context, fn func(tx T, changes *Changes) error) error {
	return outbox.Retry(ctx, func() error {
		return e.inTx(ctx, func(tx T) error {
			changes := &Changes{Env: e.Env}
			if err := fn(tx, changes); err != nil {
				return err
			}
			if err := changes.writeDecisions(ctx, tx); err != nil {
				return err
			}
			if err := changes.writeNotifications(ctx, tx); err != nil {
				return err
			}
			if err := changes.Write(ctx, tx); err != nil {
				return err
			}
			if err := e.tellHost(ctx, tx, changes.all); err != nil {
				return err
			}
			return changes.writeTotals(ctx, tx)
		})
	})
}

func (e envelope[T]) changeOfUser(
	ctx context.Context, userID string, fn func(tx T, changes *Changes) error,
) error {
	return record.RetryDuplicate(ctx, func() error {
		return e.change(ctx, func(tx T, changes *Changes) error {
			hasRecord, err := tx.LockUser(ctx, userID)
			if err == nil && !hasRecord && text.ValidID(userID, MaxUserID) {
				// On MySQL transactions that lock a missing row do not exclude each other. They do
				// if they insert the same row, also if they delete it at once.
				l := e.Leases.New("user:"+userID, e.Timeout)
				if err = tx.InsertLease(ctx, l); err == nil {
					err = lease.Release(ctx, tx, l)
				}
			}
			if err != nil {
				return err
			}
			return fn(tx, changes)
		})
	})
}

func (e envelope[T]) changeOfUndeleted(
	ctx context.Context, userID string, fn func(tx T, changes *Changes) error,
) error {
	return e.changeOfUser(ctx, userID, func(tx T, changes *Changes) error {
		if err := RequireUndeleted(ctx, tx, userID); err != nil {
			return err
		}
		return fn(tx, changes)
	})
}

// LockUser locks the record or the tombstone of a user. It is the first statement of every
// transaction that changes what a user owns: purchases, redemptions, refunds, enrolments and
// certificates. So the transactions of one user run one after the other, and each reads the whole
// state before it decides. On MySQL a read before the lock would fix what all later reads see. A
// user without a record has bought nothing, so that nothing needs to be locked then. What such a
// user can change all the same is changed in [Base].
func LockUser(ctx context.Context, tx Tx, userID string) error {
	_, err := tx.LockUser(ctx, userID) // whether there is a record does not matter: see above
	return err
}

// LockUndeleted locks the record of a user, and returns [ErrUnauthenticated] if the user was
// deleted. Call it in a transaction after inserting a row of the user: a concurrent deletion, which
// locks the record first, either waits and deletes that row too, or is visible to this read. A user
// without a record is not deleted.
func LockUndeleted(ctx context.Context, tx Tx, userID string) error {
	if err := LockUser(ctx, tx, userID); err != nil {
		return err
	}
	return RequireUndeleted(ctx, tx, userID)
}

// RequireUndeleted returns [ErrUnauthenticated] if a user whose record the transaction has locked
// was deleted. The enrolments of a deleted user stay, so that they do not tell.
func RequireUndeleted(ctx context.Context, tx Tx, userID string) error {
	s, err := tx.AccountState(ctx, userID)
	if err == nil && s.Deleted {
		err = ErrUnauthenticated
	}
	return err
}

// tellHost calls the functions of the host with the events of a transaction, in their order, until
// one returns an error.
func (e *Env) tellHost(ctx context.Context, tx Tx, events []Event) error {
	if len(e.HostFuncs) == 0 || len(events) == 0 {
		return nil
	}
	return tx.WithHost(ctx, func(ctx context.Context, tx HostTx) error {
		for _, fn := range e.HostFuncs {
			if err := e.callHost(ctx, tx, fn, events); err != nil {
				return err
			}
		}
		return nil
	})
}

// callHost calls one function. It logs a panic, and returns a [HostError] for it, so that the
// transaction is rolled back and the process goes on.
func (e *Env) callHost(ctx context.Context, tx HostTx, fn HostFunc, events []Event) (err error) {
	defer func() {
		if value := recover(); value != nil {
			e.Log.ErrorContext(ctx, "panic", "value", fmt.Sprint(value), "stack",
				string(debug.Stack()))
			err = fmt.Errorf("panic: %v", value)
		}
		if err != nil {
			failure := &HostError{Err: err}
			for _, e := range events {
				failure.Events = append(failure.Events, e.Type)
			}
			err = failure
		}
	}()
	return fn(ctx, tx, slices.Clone(events)) // of which the function may change its copy
}
