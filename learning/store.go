package learning

import (
	"context"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// Store stores the data of a platform. Package store implements it on SQLite, PostgreSQL and
// engines that speak the protocol of MySQL. Only a [Tx] can write, so that no write
// happens outside a transaction. A Store must be safe for concurrent use.
//
// The interface grows with the product: a new version may add methods. A type
// that wraps a store must therefore embed the *store.Store, and not implement the
// methods one by one.
type Store interface {
	Reader
	// InTx runs fn in one transaction. It commits if fn returns nil, and rolls back if fn
	// returns an error or panics. On a deadlock, a lock time-out or a similar error it runs
	// fn again, so fn must have no effects except on tx and by [Tx.AfterCommit]. How often it may
	// run in all is a table in docs/architecture.md ("How often a transaction runs"). All runs
	// together take a bounded time. If COMMIT is not answered, InTx finds out whether the
	// transaction has taken effect, and runs fn again if it has not. Only if the database
	// does not answer at all, InTx returns [core.ErrUnknownOutcome].
	InTx(ctx context.Context, fn func(tx Tx) error) error
	// Ping returns nil if the database answers.
	Ping(ctx context.Context) error
	outbox.Signals
}

// Tx is a transaction. Each method runs one statement and checks no permission. If a
// method returns an error, fn must return it. A Tx is not safe for concurrent use. The
// methods are declared with their nouns: those on courses in course.go, and so on.
type Tx interface {
	core.Tx
	Reader
	file.StoreTx
	catalog.StoreTx
	people.StoreTx
	offer.Tx
	bundle.Tx
	purchase.Writer
	refund.StoreTx
	sale.StoreTx
	papers.Tx
	study.StoreTx
	certify.StoreTx
	community.Tx
	assess.Tx
	due.Tx
	staff.Tx
	tutor.Tx
	inbox.Tx
	core.SweepWriter
	totalWriter
	exportWriter
}

// Reader reads, inside or outside a transaction. A method that reads a single row
// returns [core.ErrNoRecord] if the row does not exist. The methods are declared with their
// nouns, as those of [Tx] are.
type Reader interface {
	file.Reader
	catalog.Reader
	people.Reader
	offer.Reader
	bundle.Reader
	purchase.Reader
	refund.Reader
	sale.Reader
	papers.Reader
	study.Reader
	assess.Reader
	due.Reader
	certify.Reader
	tutor.Reader
	core.SweepReader
	totalReader
	lease.Reader
	outbox.Reader
	community.Reader
	staff.Reader
	inbox.Reader
	exportReader
}
