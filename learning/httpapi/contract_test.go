package httpapi_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
)

var update = flag.Bool("update", false, "write the answers of the contract cases anew: read each one afterwards")

func TestMain(m *testing.M) { enginetest.Main(m) }

// TestContract runs all cases on SQLite. On MariaDB it leaves out the ones whose answer
// cannot depend on the engine. MySQL, which speaks the dialect of MariaDB, takes samples.
// With LEARNING_TEST_CONTRACT=all in the environment it runs all cases on every engine, and
// with LEARNING_TEST_CONTRACT=sqlite on SQLite only.
func TestContract(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		cases := loadCases(t)
		switch {
		case e.Name == "SQLite":
			runCases(t, cases, w.onSQLite, *update)
		case contractVariable == "sqlite":
			t.Skip("left out: this test on a server, because LEARNING_TEST_CONTRACT is sqlite")
		case allCases():
			runCases(t, cases, w.on(w.serverDatabases(t, e)), false)
		case e.Name == "MariaDB":
			runCases(t, withoutRepetitions(cases), w.on(w.serverDatabases(t, e)), false)
		default:
			runCases(t, samples(cases), w.on(w.serverDatabases(t, e)), false)
		}
	})
}

func runCases(t *testing.T, cases []*contractCase, start engine, rewrite bool) {
	for _, c := range cases {
		t.Run(c.route+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, start, rewrite)
		})
	}
}

// withoutRepetitions leaves out cases whose answer cannot depend on the engine: of the requests
// to a route that are refused with the same answer because of their form, it keeps the first.
func withoutRepetitions(cases []*contractCase) []*contractCase {
	return firsts(cases, func(c *contractCase) string {
		if !refusedForForm.MatchString(c.status()) || c.changes != "" {
			return c.name
		}
		return c.status() + c.body()
	})
}

var refusedForForm = regexp.MustCompile(`^HTTP/1\.1 (400|401|405|413|415) `)

// samples returns one success and one of each refusal for each route.
func samples(cases []*contractCase) []*contractCase {
	return firsts(cases, func(c *contractCase) string {
		if c.succeeds() {
			return c.status()
		}
		return c.status() + c.body()
	})
}

// firsts returns the first case of each kind for each route.
func firsts(cases []*contractCase, kind func(*contractCase) string) []*contractCase {
	seen := map[string]bool{}
	return slices.DeleteFunc(cases, func(c *contractCase) bool {
		k := c.route + " " + kind(c)
		defer func() { seen[k] = true }()
		return seen[k]
	})
}

// TestContractOnRefserver runs cases against the reference server, to show that it configures the
// library as the cases expect. It leaves out cases that only a test in one process can prepare (a
// provider that is not configured, a database that fails). Each case starts a process, so it runs
// one success of each route, and with LEARNING_TEST_CONTRACT=all also one of each refusal.
func TestContractOnRefserver(t *testing.T) {
	t.Parallel()
	start := newFixture(t).onRefserver(t)
	cases := slices.DeleteFunc(loadCases(t), func(c *contractCase) bool {
		return prepare(t, c).inProcess || !c.succeeds() && !allCases()
	})
	runCases(t, samples(cases), start, false)
}

var contractVariable = os.Getenv("LEARNING_TEST_CONTRACT")

// allCases reports whether to run all cases on every engine.
func allCases() bool { return contractVariable == "all" }

// run sends the request of a case and compares the answer and the changes.
func (c *contractCase) run(t *testing.T, start engine, rewrite bool) {
	s := prepare(t, c)
	srv := start(t, s)
	for _, request := range s.earlier {
		send(t, srv.addr, srv.expander(t).build(request))
	}
	before, warned := srv.look(), srv.warnings()
	e := srv.expander(t)
	got := send(t, srv.addr, e.build(c.request))
	got.checkCommon(t)
	c.checkDocument(t, e.body, got)
	checkLog(t, srv.log(), e.secrets)
	changed := changes(before, srv.look()) + strings.TrimPrefix(srv.warnings(), warned)
	answer := compacted(got.text(c.allHeaders))
	wantAnswer, wantChanges := compacted(c.answer), c.changes
	if srv.realClock {
		wantAnswer, wantChanges = loosened(wantAnswer), loosened(wantChanges)
	}
	right := matches(answer, wantAnswer) && matches(changed, wantChanges)
	if rewrite && !right {
		check(t, c.write(generalise(indented(answer)), generalise(changed)))
	}
	if rewrite {
		return
	}
	compareTexts(t, "answer", answer, wantAnswer)
	compareTexts(t, "changes", changed, wantChanges)
}

// checkDocument compares an answer with the API document, and the body of a request that
// succeeded.
func (c *contractCase) checkDocument(t *testing.T, sent string, got *response) {
	t.Helper()
	d := apiDocument(t)
	if !d.has(c.route) {
		return
	}
	if err := d.checkAnswer(c.route, got); err != nil {
		t.Errorf("the answer: %#v", err)
	}
	if got.StatusCode != http.StatusOK || !json.Valid([]byte(sent)) {
		return
	}
	if err := d.checkRequest(c.route, []byte(sent)); err != nil {
		t.Errorf("the request: %#v", err)
	}
}

// fixtureSecrets must not be in any log. The last two are part of every e-mail address and of the
// URL of every paid lecture.
var fixtureSecrets = []string{gatewayKeySecret, gatewayWebhookSecret, gatewaySecondSecret, identityAPIKey, identitySecret, identitySecondSecret, aiAPIKey, secretSolution, secretMessage, "@example.com", "/paid/"}

func checkLog(t *testing.T, log string, secrets []string) {
	t.Helper()
	for _, secret := range slices.Concat(fixtureSecrets, secrets) {
		if strings.Contains(log, secret) {
			t.Errorf("%q is in the log:\n%s", secret, log)
		}
	}
}

func compareTexts(t *testing.T, what, got, want string) {
	t.Helper()
	if !matches(got, want) {
		t.Errorf("%s (-want +got):\n%s", what, cmp.Diff(strings.Split(want, "\n"), strings.Split(generalise(got), "\n")))
	}
}

func (srv *server) expander(t *testing.T) *expander {
	return &expander{tb: t, sb: srv.sandbox, now: srv.now}
}
