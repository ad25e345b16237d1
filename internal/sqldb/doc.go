// Package sqldb runs the SQL of a program on SQLite, PostgreSQL and servers with the protocol of
// MySQL: pools of connections, transactions that run again after a conflict, time-outs, migrations,
// and the differences between the engines. It knows no table of the program but its own:
// learning_migrations, learning_migration_lease and learning_commits. The migrations of the program
// create the last one.
//
// A [DB] has one pool for transactions and one for each [Class] of reads outside transactions, so
// that transactions that wait for row locks do not stop the reads. A [Querier] runs statements that
// read, outside a transaction ([DB.Reads]) or inside one ([Tx]).
//
// # COMMIT without an answer
//
// If the connection to a server is lost after COMMIT was sent, the transaction may have
// taken effect. Therefore a transaction that changes rows inserts a marker before COMMIT: a
// row of learning_commits with a new id. To find out the outcome of the transaction, InTx
// inserts the same marker in a new transaction. A duplicate key means that the first one was
// committed, and a success that it was rolled back, and that it cannot be committed later. Another
// COMMIT then confirms that a synchronous standby has the marker.
// While the server is still committing, the INSERT waits for the lock of the first marker.
// InTx then runs the functions of AfterCommit, or runs the transaction again.
//
// A transaction that declares itself repeatable has no marker: it runs again in both cases. One in
// which statements of the host have run is not repeatable: see [Tx.WithHost].
// SQLite answers every COMMIT, because it is a call in the same process, so there are no
// markers on SQLite. Markers are removed after an hour, by one in a thousand transactions.
//
// On MariaDB a marker adds a tenth to the transaction of a paid purchase, and almost a half
// to that of a completed lecture, which is a single INSERT (BenchmarkMarker). Therefore
// these frequent transactions are repeatable.
package sqldb
