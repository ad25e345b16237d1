package httpapi_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"regexp"
	"slices"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"

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
	w := contracttest.NewFixture(t)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		cases := contracttest.LoadCases(t)
		switch {
		case e.Name == "SQLite":
			runCases(t, cases, w.OnSQLite, *update)
		case contracttest.OnlySQLite():
			t.Skip("left out: this test on a server, because LEARNING_TEST_CONTRACT is sqlite")
		case contracttest.AllCases():
			runCases(t, cases, w.On(w.ServerDatabases(t, e.URL)), false)
		case e.Name == "MariaDB":
			runCases(t, withoutRepetitions(cases), w.On(w.ServerDatabases(t, e.URL)), false)
		default:
			runCases(t, contracttest.Samples(cases), w.On(w.ServerDatabases(t, e.URL)), false)
		}
	})
}

func runCases(t *testing.T, cases []*contracttest.Case, start contracttest.Engine, rewrite bool) {
	for _, c := range cases {
		t.Run(c.Route+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, start, rewrite, checkAgainstDocument)
		})
	}
}

// withoutRepetitions leaves out cases whose answer cannot depend on the engine: of the requests
// to a route that are refused with the same answer because of their form, it keeps the first.
func withoutRepetitions(cases []*contracttest.Case) []*contracttest.Case {
	return contracttest.Firsts(cases, func(c *contracttest.Case) string {
		if !refusedForForm.MatchString(c.Status()) || c.Changes != "" {
			return c.Name
		}
		return c.Status() + c.Body()
	})
}

var refusedForForm = regexp.MustCompile(`^HTTP/1\.1 (400|401|405|413|415) `)

// TestContractOnRefserver runs cases against the reference server, to show that it configures the
// library as the cases expect. It leaves out cases that only a test in one process can prepare (a
// provider that is not configured, a database that fails). Each case starts a process, so it runs
// one success of each route, and with LEARNING_TEST_CONTRACT=all also one of each refusal.
func TestContractOnRefserver(t *testing.T) {
	t.Parallel()
	start := onRefserver(t, contracttest.NewFixture(t))
	cases := slices.DeleteFunc(contracttest.LoadCases(t), func(c *contracttest.Case) bool {
		return contracttest.Prepare(t, c).InProcess || !c.Succeeds() && !contracttest.AllCases()
	})
	runCases(t, contracttest.Samples(cases), start, false)
}

// checkAgainstDocument compares an answer with the API document, and the body of a request that
// succeeded.
func checkAgainstDocument(t *testing.T, c *contracttest.Case, sent string, got *contracttest.Response) {
	t.Helper()
	d := apiDocument(t)
	if !d.has(c.Route) {
		return
	}
	if err := d.checkAnswer(c.Route, got); err != nil {
		t.Errorf("the answer: %#v", err)
	}
	if got.StatusCode != http.StatusOK || !json.Valid([]byte(sent)) {
		return
	}
	if err := d.checkRequest(c.Route, []byte(sent)); err != nil {
		t.Errorf("the request: %#v", err)
	}
}
