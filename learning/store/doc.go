// Package store stores the data of a learning platform in SQLite or in a database with
// the protocol of MySQL (MySQL, MariaDB, Galera, TiDB, Vitess). [Store] implements
// [learning.Store].
//
//	st, err := store.Open(ctx, "sqlite:learning.db")
//	err = st.Migrate(ctx)
//	platform, err := learning.New(st)
//
// The package contains the tables, the SQL and the transactions, and no rules: each method
// is one statement, and package learning decides what to do with the result. The store
// opens its own connection pools. A host cannot pass a pool, because the statements rely
// on the settings of the connections (matched rows are counted, times are in UTC, text is
// compared byte by byte), and with other settings they would return wrong results.
//
// # One SQL text
//
// Every statement is written once and runs unchanged on all engines. The struct dialect
// contains the differences. Therefore the caller makes the ids, and there are no foreign
// keys, generated keys, locking reads or upserts. A race is decided by the matched rows of
// an UPDATE whose WHERE clause names the state that it changes, or by the duplicate key of
// a plain INSERT.
//
// # Ids
//
// Ids are compared byte by byte. MySQL ignores spaces at the end of text when it compares.
// Therefore an id that ends with a space is invalid on every engine: it is never found, and
// storing it is an error. The same holds for an id that is not valid UTF-8.
//
// # COMMIT without an answer
//
// If the connection to a server is lost after COMMIT was sent, the transaction may have
// taken effect. Therefore a transaction that changes rows inserts a marker before COMMIT: a
// row of learning_commits with a new id. To find out the outcome of the transaction, InTx
// inserts the same marker in a new transaction. A duplicate key means that the first one was
// committed, and a success that it was rolled back, and that it cannot be committed later.
// While the server is still committing, the INSERT waits for the lock of the first marker.
// InTx then runs the functions of AfterCommit, or runs the transaction again.
//
// A transaction that declares itself repeatable has no marker: it runs again in both cases.
// SQLite answers every COMMIT, because it is a call in the same process, so there are no
// markers on SQLite. Markers are removed after an hour, by one in a thousand transactions.
//
// On MariaDB a marker adds a tenth to the transaction of a paid purchase, and almost a half
// to that of a completed lecture, which is a single INSERT (BenchmarkMarker). Therefore
// these frequent transactions are repeatable.
package store
