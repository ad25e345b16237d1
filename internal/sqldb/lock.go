package sqldb

import (
	"context"
	"fmt"

	"github.com/google/uuid"
)

// Lock locks the row of a kind with an id, by an UPDATE that matches it and may leave its values as
// they are. It reports whether there is such a row.
//
// The nodes of a Galera cluster do not lock rows for each other: of two transactions that have
// changed one row, the second fails at COMMIT, but an UPDATE that leaves the values as they are is
// no change. On a cluster, Lock therefore inserts a row that is the same for all transactions with
// this lock, and deletes it again.
func (t *Tx) Lock(ctx context.Context, kind, id, update string) (bool, error) {
	action := "lock a " + kind
	found, err := t.Update(ctx, action, update, Key(id))
	if err != nil || !found || !t.clustered {
		return found, err
	}

	// Change a row that all transactions with this lock change. Its id is a hash, so that they
	// have the same one.
	lockID := uuid.NewSHA1(uuid.Nil, []byte(kind+" "+id)).String()
	const fenced = true // unlike the marker of a transaction
	if err := t.insertMarker(ctx, lockID, fenced); err != nil {
		return false, err
	}
	_, err = t.Exec(ctx, action, `DELETE FROM learning_commits WHERE id = ?`, lockID)
	return true, err
}

// findNodes sets db.clustered if the server is a node of a Galera cluster.
func (db *DB) findNodes(ctx context.Context) error {
	if db.dialect.clusterQuery == "" { // SQLite
		return nil
	}
	err := db.pool.DB.GetContext(ctx, &db.clustered, db.dialect.clusterQuery)
	// A server without the variable of the query, such as MySQL, cannot be such a node.
	if mysqlError(err).Number == mysqlUnknownVariable {
		return nil
	}
	if err != nil {
		return fmt.Errorf("find out whether the server is a node of a cluster: %w", err)
	}
	return nil
}
