package postgres

import (
	"context"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

func TestFailure_Codes(t *testing.T) {
	for _, e := range []struct {
		err  error
		want sqldriver.Failure
	}{
		{&pgconn.PgError{Code: "40001"}, sqldriver.Conflict},
		{&pgconn.PgError{Code: "40P01"}, sqldriver.Conflict},
		{&pgconn.PgError{Code: "55P03"}, sqldriver.LockTimeout},
		{&pgconn.PgError{Code: "23505"}, sqldriver.Duplicate},
		{fmt.Errorf("insert: %w", &pgconn.PgError{Code: "23505"}), sqldriver.Duplicate},
		{&pgconn.PgError{Code: "42P01"}, sqldriver.MissingTable},
		{&pgconn.PgError{Code: "57014"}, sqldriver.Other}, // cancelled
		{&pgconn.PgError{Code: "57P01"}, sqldriver.ConnectionLost},
		{&pgconn.PgError{Code: "25006"}, sqldriver.ConnectionLost},
		{&pgconn.PgError{Code: "08006"}, sqldriver.ConnectionLost},
		{&pgconn.PgError{Code: "0A000", Routine: "RevalidateCachedQuery"}, sqldriver.ConnectionLost},
		{&pgconn.PgError{Code: "0A000"}, sqldriver.Other},
		{&net.OpError{Op: "read", Err: io.EOF}, sqldriver.ConnectionLost},
		{&net.OpError{Op: "dial", Err: io.EOF}, sqldriver.Foreign},
		{io.ErrUnexpectedEOF, sqldriver.ConnectionLost},
		{context.Canceled, sqldriver.Foreign},
		{nil, sqldriver.Foreign},
	} {
		if got := (Driver{}).Failure(e.err); got != e.want {
			t.Errorf("%v: %d, want %d", e.err, got, e.want)
		}
	}
}
