package learning

import "context"

// Store stores the data of a platform. Package store implements it on SQLite and on
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
	// fn again, so fn must have no effects except on tx and by [Tx.AfterCommit]. All runs
	// together take a bounded time.
	InTx(ctx context.Context, fn func(tx Tx) error) error
	// Ping returns nil if the database answers.
	Ping(ctx context.Context) error
}

// Tx is a transaction. Each method runs one statement and checks no permission. If a
// method returns an error, fn must return it. A Tx is not safe for concurrent use.
type Tx interface {
	Reader
	CourseWriter
	UserWriter
	PurchaseWriter
	EnrollmentWriter
	ProgressWriter
	RatingWriter
	ApplicationWriter
	CertificateWriter
	TimeEntryWriter
	AIWriter
	CommunityWriter
	QuizWriter
	QuizResultWriter
	ChatWriter
	// AfterCommit registers a function to call after the commit. If fn runs again, the
	// functions of the previous run are removed.
	AfterCommit(func())
}

// Reader reads, inside or outside a transaction. A method that reads a single row
// returns [ErrNoRecord] if the row does not exist.
type Reader interface {
	CourseReader
	UserReader
	PurchaseReader
	EnrollmentReader
	ProgressReader
	RatingReader
	ApplicationReader
	CertificateReader
	TimeEntryReader
	QuizReader
	QuizResultReader
	ChatReader
	EducatorReader
	AdminReader
	AIReader
	CommunityReader
}
