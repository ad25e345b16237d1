package sqlrules

import (
	"bufio"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/storetest"
	"github.com/openlectern/openlectern/learning"
)

// documentedDifferences are those that docs/engines.md lists.
var documentedDifferences = []string{
	"advisory lock",
	"change of tables in a transaction",
	"collation of a column",
	"function hashtextextended",
	"function set_config",
}

// TestStore_DiffersFromCockroachDBAsDocumented runs the suite of the store on a PostgreSQL that
// logs what it receives.
func TestStore_DiffersFromCockroachDBAsDocumented(t *testing.T) {
	server := enginetest.StartPostgreSQL(t)
	log := server.LogStatements()
	t.Run("suite", func(t *testing.T) {
		storetest.Run(t, func(tb testing.TB) learning.Store {
			return migrated(tb, server.Reused(tb))
		})
	})
	seen := map[string]string{} // an example of each difference
	statements := loggedStatements(t, log)
	for s := range statements {
		for _, difference := range CockroachDifferences(s.text, s.inTransaction) {
			seen[difference] = s.text
		}
	}
	if len(statements) < 500 {
		t.Errorf("%d statements: the log does not have all", len(statements))
	}
	var got []string
	for difference, example := range seen {
		got = append(got, difference)
		if !slices.Contains(documentedDifferences, difference) {
			t.Logf("%s in %.300s", difference, example)
		}
	}
	slices.Sort(got)
	if diff := cmp.Diff(documentedDifferences, got); diff != "" {
		t.Errorf("the differences, against those of docs/engines.md: %s", diff)
	}
}

// statement is one that a database test_N has received.
type statement struct {
	text          string
	inTransaction bool
}

var (
	prefix    = regexp.MustCompile(`^(?:statement|execute [^:]*): `)
	begins    = regexp.MustCompile(`(?i)^\s*BEGIN\b`)
	endsBlock = regexp.MustCompile(`(?i)^\s*(COMMIT|ROLLBACK)\b`)
)

// loggedStatements reads the log of a server.
func loggedStatements(t *testing.T, file string) map[statement]bool {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all := map[statement]bool{}
	open := map[string]bool{} // the sessions that are in a transaction
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct {
			Database    string `json:"dbname"`
			Application string `json:"application_name"`
			Session     string `json:"session_id"`
			Message     string `json:"message"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatal(err)
		}
		kind := prefix.FindString(line.Message)
		if kind == "" || !strings.HasPrefix(line.Database, "test_") ||
			line.Application == enginetest.Administrator {
			continue
		}
		text := strings.TrimPrefix(line.Message, kind)
		switch {
		case begins.MatchString(text):
			open[line.Session] = true
		case endsBlock.MatchString(text):
			open[line.Session] = false
		default:
			all[statement{text: text, inTransaction: open[line.Session]}] = true
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func TestCockroachDifferences(t *testing.T) {
	for text, want := range map[string][]string{
		"SELECT id FROM a WHERE b = 'pg_advisory_lock(1)' LIMIT 1": nil,
		"SELECT COUNT(*) FROM a WHERE b IN ($1, $2)":               nil,
		"SELECT pg_advisory_xact_lock(hashtextextended($1, 0))": {"advisory lock",
			"function hashtextextended"},
		`CREATE TABLE a (id VARCHAR(64) COLLATE "C" NOT NULL PRIMARY KEY)`: {
			"collation of a column", "change of tables in a transaction"},
		"SELECT string_agg(id, ',') FROM a": {"function string_agg"},
		"LISTEN a":                          {"LISTEN or NOTIFY"},
	} {
		if diff := cmp.Diff(want, CockroachDifferences(text, true)); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
}
