// Package migrations runs goose and golang-migrate on the files of store.Migrations, on each
// engine, and checks that the store accepts and uses the tables that they make.
package migrations
