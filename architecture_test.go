package openlectern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// constants returns the constants of a file with the values that it writes, by their names. Those
// of a type have it before their names, such as "RefundStatus.RefundPending".
func constants(t *testing.T, file string) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, isValue := n.(*ast.ValueSpec)
		if !isValue {
			return true
		}
		for i, name := range spec.Names {
			if i >= len(spec.Values) {
				continue
			}
			literal, isLiteral := spec.Values[i].(*ast.BasicLit)
			if !isLiteral {
				continue
			}
			kind := ""
			if of, hasType := spec.Type.(*ast.Ident); hasType {
				kind = of.Name + "."
			}
			found[kind+name.Name] = literal.Value
		}
		return true
	})
	return found
}

// architecturePage returns the text of docs/architecture.md.
func architecturePage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var (
	statePicture    = regexp.MustCompile("(?s)```mermaid\nstateDiagram-v2\n(.*?)```")
	stateTransition = regexp.MustCompile(`(?m)^    (\S+) --> (\S+?)(?:: .+)?$`)
)

// A picture of the page has the states that the code has, and each can be entered.
func TestArchitecturePage_PicturesHaveTheStatesOfTheCode(t *testing.T) {
	pictures := statePicture.FindAllStringSubmatch(architecturePage(t), -1)
	sources := []struct{ file, kind string }{
		{"learning/purchase/purchase_status.go", "Status."},
		{"learning/payment/provider.go", "RefundStatus."},
		{}, // an attempt, whose state follows from its times
		{"learning/assess/assignment_submission.go", "SubmissionStatus."},
	}
	if len(pictures) != len(sources) {
		t.Fatalf("the page has %d pictures of states, want %d", len(pictures), len(sources))
	}
	for i, source := range sources {
		left, entered := map[string]bool{}, map[string]bool{}
		for _, arrow := range stateTransition.FindAllStringSubmatch(pictures[i][1], -1) {
			left[arrow[1]], entered[arrow[2]] = true, true
		}
		if n := strings.Count(pictures[i][1], "-->"); n == 0 || n !=
			len(stateTransition.FindAllString(pictures[i][1], -1)) {
			t.Errorf("picture %d has lines that are no transition:\n%s", i+1, pictures[i][1])
		}
		want := map[string]bool{}
		if source.file == "" {
			want = map[string]bool{"open": true, "over": true, "submitted": true}
		} else {
			for name, value := range constants(t, source.file) {
				if strings.HasPrefix(name, source.kind) {
					want[strings.Trim(value, `"`)] = true
				}
			}
		}
		delete(entered, "[*]")
		delete(left, "[*]")
		if got := slices.Sorted(maps.Keys(entered)); !slices.Equal(got,
			slices.Sorted(maps.Keys(want))) {
			t.Errorf("picture %d enters the states %v, want %v", i+1, got, want)
		}
		for state := range left {
			if !entered[state] {
				t.Errorf("picture %d leaves %s and never enters it", i+1, state)
			}
		}
	}
}

// The table of the runs of a transaction, and the one in the code, have the numbers of the code.
func TestArchitecturePage_TableHasTheRunsOfTheCode(t *testing.T) {
	page := architecturePage(t)
	comment, err := os.ReadFile("learning/core/envelope.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, limit := range []struct{ file, name, row string }{
		{"internal/sqldb/tx_run.go", "maxTries", "| `Store.InTx` | deadlock"},
		{"internal/sqldb/tx_run.go", "maxConflicts", "| `Store.InTx` | the server"},
		{"internal/outbox/outbox.go", "maxSeqTries", "| `outbox.Retry` |"},
		{"internal/record/record.go", "tries", "| `record.RetryDuplicate` |"},
	} {
		value := constants(t, limit.file)[limit.name]
		if _, err := strconv.Atoi(value); err != nil {
			t.Errorf("%s has no number %s", limit.file, limit.name)
		}
		_, row, found := strings.Cut(page, limit.row)
		row, _, _ = strings.Cut(row, "\n")
		if !found || !strings.Contains(row, "| "+value+" |") {
			t.Errorf("the row %s of the page does not say %s:%s", limit.row, value, row)
		}
		if !regexp.MustCompile(`//\t.*\b` + value + `\b`).Match(comment) {
			t.Errorf("the table in learning/core/envelope.go does not say %s", value)
		}
	}
}

// Each package of the machinery has a row in the table of the page, and no other has.
func TestArchitecturePage_TableHasThePackages(t *testing.T) {
	var want []string
	for _, folder := range []string{"internal", "checks"} {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range entries {
			if entry.IsDir() && entry.Name() != "testdata" {
				want = append(want, folder+"/"+entry.Name())
			}
		}
	}
	var got []string
	rows := regexp.MustCompile("(?m)^\\| `((?:internal|checks)/\\w+)` \\|")
	for _, row := range rows.FindAllStringSubmatch(architecturePage(t), -1) {
		got = append(got, row[1])
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("docs/architecture.md has rows for\n%v, want\n%v", got, want)
	}
}
