// Package store stores the data of a learning platform in SQLite, in PostgreSQL, or in a database
// with the protocol of MySQL (MySQL, MariaDB, Galera, TiDB, Vitess). [Store] implements
// [learning.Store].
//
//	st, err := postgres.Open(ctx, "postgres://user:password@host:5432/name")
//	err = st.Migrate(ctx)
//	platform, err := learning.New(st)
//
// The package contains the tables, the SQL and the transactions, and no rules: each method
// is one statement, and package learning decides what to do with the result.
//
// # Engines
//
// Each engine has a package with its driver: sqlite, mysql and postgres, in folders of this one. A
// program compiles the drivers of the packages that it imports, and this package has none. Package
// engines has all of them, for a program whose engine is a setting. Each has Open, which opens
// pools of connections for a URL, and New, which uses a pool of the host; it checks the settings on
// which the statements rely (matched rows are counted, times are in UTC), because with others they
// would return wrong results.
//
// # Names of tables
//
// The tables are called users, purchases and so on. [WithPrefix] begins the name of each table,
// index and constraint with a prefix, and [WithSchema] puts them into a schema of PostgreSQL, so
// that they can be beside tables of a host. Programs with different prefixes in one database do not
// wait for each other's locks.
//
// # One SQL text
//
// Every statement is written once, for all engines. The struct Dialect of internal/sqldb contains
// the differences, such as the end of an INSERT that adds to the row of its key or leaves it as it
// is. Therefore the caller makes the ids, and there are no foreign keys, generated keys or locking
// reads. A race is decided by the matched rows of an UPDATE whose WHERE clause names the state that
// it changes, or by an INSERT that finds its key in the table.
//
// # Ids
//
// Ids are compared byte by byte. MySQL ignores spaces at the end of text when it compares.
// Therefore an id that ends with a space is invalid on every engine: it is never found, and
// storing it is an error. The same holds for an id that is not valid UTF-8, or has U+0000. Storing
// another text with U+0000 is an error on every engine, because PostgreSQL cannot.
package store
