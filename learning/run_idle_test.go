package learning_test

import (
	"context"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

// statements counts reads outside transactions, and transactions.
type statements struct{ n atomic.Int64 }

// Begin implements [core.Observer].
func (s *statements) Begin(
	ctx context.Context, op core.Operation,
) (context.Context, func(core.Outcome)) {
	if op.Kind == core.OperationRead || op.Kind == core.OperationTransaction {
		s.n.Add(1)
	}
	return ctx, func(core.Outcome) {}
}

// A program may have many platforms that nobody uses for days.
func TestRun_IdleCostsHardlyAStatement(t *testing.T) {
	file := "sqlite:" + filepath.Join(t.TempDir(), "learning.db")
	synctest.Test(t, func(t *testing.T) {
		var seen statements
		st, err := sqlite.Open(t.Context(), file, store.WithObserver(&seen))
		roomtest.Must(t, err)
		defer st.Close()
		roomtest.Must(t, st.Migrate(t.Context()))
		platform, err := learning.New(st, learning.WithEvents("books", &roomtest.Receiver{}))
		roomtest.Must(t, err)

		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() { platform.Run(ctx) })
		time.Sleep(10 * time.Minute) // the start
		before := seen.n.Load()
		const hour = time.Hour
		time.Sleep(hour)
		if n, most := seen.n.Load()-before, int64(hour/(4*time.Second)); n > most || n == 0 {
			t.Errorf("%d statements in an hour, want at most %d", n, most)
		} else {
			t.Log(n)
		}
		stop()
		running.Wait()
	})
}
