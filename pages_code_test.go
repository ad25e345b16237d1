package openlectern_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"strings"
	"testing"
)

// pagesOfExamples are pages whose Go code is that of examples, with the files of these.
var pagesOfExamples = map[string][]string{
	"docs/from-go.md": {"learning/example_calling_test.go",
		"learning/httpapi/example_own_routes_test.go"},
	"docs/transactions.md": {"learning/example_transactions_test.go", "learning/example_test.go"},
}

// goCode is a block of Go in a page.
var goCode = regexp.MustCompile("(?s)```go\n(.*?)```")

// withoutIndent returns a text without the white space at the beginnings of its lines.
func withoutIndent(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// The code of these pages runs: each block is a part of a file of examples.
func TestPages_ShowCodeOfExamples(t *testing.T) {
	for page, files := range pagesOfExamples {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var source strings.Builder
		for _, file := range files {
			if !strings.Contains(string(text), "](../"+file+")") {
				t.Errorf("%s does not link to %s, whose code it shows", page, file)
			}
			code, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			source.WriteString(withoutIndent(string(code)) + "\n")
		}
		blocks := goCode.FindAllStringSubmatch(string(text), -1)
		if len(blocks) < 3 {
			t.Errorf("%s has %d blocks of Go", page, len(blocks))
		}
		for _, block := range blocks {
			if !strings.Contains(source.String(), withoutIndent(block[1])) {
				t.Errorf("%s shows code that is not in %v:\n%s", page, files, block[1])
			}
		}
	}
}

// Go compiles an example without an output, and does not run it.
func TestExamples_OfPagesRun(t *testing.T) {
	for _, files := range pagesOfExamples {
		for _, file := range files {
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			examples := doc.Examples([]*ast.File{parsed}...)
			if len(examples) == 0 {
				t.Errorf("%s has no examples", file)
			}
			for _, example := range examples {
				if example.Output == "" {
					t.Errorf("%s: the example %s does not run: say what it prints", file,
						example.Name)
				}
			}
		}
	}
}
