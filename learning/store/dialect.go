package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// dialect is what differs between the engines. It is this short because the SQL
// is the same.
type dialect struct {
	driver       string                    // name of the driver, for sqlx
	begin        string                    // opens a transaction that may write
	patience     time.Duration             // how long to wait for other processes
	endTime      time.Duration             // for the answer to COMMIT or ROLLBACK; 0 for any
	undoesDDL    bool                      // whether ROLLBACK undoes changes of tables
	inOrder      func(index string) string // makes a long list come in the order of an index, not after a sort
	comparesRows bool                      // reads an index from (a, b) > (?, ?) on
	table        string                    // what follows the columns of a new table
	migrations   fs.FS

	duplicate func(error) bool // a unique key was violated
	retry     func(error) bool // lost against another transaction, which would be over now
	blocked   func(error) bool // waited in vain for a row that another transaction has locked
	lost      func(error) bool // the connection broke
	applied   func(error) bool // of a migration: it was applied before, and not recorded
	unknown   func(error) bool // of COMMIT: it may have taken effect all the same
}

// fail says what was being done when a statement failed, in the words of package
// learning where it has some. The text of a violated key is left out: on MySQL it
// quotes the row.
func (d *dialect) fail(ctx context.Context, doing string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		err = learning.ErrNoRecord
	case d.duplicate(err):
		err = learning.ErrDuplicate
	case ctx.Err() != nil:
		err = ended(ctx)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// patiently does something again while another process has the database to itself.
// SQLite could wait by itself, but would not notice that ctx is done, and does not
// wait where it sees a deadlock, such as when several processes make a new file.
func (d *dialect) patiently(ctx context.Context, do func() error) error {
	const poll = 20 * time.Millisecond // at most
	for until := time.Now().Add(d.patience); ; {
		err := do()
		if err == nil || d.patience == 0 || !d.retry(err) || time.Now().After(until) || !pause(ctx, poll) {
			return err
		}
	}
}

func noRecord(doing string) error { return fmt.Errorf("%s: %w", doing, learning.ErrNoRecord) }
