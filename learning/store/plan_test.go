package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning"
)

// recorder is a connection that records its statements.
type recorder struct {
	sqldb.Session
	statements []recordedStatement
}

type recordedStatement struct {
	query string
	args  []any
}

func (r *recorder) GetContext(ctx context.Context, dest any, query string, args ...any) error {
	r.statements = append(r.statements, recordedStatement{query, args})
	return r.Session.GetContext(ctx, dest, query, args...)
}

func (r *recorder) SelectContext(ctx context.Context, dest any, query string, args ...any) error {
	r.statements = append(r.statements, recordedStatement{query, args})
	return r.Session.SelectContext(ctx, dest, query, args...)
}

func (r *recorder) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	r.statements = append(r.statements, recordedStatement{query, args})
	return r.Session.ExecContext(ctx, query, args...)
}

func (r *recorder) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	r.statements = append(r.statements, recordedStatement{query, args})
	return r.Session.QueryContext(ctx, query, args...)
}

// recordStatements runs one method in a transaction that is rolled back, and returns its
// statements, with the names of the tables.
func recordStatements(tb testing.TB, s *Store,
	method func(ctx context.Context, tx learning.Tx)) []recordedStatement {
	tb.Helper()
	var r *recorder
	_ = s.db.InTx(context.Background(), func(t *sqldb.Tx) error {
		r = &recorder{Session: t.Conn}
		t.Conn = r
		method(context.Background(), s.newTx(t))
		if t.Err() != nil {
			tb.Error(t.Err())
		}
		return context.Canceled // any error rolls back
	})
	for i, st := range r.statements {
		r.statements[i].query = s.engine().Names().Expand(st.query)
	}
	return r.statements
}

// TestMethods_OneStatementThatUsesAnIndex calls each method of learning.Tx, with arguments that
// follow from their types.
func TestMethods_OneStatementThatUsesAnIndex(t *testing.T) {
	t.Parallel()
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		s := populated(t, e)
		for m := range reflect.TypeFor[learning.Tx]().Methods() {
			if withoutPlan(m) {
				continue
			}
			checkIndexed(t, e, s, m.Name,
				func(ctx context.Context, tx learning.Tx) { callMethod(ctx, tx, m, many) })
			if takesList(m) { // an engine may do without an index for a list of one
				for _, st := range recordStatements(t, s,
					func(ctx context.Context, tx learning.Tx) { callMethod(ctx, tx, m, one) }) {
					checkScans(t, e, s, m.Name+" with one", st)
				}
			}
		}
		for _, list := range learning.ExportLists() {
			for _, after := range [][]any{nil, keyInTheMiddle(list)} {
				checkIndexed(t, e, s, "ExportRows of "+list.Name,
					func(ctx context.Context, tx learning.Tx) {
						_, _ = tx.ExportRows(ctx, list, "0020", after, 10)
					})
			}
			if list.Private {
				checkIndexed(t, e, s, "DeletePrivate of "+list.Name,
					func(ctx context.Context, tx learning.Tx) {
						_ = tx.DeletePrivate(ctx, list, "0020")
					})
			}
		}
	})
}

// TestWholeTable_NamesMethods fails if a name in wholeTable or arguments is misspelled, or that of
// a method that no longer exists.
func TestWholeTable_NamesMethods(t *testing.T) {
	tx := reflect.TypeFor[learning.Tx]()
	for _, name := range slices.Concat(slices.Collect(maps.Keys(wholeTable)),
		slices.Collect(maps.Keys(arguments))) {
		if _, found := tx.MethodByName(name); !found {
			t.Errorf("learning.Tx has no method %s: remove it from learning/store/plan_arguments_test.go", name)
		}
	}
}

// keyInTheMiddle returns the key of a row of an export in the middle of a list.
func keyInTheMiddle(list exportlist.List) (key []any) {
	for _, field := range list.Key {
		switch field.Type {
		case exportlist.Number:
			key = append(key, int64(10))
		case exportlist.Time:
			key = append(key, timestamp(populatedAt.Add(150*time.Minute)))
		default:
			key = append(key, "0020")
		}
	}
	return key
}

// checkIndexed explains the statement of a method and fails if it does not use an index.
func checkIndexed(
	t *testing.T, e enginetest.Engine, s *Store, name string,
	method func(ctx context.Context, tx learning.Tx),
) {
	t.Helper()
	statements := recordStatements(t, s, method)
	if len(statements) != 1 {
		t.Errorf("%s: %d statements, want 1", name, len(statements))
		return
	}
	for _, step := range plan(t, e, s, statements[0]) {
		if strings.Contains(step, "Impossible WHERE") || strings.Contains(step, "no matching row") {
			t.Errorf(
				"%s finds no rows, so that %s does not explain it: add arguments to the map "+
					"arguments in learning/store/plan_arguments_test.go", name, e.Name)
		}
	}
	checkScans(t, e, s, name, statements[0])
}

