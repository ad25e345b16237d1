// Package store keeps the data of a learning platform in SQLite or in a database
// that speaks MySQL's protocol (MySQL, MariaDB, Galera, TiDB, Vitess): it is a
// [learning.Store].
//
//	st, err := store.Open(ctx, "sqlite:learning.db")
//	err = st.Migrate(ctx)
//	platform, err := learning.New(st)
//
// It owns the tables, the SQL and what a transaction means. It refuses rules:
// each method is one statement, and what to do about its outcome is decided in
// package learning. It also refuses a connection pool that somebody else opened:
// the statements rely on how the connections are set up (found rows are counted,
// times are UTC, text is compared byte by byte), and a pool that is set up
// otherwise would not fail, but answer wrongly.
//
// # One SQL text
//
// Every statement is written once and runs unchanged on both engines; a small
// struct, dialect, holds what differs. So ids are made by the caller, there are no
// foreign keys, no generated keys, no locking reads and no upserts. Who won a race
// is decided by the affected rows of an UPDATE that names the state it starts from,
// or by the duplicate key of a plain INSERT.
//
// # Ids
//
// Ids are compared byte by byte. MySQL ignores blanks at the end of text when it
// compares, so an id that ends with one is never found and cannot be stored, on
// either engine; the same holds for one that is not valid UTF-8.
//
// # When a COMMIT goes unanswered
//
// If the connection is lost while COMMIT is under way, nobody knows whether the
// transaction took effect: InTx then returns [ErrUnknownOutcome]. A caller reads
// back what it meant to write, by its id, or does the same again where that is
// harmless, as it is for every transition that names the state it starts from.
package store
