package core

import "context"

// Observer learns of each operation of a platform, its store and its handler, for metrics and
// traces: see the options WithObserver of packages learning, store and httpapi.
// An Observer must be safe for concurrent use, and must not block.
type Observer interface {
	// Begin is called when an operation begins. The operation runs with the context that
	// Begin returns, which must be ctx or derived from it. end is called once, when the
	// operation has ended.
	Begin(ctx context.Context, op Operation) (inner context.Context, end func(Outcome))
}

// Operation names a unit of work: a request, a transaction, a call of a provider. Its fields
// contain no id, no address and no text of a user, so that each has a limited number of values.
type Operation struct {
	Kind OperationKind
	Name string // see the kinds
}

// OperationKind is the kind of an [Operation].
type OperationKind string

// The kinds of operations.
const (
	// OperationRequest is an HTTP request. The name is its method, or "other" if the method
	// is not one of RFC 9110 or PATCH.
	OperationRequest OperationKind = "request"
	// OperationLimit is the count of a request towards a rate limit. The name is that of the
	// limit. Its error is a [RetryableError] if the request was refused, and any other error
	// if it could not be counted.
	OperationLimit OperationKind = "limit"
	// OperationList makes a list that is kept, such as that of all courses. The name is that
	// of the list.
	OperationList OperationKind = "list"
	// OperationTransaction is a transaction with all its runs. It has no name.
	OperationTransaction OperationKind = "transaction"
	// OperationRead is a read outside transactions. The name says what it reads.
	OperationRead OperationKind = "read"
	// OperationLease is a change of a lease, and takes no time. The name is the kind of the
	// lease and the change: "order.taken", "order.taken_over" from a holder whose time has
	// ended, "order.lost" to such a holder, or "order.released".
	OperationLease OperationKind = "lease"
	// OperationProvider is a call of a provider. The names are "gateway.create_order",
	// "gateway.order", "gateway.create_refund", "gateway.refunds", "identity.grant_role",
	// "ai.complete", "ai.stream", "media.put", "media.delete", "media.exists", and "events." with
	// the name of the target for the delivery of an event.
	OperationProvider OperationKind = "provider"
)

// Outcome is the result of an [Operation]. Fields that do not belong to its kind are zero.
type Outcome struct {
	Err error // nil if the operation has succeeded; for a request the cause of a 500

	Route  string // of a request: the id of its route; "" if no route was found
	Status int    // of a request: 0 if the connection ended before the answer began
	Bytes  int64  // of a request: the length of the body of the answer

	Runs  int     // of a transaction: more than 1 if it was repeated
	Usage AIUsage // of a call to the AI: the tokens that it has spent
}

// AIUsage is the number of tokens that a call has spent.
type AIUsage struct {
	Prompt     int64 // read
	Completion int64 // written
	Estimated  bool  // computed from lengths, because the provider did not report it
}
