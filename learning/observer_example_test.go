package learning_test

import (
	"context"
	"expvar"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// counter counts operations with the package expvar of the standard library. A library of
// metrics or traces takes the place of its maps.
type counter struct{ calls, failures, milliseconds expvar.Map }

// Begin implements [learning.Observer].
func (c *counter) Begin(ctx context.Context,
	op learning.Operation) (context.Context, func(learning.Outcome)) {
	begun := time.Now()
	return ctx, func(out learning.Outcome) {
		name := string(op.Kind) + " " + op.Name
		if op.Kind == learning.OperationRequest {
			name = "request " + out.Route // the route is known when the request has ended
		}
		c.calls.Add(name, 1)
		c.milliseconds.Add(name, time.Since(begun).Milliseconds())
		if out.Err != nil {
			c.failures.Add(name, 1)
		}
	}
}

// A host gives one observer to package learning, whose handler uses it too, and to the store:
//
//	st, err := postgres.Open(ctx, url, store.WithObserver(seen))
//	platform, err := learning.New(st, learning.WithObserver(seen), …)
//	handler, err := httpapi.New(platform, …)
func ExampleObserver() {
	seen := &counter{}
	_, end := seen.Begin(context.Background(),
		learning.Operation{Kind: learning.OperationProvider, Name: "gateway.create_order"})
	end(learning.Outcome{})
	fmt.Println(seen.calls.String())
	// Output: {"provider gateway.create_order": 1}
}
