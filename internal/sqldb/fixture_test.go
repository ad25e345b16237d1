package sqldb

import (
	"context"
	"errors"
	"testing"
	"testing/fstest"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/sqldriver"
	"github.com/openlectern/openlectern/internal/sqldriver/drivers"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// testErrors are the errors of the databases of these tests.
var testErrors = func() Errors {
	busy := errors.New("busy")
	return Errors{
		NoRow:          errors.New("no row"),
		Duplicate:      errors.New("duplicate"),
		Busy:           busy,
		Timeout:        NewTimeout("timeout", busy),
		UnknownOutcome: errors.New("unknown outcome"),
	}
}()

// testTables are the tables of these tests: courses, whose students a transaction counts, users,
// roles and markers.
const testTables = `
CREATE TABLE {courses} (
	id VARCHAR(64) NOT NULL,
	students BIGINT NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE {users} (
	id VARCHAR(64) NOT NULL,
	name VARCHAR(64) NOT NULL,
	PRIMARY KEY (id)
);
CREATE TABLE {roles} (
	user_id VARCHAR(64) NOT NULL,
	role VARCHAR(64) NOT NULL,
	decided_at VARCHAR(64) NOT NULL,
	PRIMARY KEY (user_id)
);
CREATE TABLE {learning_commits} (
	id VARCHAR(36) NOT NULL,
	fenced BIGINT NOT NULL,
	PRIMARY KEY (id)
);
`

func testMigrations() fstest.MapFS {
	return fstest.MapFS{"0001_schema.sql": {Data: []byte(testTables)}}
}

type option func(*Config)

func WithConns(n int) option        { return func(c *Config) { c.Conns = n } }
func WithWritingConns(n int) option { return func(c *Config) { c.WritingConns = n } }

func WithDeadlines(read, tx time.Duration) option {
	return func(c *Config) { c.ReadTimeout, c.TxTimeout = read, tx }
}

func openDB(ctx context.Context, url string, opts ...option) (*DB, error) {
	driver, err := drivers.ForURL(url)
	if err != nil {
		return nil, err
	}
	return Open(ctx, url, driver, testConfig(opts...))
}

func testConfig(opts ...option) Config {
	c := Config{
		Class:      func(context.Context) Class { return Ordinary },
		Errors:     testErrors,
		Migrations: testMigrations(),
		Uncached:   "search_words",
	}
	for _, opt := range opts {
		opt(&c)
	}
	return c
}

// driverOf returns the driver of a URL.
func driverOf(tb testing.TB, url string) sqldriver.Driver {
	tb.Helper()
	driver, err := drivers.ForURL(url)
	if err != nil {
		tb.Fatal(err)
	}
	return driver
}

// opened opens a database until the test ends.
func opened(tb testing.TB, url string, opts ...option) *DB {
	tb.Helper()
	s, err := openDB(context.Background(), url, opts...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := s.Close(); err != nil {
			tb.Error(err)
		}
	})
	return s
}

// migrated opens a database with the tables.
func migrated(tb testing.TB, url string, opts ...option) *DB {
	tb.Helper()
	s := opened(tb, url, opts...)
	if err := s.Migrate(context.Background()); err != nil {
		tb.Fatal(err)
	}
	return s
}

func addCourses(tb testing.TB, s *DB, ids ...string) {
	tb.Helper()
	err := s.InTx(context.Background(), func(tx *Tx) error {
		for _, id := range ids {
			err := tx.Insert(context.Background(), "insert a course",
				"INSERT INTO courses (id, students) VALUES (?, 0)", Key(id))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// increment counts one student of a course.
func increment(ctx context.Context, tx *Tx, courseID string) error {
	return tx.MustUpdate(ctx, "count a student",
		"UPDATE courses SET students = students + 1 WHERE id = ?", Key(courseID))
}

func insert(ctx context.Context, tx *Tx, userID string) error {
	return tx.Insert(ctx, "insert a user", "INSERT INTO users (id, name) VALUES (?, '')",
		Key(userID))
}

func insertUser(tb testing.TB, s *DB, id string) {
	tb.Helper()
	err := s.InTx(tb.Context(), func(tx *Tx) error { return insert(tb.Context(), tx, id) })
	if err != nil {
		tb.Fatal(err)
	}
}

// course returns the number of students of a course.
func course(ctx context.Context, s *DB, id string) (n int, err error) {
	err = s.Reads().Get(ctx, "read a course", &n, "SELECT students FROM courses WHERE id = ?",
		Key(id))
	return n, err
}

func students(tb testing.TB, s *DB, id string) int {
	tb.Helper()
	n, err := course(context.Background(), s, id)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// courses lists the ids of the courses.
func courses(ctx context.Context, s *DB) (ids []string, err error) {
	err = s.Reads().List(ctx, "list the courses", &ids, "SELECT id FROM courses")
	return ids, err
}

// eachUser reads the users one by one.
func eachUser(ctx context.Context, s *DB) error {
	var id string
	return s.Reads().Each(ctx, "read the users", []any{&id}, func() error { return nil },
		"SELECT id FROM users")
}
