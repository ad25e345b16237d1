package sqldb

import "database/sql"

// Stats returns the statistics of the connections by pool: "reading", "anonymous" and "urgent"
// for the classes of reads outside transactions (see [Class]), and "writing" for
// transactions. A pool of the host is "host".
func (db *DB) Stats() map[string]sql.DBStats {
	if db.host != nil {
		return map[string]sql.DBStats{"host": db.host.Stats()}
	}
	return map[string]sql.DBStats{
		"reading":   db.pool.DB.Stats(),
		"anonymous": db.anonymous.DB.Stats(),
		"urgent":    db.urgent.DB.Stats(),
		"writing":   db.writer.Stats(),
	}
}
