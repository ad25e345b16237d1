package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/servertest"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/internal/till"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/engines"
)

// deployment is the program in a process of its own, in production, with providers that
// outlive it, a catalogue with a course for 499, and students.
type deployment struct {
	box      *sandbox.Sandbox
	till     till.Till
	env      environment
	database string
	db       *sql.DB // the test's own connection

	mu  sync.Mutex
	cmd *exec.Cmd
	url string
}

// onEngines runs a test on empty databases of the engines of enginetest.Shared.
func onEngines(t *testing.T, test func(t *testing.T, database string)) {
	enginetest.Each(t, enginetest.Shared(t.Name()),
		func(t *testing.T, e enginetest.Engine) { test(t, e.URL(t)) })
}

// newDeployment starts a deployment that sells by the gateway, with more settings.
func newDeployment(t *testing.T, database string, more ...environment) *deployment {
	t.Helper()
	return newDeploymentAt(t, database, atGateway, more...)
}

// newDeploymentAt starts a deployment that sells by a provider, with more settings. A setting that
// is "" is left out.
func newDeploymentAt(t *testing.T, database string, sells seller,
	more ...environment) *deployment {
	t.Helper()
	needProcesses(t)
	if _, err := contracttest.CreateTables(database); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	c := &deployment{box: providers(t), database: database}
	c.env = configured(c.box, dir)
	c.env["LEARNING_DATABASE"] = database
	c.env["LEARNING_RECONCILE_EVERY"] = "0" // tests run the command, and count what it finds
	var its environment
	c.till, its = sells(c.box)
	for _, settings := range append([]environment{its}, more...) {
		maps.Copy(c.env, settings)
	}
	maps.DeleteFunc(c.env, func(_, value string) bool { return value == "" })
	if code, _, stderr := commandWith(t, c.env, "import",
		write(t, dir, "shop.json", smallCatalogue)); code != 0 {
		t.Fatal(stderr)
	}
	c.db = openDatabase(t, database)
	c.start(t)
	return c
}

func openDatabase(t *testing.T, database string) *sql.DB {
	t.Helper()
	db, err := enginetest.OpenSQL(database)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxIdleConns(-1) // a server that was stopped leaves dead connections
	t.Cleanup(func() { db.Close() })
	return db
}

// start starts the program, for the first time or again.
func (c *deployment) start(t *testing.T) {
	t.Helper()
	cmd, url, stderr := process(t, c.env)
	t.Cleanup(func() {
		wantNoFaults(t, stderr.String())
		if t.Failed() {
			t.Logf("errors in the log:\n%s", errorsIn(stderr.String()))
		}
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cmd, c.url = cmd, url
	c.box.SetWebhookURL(url)
}

// errorsIn returns the first ten lines of a log with level ERROR.
func errorsIn(log string) string {
	var lines []string
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"level":"ERROR"`) && len(lines) < 10 {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// wantNoFaults checks that a log has no panic, no data race and no double payment.
func wantNoFaults(t *testing.T, log string) {
	t.Helper()
	for _, trouble := range []string{"panic", "DATA RACE", "double payment", "another purchase"} {
		if at := strings.Index(log, trouble); at >= 0 {
			t.Errorf("the log says %q: %.500s", trouble, log[at:])
		}
	}
}

// kill kills the program, and waits until it has ended.
func (c *deployment) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

func (c *deployment) at() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.url
}

// student is a user with a session token.
type student struct{ id, token string }

// students creates n users at the identity provider and in the platform.
func (c *deployment) students(t *testing.T, n int) []student {
	t.Helper()
	st, err := engines.Open(t.Context(), c.database)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	platform, err := learning.New(st)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]student, n)
	for i := range all {
		id := fmt.Sprintf("student_%d", i)
		err := errors.Join(
			c.box.Identity().PutUserQuietly(sandbox.User{ID: id}),
			platform.System().ApplyIdentityEvent(t.Context(), people.IdentityEvent{
				SentAt: time.Now(), Type: people.UserCreated,
				User: people.IdentityUser{ID: id}}))
		if err != nil {
			t.Fatal(err)
		}
		if all[i].token, err = c.box.Identity().Token(id); err != nil {
			t.Fatal(err)
		}
		all[i].id = id
	}
	return all
}

// answer is the answer to a request; status is 0 if there was none.
type answer struct {
	status int
	body   string
}

// answerTime bounds each request. It is longer than any answer should take.
const answerTime = 25 * time.Second

func (c *deployment) request(ctx context.Context, method, path string, s student,
	body string) answer {
	return requestAt(ctx, c.at(), method, path, s, body)
}

func requestAt(ctx context.Context, url, method, path string, s student, body string) answer {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, method, url+path, strings.NewReader(body))
	if err != nil {
		return answer{0, err.Error()}
	}
	r.Header.Set("Content-Type", "application/json")
	if s.token != "" {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}
	return send(r)
}

func send(r *http.Request) answer {
	status, body := servertest.Send(r)
	return answer{status, body}
}

// order is the answer to POST /api/user/purchase.
type order struct {
	Success    bool
	PurchaseID string
	OrderID    string
	Amount     int64
}

// purchase requests an order of the paid course.
func (c *deployment) purchase(ctx context.Context, s student) (order, answer) {
	a := c.request(ctx, http.MethodPost, "/api/user/purchase", s, `{"courseId":"paid"}`)
	o, ok := orderIn(a)
	if a.status == http.StatusOK && !ok {
		a.status = 0
	}
	return o, a
}

// orderIn returns the order in an answer, if there is one.
func orderIn(a answer) (o order, ok bool) {
	ok = a.status == http.StatusOK && json.Unmarshal([]byte(a.body), &o) == nil
	return o, ok
}

// verify sends the proof of a payment, as a client does after the checkout.
func (c *deployment) verify(ctx context.Context, s student, orderID, paymentID string) answer {
	return c.request(ctx, http.MethodPost, "/api/user/verify-gateway", s,
		proofBody(c.till.Proof(orderID, paymentID)))
}

func (c *deployment) exec(t *testing.T, query string) {
	t.Helper()
	if _, err := c.db.Exec(query); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// count counts the rows of "table" or "table WHERE …". It may have marks in place of names.
func (c *deployment) count(t *testing.T, from string) (n int) {
	t.Helper()
	query := "SELECT COUNT(*) FROM " + sqldb.Names{}.Expand(from)
	if err := c.db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("count %s: %v", from, err)
	}
	return n
}

// expireLeases sets the leases to expire at a time in the past.
func (c *deployment) expireLeases(t *testing.T) {
	t.Helper()
	c.exec(t, "UPDATE leases SET expires_at = '2000-01-01 00:00:00.000000'")
}

// ageOrders makes all orders old enough for reconciliation.
func (c *deployment) ageOrders(t *testing.T) {
	t.Helper()
	hourAgo := time.Now().UTC().Add(-time.Hour).Format("2006-01-02 15:04:05.000000")
	c.exec(t, "UPDATE purchases SET created_at = '"+hourAgo+"'")
}
