// Package enginetest lends database servers to tests: MariaDB and genuine MySQL, each on a free port of 127.0.0.1
// with its data in a temporary folder, started when the first test asks for it.
//
// A test gets an empty database of its own with MariaDB or MySQL; all tests of a process share one server an engine.
// A test that must stop or kill its server asks for one of its own with StartMariaDB. The package refuses to lend
// anything to tests that do not go through Main, for nobody would stop the server then.
//
// An engine that is not installed skips the test, in words that say what was left out, unless the environment
// variable LEARNING_TEST_REQUIRE lists it ("mariadb", "mysql", comma separated): then the test fails. Need does the same
// for whatever else a test cannot do without.
//
// The servers keep their default durability (each commit is flushed to the disk), because a test that passes on a
// weaker server proves less, and because they are fast enough as they are: on two cores MariaDB serves 0.7 s after
// it was asked for, MySQL 4 s. Only caches are smaller than usual, and MySQL goes without its performance schema,
// which halves its memory to 290 MB. Databases keep the server's default character set, so that a schema which
// forgets to name its own is found out.
package enginetest
