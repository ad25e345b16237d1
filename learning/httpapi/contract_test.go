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

var update = flag.Bool("update", false,
	"write the answers of the contract cases anew: read each one afterwards")

func TestMain(m *testing.M) { enginetest.Main(m) }

// TestContract runs all cases on SQLite; a plain go test runs samples. The servers take samples:
// each a success of each route, and a share of the refusals. With LEARNING_TEST_CONTRACT=all in the
// environment it runs all cases on every engine whose requests reach the database, and with
// LEARNING_TEST_CONTRACT=sqlite samples on SQLite only.
func TestContract(t *testing.T) {
	t.Parallel()
	w := contracttest.NewFixture(t)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		cases := contracttest.LoadCases(t)
		switch {
		case e.Name == "SQLite" && enginetest.Samples(t) && !*update:
			runCases(t, contracttest.FewSamples(contracttest.LoadAllCases(t)), w.OnSQLite, false)
		case e.Name == "SQLite" && contracttest.OnlySQLite() && !*update:
			runCases(t, contracttest.Samples(contracttest.LoadAllCases(t)), w.OnSQLite, false)
		case e.Name == "SQLite":
			runCases(t, contracttest.LoadAllCases(t), w.OnSQLite, *update)
		case contracttest.OnlySQLite():
			t.Skip("left out: this test on a server, because LEARNING_TEST_CONTRACT is sqlite")
		case contracttest.AllCases():
			runCases(t, reachDatabase(cases), w.On(w.ServerDatabases(t, e.URL)), false)
		default:
			runCases(t, ofServer(reachDatabase(contracttest.Samples(cases)), e.Name),
				w.On(w.ServerDatabases(t, e.URL)), false)
		}
	})
}

// TestContract_WithAPrefix runs cases with a prefix of the names of all tables: a success of each
// noun, and with LEARNING_TEST_CONTRACT=all every success, and a refusal of each kind that reaches
// the database.
func TestContract_WithAPrefix(t *testing.T) {
	t.Parallel()
	w, cases := contracttest.NewFixture(t), contracttest.LoadCases(t)
	cases = contracttest.Samples(reachDatabase(cases))
	if !contracttest.AllCases() {
		cases = contracttest.FirstOfEachNoun(cases)
	}
	runCases(t, cases, w.On(w.WithPrefix(t, "lectern_")), false)
}

func runCases(t *testing.T, cases []*contracttest.Case, start contracttest.Engine, rewrite bool) {
	for _, c := range cases {
		t.Run(c.Route+"/"+c.Name, func(t *testing.T) {
			t.Parallel()
			c.Run(t, start, rewrite, checkAgainstDocument)
		})
	}
}

// reachDatabase leaves out the cases of requests that are refused because of their form: their
// answer is the same on every engine, and SQLite has them all. It overwrites cases.
func reachDatabase(cases []*contracttest.Case) []*contracttest.Case {
	return slices.DeleteFunc(cases, func(c *contracttest.Case) bool {
		return refusedForForm.MatchString(c.Status()) && c.Changes == ""
	})
}

// ofServer returns the samples that a server takes: the successes that write, and its share of
// those that only read and of the refusals. MySQL, whose statements are those of MariaDB, takes its
// share of all. It overwrites samples.
func ofServer(samples []*contracttest.Case, name string) []*contracttest.Case {
	servers := []string{"MariaDB", "MySQL", "PostgreSQL"}
	shared := 0
	return slices.DeleteFunc(samples, func(c *contracttest.Case) bool {
		if c.Succeeds() && !c.OnlyReads() && name != "MySQL" {
			return false
		}
		shared++
		return servers[shared%len(servers)] != name
	})
}

var refusedForForm = regexp.MustCompile(`^HTTP/1\.1 (400|401|405|413|415) `)

// TestContractOnRefserver runs cases against the reference server, to show that it configures the
// library as the cases expect. It leaves out cases that only a test in one process can prepare (a
// provider that is not configured, a database that fails). The cases that only read share one
// process; each other case starts its own, so that it takes one of each noun of these.
func TestContractOnRefserver(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "process", nil)
	start := onRefserver(t, contracttest.NewFixture(t))
	cases := slices.DeleteFunc(contracttest.LoadCases(t), func(c *contracttest.Case) bool {
		return contracttest.Prepare(t, c).InProcess || !c.Succeeds()
	})
	reading, changing := onlyReading(contracttest.Samples(cases))
	changing = contracttest.FirstOfEachNoun(changing)
	t.Run("reading", func(t *testing.T) {
		server := start(t, &contracttest.Setup{})
		shared := func(*testing.T, *contracttest.Setup) *contracttest.Server { return server }
		for _, c := range reading { // one after the other, so that the server soon ends
			t.Run(c.Route+"/"+c.Name,
				func(t *testing.T) { c.Run(t, shared, false, checkAgainstDocument) })
		}
	})
	runCases(t, changing, start, false)
}

// onlyReading separates the cases that one server can answer from the others.
func onlyReading(cases []*contracttest.Case) (reading, others []*contracttest.Case) {
	for _, c := range cases {
		if c.OnlyReads() {
			reading = append(reading, c)
		} else {
			others = append(others, c)
		}
	}
	return reading, others
}

// checkAgainstDocument compares an answer with the API document, and the body of a request that
// succeeded.
func checkAgainstDocument(t *testing.T, c *contracttest.Case, sent string,
	got *contracttest.Response) {
	t.Helper()
	d := apiDocument(t)
	if !d.has(c.Route) {
		return
	}
	if err := d.checkAnswer(c.Route, got); err != nil {
		t.Errorf("the answer: %#v", err)
	}
	mayBeInvalid := d.rows[c.Route].JudgesBody && c.Name != "success"
	if got.StatusCode != http.StatusOK || !json.Valid([]byte(sent)) || mayBeInvalid {
		return
	}
	if err := d.checkRequest(c.Route, []byte(sent)); err != nil {
		t.Errorf("the request: %#v", err)
	}
}
