// Package enginetest provides database servers for tests: MariaDB and genuine MySQL, each on a free
// port of 127.0.0.1 with its data in a temporary folder, started for the first test that needs it.
//
// A test gets an empty database of its own with MariaDB or MySQL; all tests of a process share one
// server for each engine. A test that needs the tables of the store and changes none gets a
// database of an earlier test without its rows with Engine.Reused, because creating and dropping
// the tables takes longer than most tests. A test that must stop or kill its server asks for one of
// its own with StartMariaDB.
//
// Cluster is a Galera cluster with three nodes, which all tests of a process share too; Galera
// returns the URLs of a database at each node, and StartGalera starts a cluster that its test may
// break ("galera"). It is ready after 12 s. For one test, StartGroupReplication starts three MySQL
// servers that form a group ("group-replication"), and StartPair a PostgreSQL with a synchronous
// standby ("standby").
//
// Tests fail if their TestMain does not call Main, because Main stops the servers.
//
// A plain go test is the same on every machine: it uses SQLite, whatever is installed. A test on
// another engine runs if the environment variable LEARNING_TEST_REQUIRE lists the engine
// ("mariadb", "mysql", comma separated), and then fails if it is not installed. Need does the same
// for other things that a test needs. A test on what LEARNING_TEST_LEAVE_OUT lists is skipped, even
// if it is required.
//
// The servers keep their default durability (each commit is flushed), because a test that passes on
// a weaker server proves less. They are fast because their data is in memory: with TMPDIR on a
// disk, creating the tables of a test takes a second, and without 0.1 s. MariaDB is ready after 0.7
// s, MySQL after 4 s. Only caches are smaller than usual, and MySQL runs without its binary log and
// without its performance schema, which halves its memory to 290 MB. Databases keep the server's
// default character set, so that tests fail for a schema that does not set its own.
package enginetest
