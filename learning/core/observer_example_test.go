package core_test

import (
	"context"
	"expvar"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// counter counts operations with the package expvar of the standard library. A library of
// metrics or traces takes the place of its maps.
type counter struct{ calls, failures, milliseconds expvar.Map }

// Begin implements [core.Observer].
func (c *counter) Begin(ctx context.Context,
	op core.Operation) (context.Context, func(core.Outcome)) {
	begun := time.Now()
	return ctx, func(out core.Outcome) {
		name := string(op.Kind) + " " + op.Name
		if op.Kind == core.OperationRequest {
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
		core.Operation{Kind: core.OperationProvider, Name: "gateway.create_order"})
	end(core.Outcome{})
	fmt.Println(seen.calls.String())
	// Output: {"provider gateway.create_order": 1}
}
