package roomtest

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
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
)

// OnEngines runs a test on databases without rows, on the engines of enginetest.Shared. The test
// runs at the same time as other tests that use onEngines.
func OnEngines(t *testing.T, test func(t *testing.T, database string)) {
	t.Parallel()
	enginetest.Each(t, enginetest.Shared(t.Name()),
		func(t *testing.T, e enginetest.Engine) { test(t, e.Reused(t)) })
}

// OnEnginesRepeatedly is onEngines for tests that run an operation again and again, such as once
// for each of its steps.
func OnEnginesRepeatedly(t *testing.T, test func(t *testing.T, database string)) {
	t.Parallel()
	enginetest.Each(t, enginetest.Repeated,
		func(t *testing.T, e enginetest.Engine) { test(t, e.Reused(t)) })
}

// OnAllEngines runs a test on databases without rows, on all engines that are there.
func OnAllEngines(t *testing.T, test func(t *testing.T, database string)) {
	t.Parallel()
	enginetest.Each(t, enginetest.All,
		func(t *testing.T, e enginetest.Engine) { test(t, e.Reused(t)) })
}

// Rounds is how often an interleaving is tried: enough that a transaction that reads before it
// locks is met on every server engine.
const Rounds = 20

// World is a learningtest.Kit with its own connection to the database. Tests use the
// connection to check rows without the code under test, and to make changes that have no
// operation, such as a new price or a refund.
type World struct {
	*learningtest.Kit
	Till     till.Till // of the provider that takes rupees
	Database string
	DB       *sql.DB
}

