package enginetest_test

import (
	"database/sql"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"

	"github.com/openlectern/openlectern/internal/enginetest"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

func TestDatabase_EachTestHasItsOwn(t *testing.T) {
	for name, database := range map[string]func(testing.TB) string{
		"MariaDB": enginetest.MariaDB,
		"MySQL":   enginetest.MySQL,
	} {
		t.Run(name, func(t *testing.T) {
			mine, theirs := open(t, database(t)), open(t, database(t))
			execute(t, mine, "CREATE TABLE course (title TEXT)")
			if n := tables(t, mine); n != 1 {
				t.Errorf("%d tables after one was created, want 1", n)
			}
			if n := tables(t, theirs); n != 0 {
				t.Errorf("the other database has %d tables, want 0", n)
			}
		})
	}
}

func TestDatabase_IsDroppedWhenItsTestEnds(t *testing.T) {
	keeper := open(t, enginetest.MariaDB(t))
	var address string
	t.Run("borrower", func(t *testing.T) { address = enginetest.MariaDB(t) })
	var n int
	query := "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = ?"
	if err := keeper.QueryRow(query, filepath.Base(address)).Scan(&n); err != nil {
		t.Fatal(err)
	}
	if n != 0 {
		t.Errorf("the database %s still exists", address)
	}
}

func TestReused_HasTheTablesAndNoRows(t *testing.T) {
	enginetest.Each(t, enginetest.Servers, func(t *testing.T, e enginetest.Engine) {
		var first string
		t.Run("first", func(t *testing.T) {
			first = e.Reused(t)
			db := open(t, first)
			execute(t, db, "CREATE TABLE course (title TEXT)")
			execute(t, db, "INSERT INTO course VALUES ('Go')")
		})
		second := e.Reused(t)
		if second != first {
			t.Fatalf("the second test has %s, want %s", second, first)
		}
		var rows int
		if err := open(t, second).QueryRow("SELECT COUNT(*) FROM course").Scan(&rows); err != nil ||
			rows != 0 {
			t.Errorf("%d rows (%v), want 0", rows, err)
		}
		if third := e.Reused(t); third == second {
			t.Error("two tests have one database at the same time")
		}
	})
}

func TestServer_KeepsItsDataWhenStoppedOrKilled(t *testing.T) {
	server := enginetest.StartMariaDB(t)
	address := server.URL("shop")
	db := open(t, address)
	execute(t, db, "CREATE TABLE course (title TEXT)")
	for i, end := range []func(){server.Stop, server.Kill} {
		execute(t, db, "INSERT INTO course VALUES ('Go')")
		end()
		if err := db.Ping(); err == nil {
			t.Fatal("the server answers after it was stopped")
		}
		server.Start()
		if again := server.URL("shop"); again != address {
			t.Errorf("URL after a restart is %s, want %s", again, address)
		}
		var n int
		if err := db.QueryRow("SELECT COUNT(*) FROM course").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if n != i+1 {
			t.Errorf("%d rows after a restart, want %d", n, i+1)
		}
	}
}

// What is installed does not matter for a plain go test.
func TestEngine_IsLeftOutUnlessRequired(t *testing.T) {
	t.Setenv("LEARNING_TEST_REQUIRE", "mysql")
	t.Setenv("LEARNING_TEST_LEAVE_OUT", "")
	r := record(t, func(tb testing.TB) { enginetest.MariaDB(tb) })
	if r.failed != "" {
		t.Fatalf("a test whose engine is not required failed: %s", r.failed)
	}
	for _, want := range []string{"left out", "mariadb", "make test", "LEARNING_TEST_REQUIRE"} {
		if !strings.Contains(r.skipped, want) {
			t.Errorf("skip message %q lacks %q", r.skipped, want)
		}
	}
}

func TestMissingEngine_FailsIfRequired(t *testing.T) {
	t.Setenv("LEARNING_TEST_MYSQL_ROOT", t.TempDir())
	t.Setenv("LEARNING_TEST_REQUIRE", "mariadb,mysql")
	t.Setenv("LEARNING_TEST_LEAVE_OUT", "")
	r := record(t, func(tb testing.TB) { enginetest.MySQL(tb) })
	if !strings.Contains(r.failed, "mysql is required (LEARNING_TEST_REQUIRE)") || r.skipped != "" {
		t.Errorf("failed %q, skipped %q; want a failure that names the engine", r.failed, r.skipped)
	}
}

func TestNeed_SkipsUnlessRequired(t *testing.T) {
	missing := errors.New("no zbarimg on PATH")
	need := func(tb testing.TB) { enginetest.Need(tb, "zbar", missing) }
	here := func(tb testing.TB) { enginetest.Need(tb, "zbar", nil) }
	t.Setenv("LEARNING_TEST_LEAVE_OUT", "")
	t.Setenv("LEARNING_TEST_REQUIRE", "mariadb")
	for _, needed := range []func(tb testing.TB){need, here} {
		if r := record(t, needed); r.failed != "" || !strings.HasPrefix(r.skipped, "left out: ") {
			t.Errorf("not required: failed %q, skipped %q", r.failed, r.skipped)
		}
	}
	t.Setenv("LEARNING_TEST_REQUIRE", "mariadb,zbar")
	if r := record(t, need); !strings.Contains(r.failed, "zbar is required") ||
		!strings.Contains(r.failed, missing.Error()) || r.skipped != "" {
		t.Errorf("required: failed %q, skipped %q", r.failed, r.skipped)
	}
	if r := record(t, here); r.failed+r.skipped != "" {
		t.Errorf("here: failed %q, skipped %q", r.failed, r.skipped)
	}
	t.Setenv("LEARNING_TEST_LEAVE_OUT", "mysql,zbar")
	if r := record(t, here); r.failed != "" ||
		!strings.Contains(r.skipped, "LEARNING_TEST_LEAVE_OUT") {
		t.Errorf("to be left out: failed %q, skipped %q", r.failed, r.skipped)
	}
}

// recorder is a testing.TB that records the messages of Skipf and Fatalf.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

// record runs a test until it returns, fails or is skipped.
func record(t *testing.T, test func(testing.TB)) *recorder {
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		test(r)
	}()
	<-done
	return r
}

// open opens the database that a URL of the package names.
func open(t *testing.T, address string) *sql.DB {
	t.Helper()
	db, err := enginetest.OpenSQL(address)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxIdleConns(-1) // because a connection does not survive a stop of its server
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func execute(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func tables(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	query := "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Two servers of a test process that listen late would else meet on one port now and then.
func TestFreeAddress_IsNotGivenTwice(t *testing.T) {
	given := map[string]bool{}
	for range 1000 {
		address := enginetest.FreeAddress(t)
		if given[address] {
			t.Fatalf("%s was given before", address)
		}
		given[address] = true
	}
}

// Another test process gets other ports, because it finds the first port of the block in use.
func TestFreeAddress_ClaimsItsBlockOfPorts(t *testing.T) {
	host, port, err := net.SplitHostPort(enginetest.FreeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	first := net.JoinHostPort(host, strconv.Itoa(number-number%100))
	if l, err := net.Listen("tcp", first); err == nil {
		t.Errorf("%s is free, while the block of port %s is in use", first, port)
		_ = l.Close()
	}
}
