package learning_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/providertest"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestMain(m *testing.M) {
	enginetest.Main(m, enginetest.LockFirst(map[string]string{
		"SELECT id FROM learning_commits": "markers that are old are deleted, whoever " +
			"reads them",
		"SELECT ? AS is_role, name AS text,": "a user without a record has no row to lock: the " +
			"INSERT of the record decides who is first",
	}))
}

// onEngines runs a test on databases without rows, on the engines of enginetest.Shared. The test
// runs at the same time as other tests that use onEngines.
func onEngines(t *testing.T, test func(t *testing.T, database string)) {
	t.Parallel()
	enginetest.Each(t, enginetest.Shared(t.Name()),
		func(t *testing.T, e enginetest.Engine) { test(t, e.Reused(t)) })
}

// onEnginesRepeatedly is onEngines for tests that run an operation again and again, such as once
// for each of its steps.
func onEnginesRepeatedly(t *testing.T, test func(t *testing.T, database string)) {
	t.Parallel()
	enginetest.Each(t, enginetest.Repeated,
		func(t *testing.T, e enginetest.Engine) { test(t, e.Reused(t)) })
}

// fixture is a learningtest.Kit with its own connection to the database. Tests use the
// connection to check rows without the code under test, and to make changes that have no
// operation, such as a new price or a refund.
type fixture struct {
	*learningtest.Kit
	database string
	db       *sql.DB
}

