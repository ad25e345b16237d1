// Package engines opens a [store.Store] on the engine that a URL names. It is for programs whose
// engine is a setting: a program that imports it compiles the drivers of all engines. One that
// knows its engine imports package sqlite, mysql or postgres instead.
package engines

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/openlectern/openlectern/internal/sqldriver/drivers"
	"github.com/openlectern/openlectern/learning/store"
)

// Open opens the database of a URL. Open of package sqlite, mysql and postgres have the parameters
// of their URLs.
//
//	sqlite:learning.db                        a file with a relative or absolute path
//	mysql://user:password@host:3306/name      MySQL or a compatible server
//	postgres://user:password@host:5432/name   PostgreSQL, from version 14 on
func Open(ctx context.Context, url string, opts ...store.Option) (*store.Store, error) {
	driver, err := drivers.ForURL(url)
	if err != nil {
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return store.Open(ctx, driver, url, opts...)
}

// New returns a store on a pool of the host: see New of package sqlite, mysql and postgres.
func New(db *sql.DB, engine store.Engine, opts ...store.Option) (*store.Store, error) {
	driver, err := drivers.For(engine)
	if err != nil {
		return nil, fmt.Errorf("use the database of the host: %w", err)
	}
	return store.New(db, driver, opts...)
}

// CheckURL returns the error of a URL that [Open] does not understand, or of a SQLite file whose
// folder does not exist. It connects to no database and creates no file.
func CheckURL(url string) error {
	driver, err := drivers.ForURL(url)
	if err != nil {
		return err
	}
	return driver.CheckURL(url)
}
