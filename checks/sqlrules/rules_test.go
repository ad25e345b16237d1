package sqlrules

import (
	"database/sql"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql"
	"github.com/pingcap/tidb/pkg/parser"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/storetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
)

func TestMain(m *testing.M) { enginetest.Main(m) }

// TestStore_EveryStatementFollowsTheRules runs the suite of the store, which calls every method, on
// a MariaDB that logs what it receives.
func TestStore_EveryStatementFollowsTheRules(t *testing.T) {
	server := enginetest.StartMariaDB(t)
	log := openLog(t, server.URL("observer"))
	t.Run("suite", func(t *testing.T) {
		storetest.Run(t, func(tb testing.TB) learning.Store {
			return migrated(tb, server.Reused(tb))
		})
	})
	statements := received(t, log)
	if len(statements) < 200 {
		t.Errorf("%d statements: the log does not have all", len(statements))
	}
	var c Checker
	for _, statement := range statements {
		for _, problem := range c.Problems(statement) {
			t.Errorf("%s\n\tin %.1000s", problem, statement)
		}
	}
}

func migrated(tb testing.TB, database string) *store.Store {
	tb.Helper()
	s, err := engines.Open(tb.Context(), database)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = s.Close() })
	if err := s.Migrate(tb.Context()); err != nil {
		tb.Fatal(err)
	}
	return s
}

// openLog makes a server log the statements that it receives from now on.
func openLog(t *testing.T, database string) *sql.DB {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("mysql", fmt.Sprintf("%s@tcp(%s)%s", u.User.Username(), u.Host, u.Path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, setting := range []string{"log_output = 'TABLE'", "general_log = ON"} {
		if _, err := db.Exec("SET GLOBAL " + setting); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// received returns the statements that the connections to the databases test_N have sent, in their
// order: of those that differ only in their values, the first. It leaves out values with an
// emoji, which the log does not store as they are.
func received(t *testing.T, log *sql.DB) (statements []string) {
	t.Helper()
	rows, err := log.Query(
		`SELECT argument FROM mysql.general_log WHERE command_type IN ('Query', 'Prepare') AND argument NOT LIKE '%\\\\xF0%' AND thread_id IN (
		SELECT thread_id FROM mysql.general_log WHERE command_type = 'Connect' AND argument LIKE '% on test\\_%')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	seen := map[string]bool{}
	for rows.Next() {
		var statement string
		if err := rows.Scan(&statement); err != nil {
			t.Fatal(err)
		}
		if digest := parser.DigestNormalized(parser.Normalize(statement,
			"ON")).String(); !seen[digest] {
			seen[digest] = true
			statements = append(statements, statement)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return statements
}

func TestProblems_NamesWhatIsWrong(t *testing.T) {
	const created = "CREATE TABLE a (id VARCHAR(36) NOT NULL PRIMARY KEY, b VARCHAR(700) NOT " +
		"NULL, KEY by_b (b)) DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_bin"
	for statement, want := range map[string]string{
		"SELECT id FROM a WHERE b = 'x' ORDER BY id LIMIT 10":                       "",
		"SELECT id FROM a LIMIT 10":                                                 "LIMIT without ORDER BY",
		"SELECT id FROM a FOR UPDATE":                                               "locking read",
		"SELECT @x":                                                                 "user variable",
		"SELECT LAST_INSERT_ID()":                                                   "last_insert_id",
		"SELECT ROW_NUMBER() OVER (ORDER BY id) FROM a":                             "window",
		"SELECT GROUP_CONCAT(id) FROM a":                                            "group_concat",
		"SELECT id FROM a INTO OUTFILE 'x'":                                         "INTO",
		"INSERT INTO a VALUES ('x', 'y')":                                           "names of the columns",
		"REPLACE INTO a (id) VALUES ('x')":                                          "REPLACE",
		"INSERT INTO a (id) VALUES ('x') ON DUPLICATE KEY UPDATE b = 'y'":           "ON DUPLICATE KEY",
		"INSERT INTO a (id) VALUES ('x') RETURNING id":                              "does not understand",
		"UPDATE a SET b = 'y' LIMIT 1":                                              "LIMIT",
		"UPDATE a JOIN c ON c.id = a.id SET a.b = 'y'":                              "more than one table",
		"DELETE FROM a ORDER BY id LIMIT 1":                                         "LIMIT",
		"DELETE a FROM a JOIN c ON c.id = a.id":                                     "more than one table",
		"SAVEPOINT s":                                                               "kinds of statement",
		"LOCK TABLES a WRITE":                                                       "kinds of statement",
		"SET GLOBAL time_zone = '+00:00'":                                           "SET time_zone",
		"SET foreign_key_checks = 0":                                                "SET foreign_key_checks",
		"CREATE TEMPORARY TABLE t (id BIGINT PRIMARY KEY) COLLATE=utf8mb4_bin":      "temporary",
		"CREATE TABLE t (id BIGINT) COLLATE=utf8mb4_bin":                            "primary key",
		"CREATE TABLE t (id BIGINT PRIMARY KEY)":                                    "collation",
		"CREATE TABLE t (id BIGINT AUTO_INCREMENT PRIMARY KEY) COLLATE=utf8mb4_bin": "AUTO_INCREMENT",
		"CREATE TABLE t (id BIGINT PRIMARY KEY, e ENUM('x')) COLLATE=utf8mb4_bin":   "type",
		"CREATE TABLE t (id BIGINT PRIMARY KEY, FOREIGN KEY (id) REFERENCES a (b)) " +
			"COLLATE=utf8mb4_bin": "foreign key",
		"CREATE TABLE t (id VARCHAR(769) PRIMARY KEY, KEY k (id)) COLLATE=utf8mb4_bin": "3076 bytes",
		"ALTER TABLE a ADD KEY by_both (b, id), DROP KEY by_b":                         "",
		"ALTER TABLE a ADD KEY by_both (b, id, b)":                                     "bytes",
		"ALTER TABLE a DROP KEY by_b, ADD KEY by_b (id)":                               "two changes of the index by_b",
		"ALTER TABLE a ADD COLUMN c BIGINT NULL, ADD KEY by_c (c)":                     "two changes of the column c",
	} {
		var c Checker
		if problems := c.Problems(created); len(problems) > 0 {
			t.Fatal(problems)
		}
		problems := c.Problems(statement)
		found := slices.ContainsFunc(problems,
			func(p string) bool { return strings.Contains(p, want) })
		if want == "" && len(problems) > 0 || want != "" && !found {
			t.Errorf("%s: %q, want %q", statement, problems, want)
		}
	}
}
