// Package sqlrules checks that the statements of the store are SQL for TiDB and Vitess too, which
// the tests cannot run. It parses each statement with the parser of TiDB and looks for what one of
// them refuses or does differently.
//
// The rules are from these pages:
//
//   - TiDB: https://docs.pingcap.com/tidb/stable/mysql-compatibility, /tidb-limitations,
//     /sql-statement-alter-table and /error-codes (which of them a transaction runs again for is in
//     the package store);
//   - Vitess: https://vitess.io/docs/archive/21.0/reference/compatibility/mysql-compatibility/. The
//     statements are for an unsharded keyspace, whose statements run on one MySQL. They avoid what
//     a sharded one refuses where that costs nothing.
package sqlrules
