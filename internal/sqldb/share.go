package sqldb

import (
	"context"
	"fmt"
)

// share is how many connections of a pool of the host one kind of operation uses at most, so that
// slow reads of one class leave connections for transactions and for the reads of other classes. It
// is nil for a pool of this package, whose size is the limit.
type share chan struct{}

// newShare returns a share of conns connections.
func newShare(conns int) share { return make(share, conns) }

// take waits until the share allows one more connection or ctx is done. The caller must call
// release when it has given the connection back.
func (s share) take(ctx context.Context, d *Dialect) (release func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for a connection: %w", d.contextError(ctx))
	}
}
