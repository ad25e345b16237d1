package store

import "database/sql"

// PoolStats returns the statistics of the connections for reads outside transactions, and of
// those for transactions.
func (s *Store) PoolStats() (reading, writing sql.DBStats) {
	return s.pool.db.Stats(), s.writer.Stats()
}
