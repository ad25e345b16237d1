package store

import "database/sql"

// PoolStats returns the statistics of the connections by pool: "reading", "anonymous" and "urgent"
// for the classes of reads outside transactions (see [learning.ReadClass]), and "writing" for
// transactions.
func (s *Store) PoolStats() map[string]sql.DBStats {
	return map[string]sql.DBStats{
		"reading":   s.pool.db.Stats(),
		"anonymous": s.anonymous.db.Stats(),
		"urgent":    s.urgent.db.Stats(),
		"writing":   s.writer.Stats(),
	}
}
