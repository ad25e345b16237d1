package httpapi_test

import (
	"flag"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
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

func TestContractOnMariaDB(t *testing.T) {
	testContractOnMySQL(t, enginetest.MariaDB, withoutEchoes(loadCases(t)))
}

// TestContractOnMySQL shows that it speaks the dialect in which the cases hold on
// MariaDB.
func TestContractOnMySQL(t *testing.T) {
	testContractOnMySQL(t, enginetest.MySQL, samples(loadCases(t)))
}

func testContractOnMySQL(t *testing.T, open func(testing.TB) string, cases []*contractCase) {
	t.Parallel()
	start := newWorld(t).onMySQL(t, open(t))
	for _, c := range cases {
		t.Run(c.route+"/"+c.name, func(t *testing.T) { c.run(t, start, false) })
	}
}

// withoutEchoes leaves out the cases that come out elsewhere as they do on SQLite: of
// all requests to a route that are refused for what they look like, with the same
// answer, one is left.
func withoutEchoes(cases []*contractCase) []*contractCase {
	return firsts(cases, func(c *contractCase) string {
		if !refusedByLooks.MatchString(c.status()) || c.changes != "" {
			return c.name
		}
		return c.status() + c.body()
	})
}

var refusedByLooks = regexp.MustCompile(`^HTTP/1\.1 (400|401|405|413|415) `)

// samples are of each route one success, and one of each refusal.
func samples(cases []*contractCase) []*contractCase {
	return firsts(cases, func(c *contractCase) string {
		if strings.HasPrefix(c.status(), "HTTP/1.1 2") {
			return c.status()
		}
		return c.status() + c.body()
	})
}

// firsts leaves one case of a kind for each route.
func firsts(cases []*contractCase, kind func(*contractCase) string) []*contractCase {
	seen := map[string]bool{}
	return slices.DeleteFunc(cases, func(c *contractCase) bool {
		k := c.route + " " + kind(c)
		defer func() { seen[k] = true }()
		return seen[k]
	})
}

// TestContractOnRefserver shows that the program is put together as the cases have it.
// What only a test in one process can bring about (a provider that is not configured, a
// database that fails) is no part of it.
func TestContractOnRefserver(t *testing.T) {
	start := newWorld(t).onRefserver(t)
	cases := slices.DeleteFunc(loadCases(t), func(c *contractCase) bool { return prepare(t, c).inProcess })
	for _, c := range samples(cases) {
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
