package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

// A program opens its database and applies the migrations before it serves.
func ExampleOpen() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// On MySQL: mysql://user:password@host:3306/name
	st, err := sqlite.Open(context.Background(), "sqlite:"+filepath.Join(dir, "learning.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer st.Close()
	if err := st.Migrate(context.Background()); err != nil {
		log.Fatal(err)
	}
	platform, err := learning.New(st)
	if err != nil {
		log.Fatal(err)
	}
	page, err := platform.Catalog.Catalogue(
		context.Background(), catalog.CourseQuery{}, learning.PageRequest{Limit: 20})
	fmt.Println(len(page.Rows), "courses", err)
	// Output: 0 courses <nil>
}

// A host has a database with tables of its own, and a pool of connections to it. The tables of the
// platform are in the same database, and their names begin with a prefix.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// On PostgreSQL: sql.Open("pgx", "postgres://user:password@host:5432/name"). On MySQL:
	// sql.Open("mysql", "user:password@tcp(host:3306)/name?parseTime=true&loc=UTC"+
	//	"&clientFoundRows=true&time_zone=%27%2B00:00%27&innodb_lock_wait_timeout=1")
	db, err := sql.Open("sqlite", "file:"+filepath.Join(dir, "host.db")+
		"?_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE users (login TEXT, password_hash TEXT)"); err != nil {
		log.Fatal(err)
	}

	st, err := sqlite.New(db, store.WithPrefix("lectern_"))
	if err != nil {
		log.Fatal(err)
	}
	if err := st.Migrate(context.Background()); err != nil {
		log.Fatal(err)
	}
	platform, err := learning.New(st)
	if err != nil {
		log.Fatal(err)
	}
	page, err := platform.Catalog.Catalogue(
		context.Background(), catalog.CourseQuery{}, learning.PageRequest{Limit: 20})
	fmt.Println(len(page.Rows), "courses", err)

	// The tables of the platform are beside that of the host.
	var tables int
	err = db.QueryRow("SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('users', " +
		"'lectern_users', 'lectern_courses')").Scan(&tables)
	fmt.Println(tables, "tables", err)
	// Output:
	// 0 courses <nil>
	// 3 tables <nil>
}

// A host whose own tool makes all tables writes the migrations into its repository, or gives them
// to the tool as they are.
func ExampleMigrations() {
	files, err := store.Migrations(store.PostgreSQL, "lectern_")
	if err != nil {
		log.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	// goose -dir DIR -table lectern_versions postgres "$URL" up
	if err := os.CopyFS(dir, files); err != nil {
		log.Fatal(err)
	}
	written, err := os.ReadDir(dir)
	fmt.Println(written[0].Name(), err)
	// Output: 0001_schema.up.sql <nil>
}
