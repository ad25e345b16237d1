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

// HostMoves returns how often the store has moved from a host of its database that was lost to the
// next one. It is 0 with one host and on SQLite. It is safe for concurrent use.
func (s *Store) HostMoves() uint64 {
	if s.hosts == nil || len(s.hosts.all) == 1 {
		return 0
	}
	return s.hosts.moves.Load()
}
