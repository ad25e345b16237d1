package store

import "database/sql"

// PoolStats returns the statistics of the connections for reads outside transactions, and of
// those for transactions.
func (s *Store) PoolStats() (reading, writing sql.DBStats) {
	return s.pool.db.Stats(), s.writer.Stats()
}

// HostMoves returns how often the store has moved from a host of its database that was lost to the
// next one. It is 0 with one host and on SQLite. It is safe for concurrent use.
func (s *Store) HostMoves() uint64 {
	if s.hosts == nil || len(s.hosts.all) == 1 {
		return 0
	}
	return s.hosts.moves.Load()
}
