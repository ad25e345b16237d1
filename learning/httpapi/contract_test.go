package httpapi_test

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/learning/internal/enginetest"
)

var update = flag.Bool("update", false, "write the answers of the contract cases anew: read each one afterwards")

func TestMain(m *testing.M) { enginetest.Main(m) }

func TestContractOnSQLite(t *testing.T) {
	w := newWorld(t)
	for _, c := range loadCases(t) {
		t.Run(c.route+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, w.onSQLite, *update)
		})
	}
}

func TestContractOnMariaDB(t *testing.T) { testContractOnMySQL(t, enginetest.MariaDB(t)) }

func TestContractOnMySQL(t *testing.T) { testContractOnMySQL(t, enginetest.MySQL(t)) }

func testContractOnMySQL(t *testing.T, database string) {
	t.Helper()
	start := newWorld(t).onMySQL(t, database)
	for _, c := range withoutEchoes(loadCases(t)) {
		t.Run(c.route+"/"+c.name, func(t *testing.T) { c.run(t, start, false) })
	}
}

// withoutEchoes leaves out the cases that come out elsewhere as they do on SQLite: of
// all requests to a route that are refused for what they look like, with the same
// answer, one is left.
func withoutEchoes(cases []*contractCase) []*contractCase {
	seen := map[string]bool{}
	return slices.DeleteFunc(cases, func(c *contractCase) bool {
		status, _, _ := strings.Cut(c.answer, "\n")
		if !refusedByLooks.MatchString(status) || c.changes != "" {
			return false
		}
		_, body, _ := strings.Cut(c.answer, "\n\n")
		refusal := c.route + status + body
		defer func() { seen[refusal] = true }()
		return seen[refusal]
	})
}

var refusedByLooks = regexp.MustCompile(`^HTTP/1\.1 (400|401|405|413|415) `)

// TestContractOnRefserver runs the cases against the program. What only a test in one
// process can bring about (a provider that is not configured, a database that
// fails) is no part of it.
func TestContractOnRefserver(t *testing.T) {
	start := newWorld(t).onRefserver(t)
	for _, c := range withoutEchoes(slices.DeleteFunc(loadCases(t), func(c *contractCase) bool { return prepare(t, c).inProcess })) {
		t.Run(c.route+"/"+c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, start, false)
		})
	}
}

// run sends the request of a case and compares what it got, and what has changed.
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
	checkLog(t, srv.log(), e.secrets)
	changed := changes(before, srv.look()) + strings.TrimPrefix(srv.warnings(), warned)
	answer := compacted(got.text(c.allHeaders))
	right := matches(answer, compacted(c.answer)) && matches(changed, c.changes)
	if rewrite && !right {
		check(t, c.write(generalise(indented(answer)), generalise(changed)))
	}
	if rewrite {
		return
	}
	compareTexts(t, "answer", answer, compacted(c.answer))
	compareTexts(t, "changes", changed, c.changes)
}

// worldSecrets are in no log, whatever happens; the last but one is in every
// address, the last in the URL of every lecture that is paid for.
var worldSecrets = []string{gatewayKeySecret, gatewayWebhookSecret, gatewaySecondSecret, identityAPIKey, identitySecret, identitySecondSecret, aiAPIKey, secretSolution, secretTalk, "@example.com", "/paid/"}

func checkLog(t *testing.T, log string, secrets []string) {
	t.Helper()
	for _, secret := range slices.Concat(worldSecrets, secrets) {
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
