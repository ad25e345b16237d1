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
// environment MariaDB and PostgreSQL take every success, and each refusal whose request reaches the
// database is tried on a server.
func TestContract(t *testing.T) {
	t.Parallel()
	w := contracttest.NewFixture(t)
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		cases := contracttest.LoadCases(t)
		switch {
		case e.Name == "SQLite" && enginetest.Samples(t) && !*update:
			runCases(t, contracttest.FewSamples(contracttest.LoadAllCases(t)), w.OnSQLite, false)
		case e.Name == "SQLite":
			runCases(t, contracttest.LoadAllCases(t), w.OnSQLite, *update)
		case contracttest.AllCases():
			runCases(t, ofServer(reachDatabase(cases), e.Name, (*contracttest.Case).Succeeds),
				w.On(w.ServerDatabases(t, e.URL)), false)
		default:
			runCases(t, ofServer(reachDatabase(contracttest.Samples(cases)), e.Name, succeedsWriting),
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

// ofServer returns the cases that a server takes: those of both, on which MariaDB and PostgreSQL
// may differ, and its third of the others. MySQL, whose statements are those of MariaDB, takes a
// third of those of both too. It overwrites cases.
func ofServer(
	cases []*contracttest.Case, name string, ofBoth func(*contracttest.Case) bool,
) []*contracttest.Case {
	servers := []string{"MariaDB", "MySQL", "PostgreSQL"}
	seen := map[bool]int{}
	return slices.DeleteFunc(cases, func(c *contracttest.Case) bool {
		both := ofBoth(c)
		seen[both]++
		isItsThird := servers[seen[both]%len(servers)] == name
		return !isItsThird && (!both || name == "MySQL")
	})
}

// ofCluster returns the cases that a cluster takes: a success of each route that writes, because
// its nodes differ from one server in nothing else. It overwrites cases.
func ofCluster(cases []*contracttest.Case) []*contracttest.Case {
	cases = slices.DeleteFunc(cases, func(c *contracttest.Case) bool { return !succeedsWriting(c) })
	return contracttest.Firsts(cases, func(c *contracttest.Case) string { return c.Route })
}

// succeedsWriting reports whether a case succeeds and changes rows.
func succeedsWriting(c *contracttest.Case) bool { return c.Succeeds() && !c.OnlyReads() }

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
