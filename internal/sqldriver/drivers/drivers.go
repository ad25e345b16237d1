// Package drivers chooses the driver of an engine. A program that imports it compiles the drivers
// of all engines.
package drivers

import (
	"errors"

	"github.com/openlectern/openlectern/internal/sqldriver"
	"github.com/openlectern/openlectern/internal/sqldriver/mysql"
	"github.com/openlectern/openlectern/internal/sqldriver/postgres"
	"github.com/openlectern/openlectern/internal/sqldriver/sqlite"
)

var errURL = errors.New(`the URL must be "sqlite:path/to.db", ` +
	`"mysql://user:password@host:3306/name" or "postgres://user:password@host:5432/name"`)

// ForURL returns the driver for the database of a URL. It looks at the scheme only.
func ForURL(url string) (sqldriver.Driver, error) {
	switch sqldriver.Scheme(url) {
	case "sqlite":
		return sqlite.Driver{}, nil
	case "mysql":
		return mysql.Driver{}, nil
	case "postgres", "postgresql":
		return postgres.Driver{}, nil
	}
	return nil, errURL
}

// For returns the driver of an engine.
func For(engine sqldriver.Engine) (sqldriver.Driver, error) {
	switch engine {
	case sqldriver.SQLite:
		return sqlite.Driver{}, nil
	case sqldriver.MySQL:
		return mysql.Driver{}, nil
	case sqldriver.PostgreSQL:
		return postgres.Driver{}, nil
	}
	return nil, sqldriver.ErrEngine(engine)
}
