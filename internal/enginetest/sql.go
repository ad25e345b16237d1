package enginetest

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // the driver of the files
)

// OpenSQL opens the database of a URL of an [Engine] with the driver alone, for statements of tests
// that do not concern the code under test. Placeholders are ? on every engine.
func OpenSQL(rawURL string) (*sql.DB, error) {
	if file, isFile := strings.CutPrefix(rawURL, "sqlite:"); isFile {
		return sql.Open("sqlite", file+"?_pragma=busy_timeout(5000)")
	}
	u, err := url.Parse(rawURL)
	if err != nil {
		return nil, err
	}
	switch u.Scheme {
	case "mysql":
		config := mysql.NewConfig()
		config.User, config.Net = u.User.Username(), "tcp"
		config.Passwd, _ = u.User.Password()
		config.Addr, config.DBName = u.Host, path.Base(u.Path)
		config.Logger = &mysql.NopLogger{} // a server that a test ends is not an error
		connector, err := mysql.NewConnector(config)
		if err != nil {
			return nil, err
		}
		return sql.OpenDB(connector), nil
	case "postgres":
		config, err := pgx.ParseConfig(rawURL)
		if err != nil {
			return nil, err
		}
		return sql.OpenDB(postgresConnector{stdlib.GetConnector(*config)}), nil
	}
	return nil, fmt.Errorf("%s is no URL of an engine", rawURL)
}

// postgresConnector opens connections to PostgreSQL that take ? as a placeholder, and a bool for a
// column with a number.
type postgresConnector struct{ driver.Connector }

// Connect implements [driver.Connector].
func (c postgresConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return postgresConn{conn.(*stdlib.Conn)}, nil
}

type postgresConn struct{ *stdlib.Conn }

// QueryContext implements [driver.QueryerContext].
func (c postgresConn) QueryContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Rows, error) {
	return c.Conn.QueryContext(ctx, sqlx.Rebind(sqlx.DOLLAR, query), numbers(args))
}

// ExecContext implements [driver.ExecerContext].
func (c postgresConn) ExecContext(
	ctx context.Context, query string, args []driver.NamedValue,
) (driver.Result, error) {
	return c.Conn.ExecContext(ctx, sqlx.Rebind(sqlx.DOLLAR, query), numbers(args))
}

// numbers replaces each bool of args by 1 or 0.
func numbers(args []driver.NamedValue) []driver.NamedValue {
	for i := range args {
		switch args[i].Value {
		case true:
			args[i].Value = 1
		case false:
			args[i].Value = 0
		}
	}
	return args
}
