package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// notOperators are folders whose lines no operator of a server in production reads.
var notOperators = []string{"examples", "internal/contracttest", "internal/storetest", "checks",
	"learning/learningtest", "learning/sandbox"}

// developmentLines are lines that only a server in development writes.
var developmentLines = []string{"serve the storefront",
	"prepare the demo; the next start tries again", "write the start-up text",
	"sign in for the reference page"}

// logLines returns the messages of all lines of level warn and error in the source, with their
// positions.
func logLines(t *testing.T) map[string]string {
	t.Helper()
	all, files := map[string]string{}, token.NewFileSet()
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains(notOperators, filepath.ToSlash(name)) ||
			strings.HasPrefix(entry.Name(), ".") && name != "."):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") ||
			strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if message, isLine := lineOf(call); isLine {
					all[message] = files.Position(call.Pos()).String()
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// lineOf returns the message of a call that logs a line of level warn or error. The message is
// empty if it is not constant.
func lineOf(call *ast.CallExpr) (message string, isLine bool) {
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !slices.Contains([]string{"Warn", "WarnContext", "Error", "ErrorContext"},
		method.Sel.Name) {
		return "", false
	}
	first := 0
	if strings.HasSuffix(method.Sel.Name, "Context") {
		first = 1
	}
	if len(call.Args) <= first || !isLogger(method.X) {
		return "", false
	}
	if literal, ok := call.Args[first].(*ast.BasicLit); ok {
		message, _ = strconv.Unquote(literal.Value)
	}
	return message, true
}

// isLogger reports whether an expression is a logger by its name: log, p.log or slog.
func isLogger(x ast.Expr) bool {
	name := ""
	switch x := x.(type) {
	case *ast.CallExpr: // newLogger(…)
		return isLogger(x.Fun)
	case *ast.Ident:
		name = x.Name
	case *ast.SelectorExpr:
		name = x.Sel.Name
	}
	return strings.HasSuffix(strings.ToLower(name), "log") ||
		strings.HasSuffix(strings.ToLower(name), "logger")
}

// TestOperationsPage_ExplainsEveryLogLine compares the lines of level warn and error in the code
// with the table of docs/operations.md, in both directions.
func TestOperationsPage_ExplainsEveryLogLine(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n## The log\n")
	section, _, _ = strings.Cut(section, "\n## ")
	explained := map[string]bool{}
	for line := range strings.Lines(section) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "|"), "|")
		for _, found := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(first, -1) {
			explained[found[1]] = strings.HasPrefix(line, "|")
		}
	}
	lines := logLines(t)
	if len(lines) < 20 {
		t.Fatalf("the code has the lines %v", lines)
	}
	for line, position := range lines {
		switch {
		case line == "":
			t.Errorf("%s: the message is not constant, so that no page can explain it", position)
		case !explained[line] && !slices.Contains(developmentLines, line):
			t.Errorf("%s: the section \"The log\" of docs/operations.md does not explain `%s`",
				position, line)
		}
	}
	for line := range explained {
		if lines[line] == "" {
			t.Errorf("docs/operations.md explains `%s`, which no code logs", line)
		}
	}
}
