package mysql

import (
	"context"
	"database/sql/driver"
	"fmt"
	"testing"

	"github.com/go-sql-driver/mysql"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

func TestFailure_Codes(t *testing.T) {
	for _, e := range []struct {
		err  error
		want sqldriver.Failure
	}{
		{&mysql.MySQLError{Number: 1213}, sqldriver.Conflict},
		{&mysql.MySQLError{Number: 1205}, sqldriver.LockTimeout},
		{&mysql.MySQLError{Number: 1020}, sqldriver.Conflict},
		// The outcome of a COMMIT is unknown: see below.
		{&mysql.MySQLError{Number: 3101}, sqldriver.Other},
		{&mysql.MySQLError{Number: 9007}, sqldriver.Conflict},
		{&mysql.MySQLError{Number: 8002}, sqldriver.Conflict},
		{&mysql.MySQLError{Number: 8022}, sqldriver.Conflict},
		{&mysql.MySQLError{Number: 1105, SQLState: [5]byte([]byte("40001"))}, sqldriver.Conflict},
		{&mysql.MySQLError{Number: 1062, SQLState: [5]byte([]byte("23000"))}, sqldriver.Duplicate},
		{&mysql.MySQLError{Number: 1060}, sqldriver.AlreadyApplied},
		{&mysql.MySQLError{Number: 1146}, sqldriver.MissingTable},
		{&mysql.MySQLError{Number: 1064}, sqldriver.Other},
		{fmt.Errorf("insert: %w", &mysql.MySQLError{Number: 1062}), sqldriver.Duplicate},
		{mysql.ErrInvalidConn, sqldriver.ConnectionLost},
		{driver.ErrBadConn, sqldriver.ConnectionLost},
		{context.Canceled, sqldriver.Foreign},
		{nil, sqldriver.Foreign},
	} {
		if got := (Driver{}).Failure(e.err); got != e.want {
			t.Errorf("%v: %d, want %d", e.err, got, e.want)
		}
	}
}

// A server that leaves a group of MySQL servers refuses statements. A COMMIT that it does not
// answer with a success may be applied by the others.
func TestFailure_GroupCodes_AreNoCertainRollback(t *testing.T) {
	for _, number := range []uint16{1290, 1836, 3032, 3100, 3796, 3797, 3798, 3799} {
		if got := (Driver{}).Failure(&mysql.MySQLError{Number: number}); got != sqldriver.ConnectionLost {
			t.Errorf("%d does not count as a lost connection", number)
		}
	}
	for _, number := range []uint16{3100, 3101} {
		if (Driver{}).Failure(&mysql.MySQLError{Number: number}).IsRetryable() {
			t.Errorf("the outcome of a COMMIT that fails with %d counts as known", number)
		}
	}
}
