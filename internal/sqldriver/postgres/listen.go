package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// Listen implements [sqldriver.Driver].
func (Driver) Listen(
	ctx context.Context, conn *sql.Conn, channel string, listening func(), heard func(string),
) error {
	var failed error
	err := conn.Raw(func(driverConn any) error {
		if preparing, ok := driverConn.(preparingConn); ok {
			driverConn = preparing.Conn
		}
		c, ok := driverConn.(*stdlib.Conn)
		if !ok { // of a driver that wraps this one
			failed = sqldriver.ErrNoListener
			return nil
		}
		failed = listen(ctx, c.Conn(), channel, listening, heard)
		return driver.ErrBadConn // closes the connection, which still listens
	})
	if failed == nil && !errors.Is(err, driver.ErrBadConn) {
		failed = err // the connection was closed before
	}
	return failed
}

func listen(
	ctx context.Context, conn *pgx.Conn, channel string, listening func(), heard func(string),
) error {
	// A pooler gives each transaction another connection to the server, so that what is sent to one
	// that listens comes to other clients, which keep it. A pooler has process ids of its own.
	var pid uint32
	if err := conn.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
		return err
	}
	if pid != conn.PgConn().PID() {
		return sqldriver.ErrNoListener
	}

	if _, err := conn.Exec(ctx, "LISTEN "+pgx.Identifier{channel}.Sanitize()); err != nil {
		return err
	}
	listening()
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return err
		}
		heard(n.Payload)
	}
}