func newFixture(t *testing.T, database string, opts ...learningtest.Option) *fixture {
	t.Helper()
	w := &fixture{database: database}
	w.Kit = learningtest.New(t, append(opts, learningtest.WithDatabase(database))...)
	if database == "" { // the Kit has a file of its own
		return w
	}
	db, err := enginetest.OpenSQL(database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w.db = db
	return w
}

// wantRightTotals checks that the totals are right. A test that has changed rows by itself must
// recount before.
func (w *fixture) wantRightTotals(t *testing.T) {
	t.Helper()
	for name, from := range invariants.Totals {
		if n := w.count(t, from); n != 0 {
			t.Errorf("total of %s: %d are wrong", name, n)
		}
	}
	if wrong, err := w.Store.WrongQuestionTotals(ctx()); err != nil || len(wrong) > 0 {
		t.Errorf("the totals of questions are wrong by %+v (%v)", wrong, err)
	}
	if wrong, err := w.Store.WrongFileTotals(ctx()); err != nil || len(wrong) > 0 {
		t.Errorf("the totals of files are wrong by %+v (%v)", wrong, err)
	}
}

// recount corrects the totals of rows that the test has changed by itself.
func (w *fixture) recount(t *testing.T) {
	t.Helper()
	if _, err := w.Platform.System().RecountTotals(ctx()); err != nil {
		t.Fatal(err)
	}
}

// otherInstance returns a second platform on the same database, sandbox and clock, like a
// second process.
func (w *fixture) otherInstance(t *testing.T, opts ...learningtest.Option) *fixture {
	t.Helper()
	return newFixture(t, w.database, append([]learningtest.Option{
		learningtest.WithSandbox(w.Sandbox), learningtest.WithPlatform(learning.WithClock(w.Clock)),
	}, opts...)...)
}

// lateInstance returns another platform, selected requests of which to the providers time out
// after they have had an effect.
func (w *fixture) lateInstance(t *testing.T, effects func() int) (*fixture, *providertest.Late) {
	t.Helper()
	late := &providertest.Late{Effects: effects}
	clients, err := late.Providers(w.Sandbox)
	if err != nil {
		t.Fatal(err)
	}
	return w.otherInstance(t, learningtest.WithPlatform(clients...)), late
}

func (w *fixture) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := w.db.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// count counts the rows of "table" or "table WHERE …". It may have marks in place of names.
func (w *fixture) count(t *testing.T, from string, args ...any) int {
	t.Helper()
	var n int
	if err := w.db.QueryRow("SELECT COUNT(*) FROM "+sqldb.Names{}.Expand(from),
		args...).Scan(&n); err != nil {
		t.Fatalf("count %s: %v", from, err)
	}
	return n
}

// dump returns all rows of all tables except the named ones, to compare states.
func (w *fixture) dump(t *testing.T, except ...string) []string {
	t.Helper()
	var lines []string
	for _, table := range enginetest.TableNames(t, w.db) {
		if !slices.Contains(except, table) {
			lines = append(lines, w.rows(t, table)...)
		}
	}
	slices.Sort(lines)
	return lines
}

func (w *fixture) rows(t *testing.T, table string) (lines []string) {
	t.Helper()
	rows, err := w.db.Query("SELECT * FROM " + table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	values := make([]sql.NullString, len(columns))
	dest := make([]any, len(columns))
	for i := range values {
		dest[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(dest...); err != nil {
			t.Fatal(err)
		}
		line := table
		for i, c := range columns {
			line += fmt.Sprintf(" %s=%q", c, values[i].String)
		}
		lines = append(lines, line)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return lines
}

// students returns a course's counter, and checks that it is the number of its enrolments.
func (w *fixture) students(t *testing.T, courseID string) int {
	t.Helper()
	var n int
	if err := w.db.QueryRow("SELECT students FROM courses WHERE id = ?", courseID).Scan(&n); err !=
		nil {
		t.Fatal(err)
	}
	if rows := w.count(t, "enrollments WHERE course_id = ?", courseID); rows != n {
		t.Errorf("the course counts %d students and has %d enrolments", n, rows)
	}
	return n
}

// wantSold checks that a course has so many students, so many completed purchases
// and so many that are open.
func (w *fixture) wantSold(t *testing.T, courseID string, students, completed, open int) {
	t.Helper()
	if n := w.students(t, courseID); n != students {
		t.Errorf("%d students, want %d", n, students)
	}
	if n := w.count(t, "purchases WHERE course_id = ? AND status = 'completed'", courseID); n !=
		completed {
		t.Errorf("%d completed purchases, want %d", n, completed)
	}
	if n := w.count(t, "purchases WHERE course_id = ? AND status IN ('created', 'pending')",
		courseID); n != open {
		t.Errorf("%d open purchases, want %d", n, open)
	}
}

func (w *fixture) purchase(t *testing.T, id string) learning.Purchase {
	t.Helper()
	p, err := w.Store.Purchase(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// order opens an order and fails the test if there is an error.
func (w *fixture) order(t *testing.T, actor learning.Actor, courseID string) learning.Order {
	t.Helper()
	o, err := w.Platform.OpenOrder(context.Background(), actor,
		learning.OrderRequest{CourseID: courseID})
	if err != nil {
		t.Fatalf("open an order: %v", err)
	}
	return o
}

// proof returns the valid proof of a payment.
func (w *fixture) proof(orderID, paymentID string) learning.PaymentProof {
	return learning.PaymentProof{OrderID: orderID, PaymentID: paymentID,
		Signature: w.Sandbox.Gateway().Signature(orderID, paymentID)}
}

// capturedPayment returns the payment in the webhook of a paid order.
func capturedPayment(o learning.Order, paymentID string) learning.Payment {
	return learning.Payment{ID: paymentID, OrderID: o.OrderID, PurchaseID: o.PurchaseID,
		Amount: new(o.Amount), Currency: o.Currency, Captured: true}
}

func (w *fixture) setPrice(t *testing.T, courseID string, price learning.Money) {
	t.Helper()
	w.exec(t, "UPDATE courses SET price = ? WHERE id = ?", int64(price), courseID)
}

func (w *fixture) wantLogged(t *testing.T, text string, lines int) {
	t.Helper()
	if n := w.Log.Count(text); n != lines {
		t.Errorf("%q is in %d lines of the log, want %d:\n%s", text, n, lines, w.Log)
	}
}

// concurrently calls f n times concurrently and returns the errors.
func concurrently(n int, f func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			errs[i] = f(i)
		})
	}
	close(start)
	all.Wait()
	return errs
}

// countErrors counts errors by their text. The key of nil is "".
func countErrors(errs []error) map[string]int {
	count := map[string]int{}
	for _, err := range errs {
		text := ""
		if err != nil {
			text = err.Error()
		}
		count[text]++
	}
	return count
}

func ctx() context.Context { return context.Background() }

func sqlite(t *testing.T) string { return "sqlite:" + t.TempDir() + "/learning.db" }

// wholeList asks for a page that has all rows of the lists in these tests.
var wholeList = learning.PageRequest{Limit: learning.MaxPageRows}

// pageRows returns the rows of a page that is the whole list.
func pageRows[Row any](page learning.Page[Row], err error) ([]Row, error) {
	if err == nil && !page.Next.IsZero() {
		err = errors.New("another page follows")
	}
	return page.Rows, err
}

// rowsOf returns the rows of a list, up to its first error.
func rowsOf[Row any](list iter.Seq2[Row, error], err error) (rows []Row, _ error) {
	if err != nil {
		return nil, err
	}
	for row, err := range list {
		if err != nil {
			return rows, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// orderedRows returns the rows of a list whose order was read first.
func orderedRows[Row any](list learning.OrderedRows[Row], err error) ([]Row, error) {
	return rowsOf(list.All, err)
}
