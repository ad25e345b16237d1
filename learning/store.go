package learning

import "context"

// Store keeps the data of a platform. Package store implements it on SQLite and
// MySQL. It reads, and it runs transactions; there is no other way to write, so
// that no write can happen outside of a transaction. The methods for a noun are
// documented in the file of the noun.
//
// The interface grows with the product: a new version may add methods. A type
// that wraps a store must therefore embed the *store.Store, and not implement the
// methods one by one.
type Store interface {
	Reader
	// InTx runs fn in one transaction: committed when fn returns nil, rolled back
	// when it returns an error or panics. On deadlocks, lock time-outs and the like
	// the whole of fn runs again, so it must have no effect but on tx; effects on
	// the outside wait for [Tx.AfterCommit]. All runs together take a bounded time.
	InTx(ctx context.Context, fn func(tx Tx) error) error
	// Ping is nil when the database answers.
	Ping(ctx context.Context) error
}

// Tx is a transaction. Its methods are one statement each and know no policy.
// After an error the transaction is over: fn returns it.
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
	// AfterCommit registers what happens once the transaction is committed. When
	// fn is run again, what it registered before is forgotten.
	AfterCommit(func())
}

// Reader is everything that can be read, inside a transaction and outside.
// A single row that does not exist is [ErrNoRecord].
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