// checkScans fails the test if a statement of a method reads a whole table.
func checkScans(
	t *testing.T, e enginetest.Engine, s *Store, name string, st recordedStatement,
) {
	t.Helper()
	for _, scan := range scans(t, e, s, st) {
		t.Errorf("%s reads without an index: %s\n"+
			"Change its statement, or add an index in a new file of "+
			"learning/store/migrations. If it must read the whole table, add it to wholeTable in "+
			"learning/store/plan_arguments_test.go with the reason.", name, scan)
	}
}

// scans returns the steps of a statement's plan that read a whole table, except temporary
// tables of the statement.
func scans(tb testing.TB, e enginetest.Engine, s *Store, st recordedStatement) []string {
	tb.Helper()
	var steps []string
	if e.Name == "PostgreSQL" { // which may sort the rows that it finds by an index
		steps = postgresPlan(tb, s, st, "seqscan", "hashjoin", "mergejoin")
	} else {
		steps = plan(tb, e, s, st)
	}
	return slices.DeleteFunc(slices.Clone(steps), func(step string) bool {
		name, scansSQLite := strings.CutPrefix(step, "SCAN ")
		isListOfTheStatement := step == "SCAN CONSTANT ROW" ||
			strings.HasSuffix(step, "VALUES CLAUSE") // those of SQLite
		if isListOfTheStatement || slices.Contains(steps, "CO-ROUTINE "+name) ||
			strings.HasPrefix(step, "table=<derived") {
			return true
		}
		return !scansSQLite && !strings.Contains(step, " type=ALL ") &&
			!strings.Contains(step, " type=index ") && !scansPostgres(step)
	})
}

// scansPostgres reports whether a step of a plan of PostgreSQL reads a whole table, or a whole
// index.
func scansPostgres(step string) bool {
	readsIndex := strings.Contains(step, "Index Scan") || strings.Contains(step, "Index Only Scan")
	return strings.Contains(step, "Seq Scan on ") ||
		readsIndex && !strings.Contains(step, "Index Cond:")
}

// plan returns the steps by which an engine executes a statement.
func plan(tb testing.TB, e enginetest.Engine, s *Store, st recordedStatement) (steps []string) {
	tb.Helper()
	if e.Name == "PostgreSQL" {
		return postgresPlan(tb, s, st, "seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort",
			"incremental_sort")
	}
	explain := "EXPLAIN FORMAT=TRADITIONAL " // because newer versions of MySQL have another default
	if e.Name == "SQLite" {
		explain = "EXPLAIN QUERY PLAN "
	}
	rows, err := s.db.Writer().Queryx(explain+st.query, st.args...)
	if err != nil {
		tb.Fatalf("%s: %v", st.query, err)
	}
	defer rows.Close()
	for rows.Next() {
		row := map[string]any{}
		if err := rows.MapScan(row); err != nil {
			tb.Fatal(err)
		}
		if e.Name == "SQLite" {
			steps = append(steps, fmt.Sprint(row["detail"]))
			continue
		}
		access, known := row["type"]
		if !known {
			tb.Fatalf("not a plan: %s", row)
		}
		steps = append(steps, fmt.Sprintf("table=%s type=%s key=%s %s", row["table"], access,
			row["key"], row["Extra"]))
	}
	return steps
}

// postgresPlan is plan on PostgreSQL, which scans, hashes and sorts small tables because that takes
// less time than an index. Here it may do what without names only where no index can be used.
func postgresPlan(
	tb testing.TB, s *Store, st recordedStatement, without ...string,
) (steps []string) {
	tb.Helper()
	var lines []string
	err := s.db.InTx(tb.Context(), func(t *sqldb.Tx) error {
		for _, other := range without {
			if _, err := t.Exec(tb.Context(), "plan", "SET LOCAL enable_"+other+" = off"); err != nil {
				return err
			}
		}
		return t.List(tb.Context(), "plan", &lines, "EXPLAIN (COSTS OFF) "+st.query, st.args...)
	})
	if err != nil {
		tb.Fatalf("%s: %v", st.query, err)
	}
	// A step begins with an arrow, but for the first. The lines that follow have its conditions.
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if len(steps) == 0 || strings.HasPrefix(line, "->") {
			steps = append(steps, line)
			continue
		}
		steps[len(steps)-1] += " " + line
	}
	return steps
}

// sorts reports whether a step of a plan sorts rows.
func sorts(step string) bool {
	return strings.Contains(step, "filesort") || strings.Contains(step, "TEMP B-TREE") ||
		strings.Contains(step, "Sort Sort Key:")
}
