// Package record has the errors of a store that machinery and nouns must tell apart.
package record

import "errors"

var (
	// ErrNone means that the row does not exist.
	ErrNone = errors.New("learning: no such record")
	// ErrDuplicate means that a row with the same key exists. The transaction has failed.
	ErrDuplicate = errors.New("learning: record exists already")
)

// RetryDuplicate calls do, and again if it returns [ErrDuplicate], at most five times. It returns
// the error of the last call. ErrDuplicate means that a concurrent transaction inserted a row that
// do found missing; the next call reads that row. do must begin a new transaction at each call,
// because the last one has failed.
func RetryDuplicate(do func() error) (err error) {
	const tries = 5
	for range tries {
		if err = do(); !errors.Is(err, ErrDuplicate) {
			break
		}
	}
	return err
}
