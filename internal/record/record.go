// Package record has the errors of a store that machinery and nouns must tell apart.
package record

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/openlectern/openlectern/internal/backoff"
)

var (
	// ErrNone means that the row does not exist.
	ErrNone = errors.New("learning: no such record")
	// ErrDuplicate means that a row with the same key exists. The transaction has failed.
	ErrDuplicate = errors.New("learning: record exists already")
)

// RetryDuplicate calls do, and again if it returns [ErrDuplicate], at most 24 times, or until ctx
// is done. It returns the error of the last call. ErrDuplicate means that a concurrent transaction
// inserted a row that do found missing; the next call reads that row. do must begin a new
// transaction at each call, because the last one has failed.
//
// From the third call on it waits before a call, for a random time that grows to 50 ms: many
// callers that lose a race together would lose the next one together too.
func RetryDuplicate(ctx context.Context, do func() error) (err error) {
	const (
		tries        = 24
		withoutPause = 2
		firstPause   = time.Millisecond
		longestPause = 50 * time.Millisecond
	)
	pause := firstPause
	for try := range tries {
		if try >= withoutPause {
			if backoff.Sleep(ctx, rand.N(pause)) != nil {
				break
			}
			pause = min(2*pause, longestPause)
		}
		if err = do(); !errors.Is(err, ErrDuplicate) {
			break
		}
	}
	return err
}
