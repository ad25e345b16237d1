package core

import "context"

// ReadClass says for whom the database is read outside transactions. A store has connections
// for each class, so that reads of one class never wait for those of another.
type ReadClass uint8

// The classes of reads.
const (
	OrdinaryReads  ReadClass = iota // of signed-in users, and of the work of the server
	AnonymousReads                  // of callers without a valid token
	UrgentReads                     // of webhooks, payments and health checks
)

// readClassKey is the key of the [ReadClass] in a context.
type readClassKey struct{}

// WithReadClass returns a context whose reads have a class. Package httpapi calls it for each
// request.
func WithReadClass(ctx context.Context, class ReadClass) context.Context {
	return context.WithValue(ctx, readClassKey{}, class)
}

// ReadClassOf returns the class of the reads with ctx: OrdinaryReads, unless [WithReadClass] has
// set another one.
func ReadClassOf(ctx context.Context) ReadClass {
	class, _ := ctx.Value(readClassKey{}).(ReadClass) // 0 is OrdinaryReads
	return class
}
