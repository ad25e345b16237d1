package sqldb

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// Lock locks a row until the transaction ends. update is an UPDATE with id as its only argument; it
// may leave the values of the row as they are. kind, such as "course", names the row in errors, and
// makes the locks of two rows of different tables with one id differ. Lock reports whether there is
// such a row.
//
// The nodes of a Galera cluster do not lock rows for each other: of two transactions that have
// changed one row, the second fails at COMMIT, but an UPDATE that leaves the values as they are is
// no change. On a cluster, Lock therefore inserts a row that is the same for all transactions with
// this lock, and deletes it again. The row is in learning_commits, the table of the markers.
//
// On a server the transactions of this process that lock one row wait for each other before they
// ask the server ([lockQueues]).
//
// On PostgreSQL an UPDATE that finds no row locks nothing. Lock then calls LockPlace, and looks for
// the row again.
func (t *Tx) Lock(ctx context.Context, kind, id, update string) (bool, error) {
	action := "lock a " + kind
	t.awaitTurn(ctx, kind+" "+id)
	found, err := t.Update(ctx, action, update, Key(id))
	if err == nil && !found && t.dialect.lockPlace != "" {
		if err := t.LockPlace(ctx, kind, id); err != nil {
			return false, err
		}
		found, err = t.Update(ctx, action, update, Key(id))
	}
	if err != nil || !found || !t.clustered {
		return found, err
	}

	// Change a row that all transactions with this lock change. Its id is a hash, so that they
	// have the same one. A fenced row says nothing about the outcome of a transaction.
	lockID := uuid.NewSHA1(uuid.Nil, []byte(kind+" "+id)).String()
	const fenced = true
	if err := t.insertMarker(ctx, lockID, fenced); err != nil {
		return false, err
	}
	_, err = t.Exec(ctx, action, `DELETE FROM {learning_commits} WHERE id = ?`, lockID)
	return true, err
}

// LockPlace locks the place of a row that does not exist until the transaction ends: other
// transactions with this lock wait. What inserts rows of a kind whose missing rows are locked must
// call it before. It does nothing on engines where a statement that finds no row locks its place.
func (t *Tx) LockPlace(ctx context.Context, kind, id string) error {
	if t.dialect.lockPlace == "" || !Key(id).isValid() { // an invalid id never has a row
		return nil
	}
	var void string // the query has no value
	return t.Get(ctx, "lock the place of a "+kind, &void, t.dialect.lockPlace, kind+" "+id)
}

// findNodes sets db.clustered if the server is a node of a Galera cluster.
func (db *DB) findNodes(ctx context.Context) error {
	if db.dialect.clusterQuery == "" { // SQLite
		return nil
	}
	err := db.pool.DB.GetContext(ctx, &db.clustered, db.dialect.clusterQuery)
	// A server without the variable of the query, such as MySQL, cannot be such a node.
	if db.dialect.failure(err) == sqldriver.UnknownVariable {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find out whether the server is a node of a cluster: %w", err)
	}
	return nil
}