// New returns a world on a database, which has no rows. Without a database it uses a file of its
// own, and has no connection to it.
func New(t *testing.T, database string, opts ...learningtest.Option) *World {
	t.Helper()
	w := &World{Database: database}
	// A seller, so that each payment and each refund makes its paper.
	seller := learningtest.WithPlatform(learning.WithSeller(papers.Seller{Name: "Harbour School"}))
	w.Kit = learningtest.New(t, append(append([]learningtest.Option{seller}, opts...),
		learningtest.WithDatabase(database))...)
	w.Till = till.Gateway(w.Sandbox)
	if database == "" { // the Kit has a file of its own
		return w
	}
	db, err := enginetest.OpenSQL(database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	w.DB = db
	return w
}

// WantRightTotals checks that the totals are right. A test that has changed rows by itself must
// recount before.
func (w *World) WantRightTotals(t *testing.T) {
	t.Helper()
	for name, from := range invariants.Totals {
		if n := w.Count(t, from); n != 0 {
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

// Recount corrects the totals of rows that the test has changed by itself.
func (w *World) Recount(t *testing.T) {
	t.Helper()
	if _, err := w.Platform.System().RecountTotals(ctx()); err != nil {
		t.Fatal(err)
	}
}

// OtherInstance returns a second platform on the same database, sandbox and clock, like a
// second process.
func (w *World) OtherInstance(t *testing.T, opts ...learningtest.Option) *World {
	t.Helper()
	other := New(t, w.Database, append([]learningtest.Option{
		learningtest.WithSandbox(w.Sandbox), learningtest.WithClock(w.Clock),
		sellsAt(w.Till.Name()),
	}, opts...)...)
	other.Till = w.Till
	return other
}

// LateInstance returns another platform, selected requests of which to the providers time out
// after they have had an effect.
func (w *World) LateInstance(t *testing.T, effects func() int) (*World, *providertest.Late) {
	t.Helper()
	late := &providertest.Late{Effects: effects}
	clients, err := late.Providers(w.Sandbox)
	if err != nil {
		t.Fatal(err)
	}
	if w.Till.Name() == till.NameStripe {
		atStripe, err := late.Stripe(w.Sandbox, rupees)
		if err != nil {
			t.Fatal(err)
		}
		clients = append(clients, atStripe)
	}
	return w.OtherInstance(t, learningtest.WithPlatform(clients...)), late
}

// Exec runs a statement.
func (w *World) Exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := w.DB.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// Count counts the rows of "table" or "table WHERE …". It may have marks in place of names.
func (w *World) Count(t *testing.T, from string, args ...any) int {
	t.Helper()
	var n int
	if err := w.DB.QueryRow("SELECT COUNT(*) FROM "+sqldb.Names{}.Expand(from),
		args...).Scan(&n); err != nil {
		t.Fatalf("count %s: %v", from, err)
	}
	return n
}

// Dump returns all rows of all tables except the named ones, to compare states.
func (w *World) Dump(t *testing.T, except ...string) []string {
	t.Helper()
	var lines []string
	for _, table := range enginetest.TableNames(t, w.DB) {
		if !slices.Contains(except, table) {
			lines = append(lines, w.Rows(t, table)...)
		}
	}
	slices.Sort(lines)
	return lines
}

// Rows returns the rows of a table as texts.
func (w *World) Rows(t *testing.T, table string) (lines []string) {
	t.Helper()
	rows, err := w.DB.Query("SELECT * FROM " + table)
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

// Students returns a course's counter, and checks that it is the number of its enrolments.
func (w *World) Students(t *testing.T, courseID string) int {
	t.Helper()
	var n int
	if err := w.DB.QueryRow("SELECT students FROM courses WHERE id = ?", courseID).Scan(&n); err !=
		nil {
		t.Fatal(err)
	}
	if rows := w.Count(t, "enrollments WHERE course_id = ?", courseID); rows != n {
		t.Errorf("the course counts %d students and has %d enrolments", n, rows)
	}
	return n
}

// WantSold checks that a course has so many students, so many completed purchases
// and so many that are open.
func (w *World) WantSold(t *testing.T, courseID string, students, completed, open int) {
	t.Helper()
	if n := w.Students(t, courseID); n != students {
		t.Errorf("%d students, want %d", n, students)
	}
	if n := w.Count(t, "purchases WHERE course_id = ? AND status = 'completed'", courseID); n !=
		completed {
		t.Errorf("%d completed purchases, want %d", n, completed)
	}
	if n := w.Count(t, "purchases WHERE course_id = ? AND status IN ('created', 'pending')",
		courseID); n != open {
		t.Errorf("%d open purchases, want %d", n, open)
	}
}

// Purchase returns a purchase.
func (w *World) Purchase(t *testing.T, id string) purchase.Purchase {
	t.Helper()
	p, err := w.Store.Purchase(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Order opens an order and fails the test if there is an error.
func (w *World) Order(t *testing.T, actor core.Actor, courseID string) sale.Order {
	t.Helper()
	o, err := w.Platform.Sales.OpenOrder(context.Background(), actor,
		sale.OrderRequest{CourseID: courseID})
	if err != nil {
		t.Fatalf("open an order: %v", err)
	}
	return o
}

// Proof returns the valid proof of a payment.
func (w *World) Proof(orderID, paymentID string) payment.Proof {
	return w.Till.Proof(orderID, paymentID)
}

// CapturedPayment returns the payment in the webhook of a paid order.
func CapturedPayment(o sale.Order, paymentID string) payment.Payment {
	return payment.Payment{ID: paymentID, OrderID: o.OrderID, PurchaseID: o.PurchaseID,
		Amount: new(o.Amount), Currency: o.Currency, Captured: true}
}

// SetPrice changes the price of a course.
func (w *World) SetPrice(t *testing.T, courseID string, price core.Money) {
	t.Helper()
	w.Exec(t, "UPDATE courses SET price = ? WHERE id = ?", int64(price), courseID)
}

// WantLogged checks in how many lines of the log a text is.
func (w *World) WantLogged(t *testing.T, text string, lines int) {
	t.Helper()
	if n := w.Log.Count(text); n != lines {
		t.Errorf("%q is in %d lines of the log, want %d:\n%s", text, n, lines, w.Log)
	}
}

// Concurrently calls f n times concurrently and returns the errors.
func Concurrently(n int, f func(i int) error) []error {
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

// CountErrors counts errors by their text. The key of nil is "".
func CountErrors(errs []error) map[string]int {
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

// NewWithCourse is New with options of the platform, and with a free course.
func NewWithCourse(t *testing.T, database string,
	opts ...learning.Option) (w *World, course string) {
	t.Helper()
	w = New(t, database, learningtest.WithPlatform(opts...))
	return w, w.Course(t, "go", 0)
}

// SQLite returns a new database.
func SQLite(t *testing.T) string { return "sqlite:" + t.TempDir() + "/learning.db" }

// WholeList asks for a page that has all rows of the lists in these tests.
var WholeList = core.PageRequest{Limit: core.MaxPageRows}

// PageRows returns the rows of a page that is the whole list.
func PageRows[Row any](page core.Page[Row], err error) ([]Row, error) {
	if err == nil && !page.Next.IsZero() {
		err = errors.New("another page follows")
	}
	return page.Rows, err
}

// RowsOf returns the rows of a list, up to its first error.
func RowsOf[Row any](list iter.Seq2[Row, error], err error) (rows []Row, _ error) {
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

// OrderedRows returns the rows of a list whose order was read first.
func OrderedRows[Row any](list core.OrderedRows[Row], err error) ([]Row, error) {
	return RowsOf(list.All, err)
}

func ctx() context.Context { return context.Background() }
