package storetest

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// TestSuite_CallsEveryMethod fails if no test calls a method of a transaction, which has the
// methods of the reader too, on every dialect. That is a test of the suite, or for a read a test of
// package learning or a room that calls the operation of the same name. Methods without a context
// run no statement.
func TestSuite_CallsEveryMethod(t *testing.T) {
	called, operations := map[string]bool{}, map[string]bool{}
	for _, file := range parsed(t, "*.go") {
		maps.Copy(called, selectorsOf(file, importsOf(file)))
	}
	tests := append(parsed(t, "../../learning/*_test.go"), parsed(t,
		"../../learning/*/*_test.go")...)
	for _, file := range tests {
		for _, declared := range file.Decls {
			if f, isFunc := declared.(*ast.FuncDecl); isFunc && runsOnEngines(f) {
				maps.Copy(operations, selectorsOf(f, importsOf(file)))
			}
		}
	}
	for m := range reflect.TypeFor[learning.Reader]().Methods() {
		called[m.Name] = called[m.Name] || operations[m.Name]
	}
	for m := range reflect.TypeFor[learning.Tx]().Methods() {
		statement := m.Type.NumIn() > 0 && m.Type.In(0) == reflect.TypeFor[context.Context]()
		if statement && !called[m.Name] {
			t.Errorf("no test calls %s on every dialect: add one to internal/storetest, in the "+
				"file of its noun, or for a read with an operation of the same name one with "+
				"roomtest.OnEngines to its room", m.Name)
		}
	}
}

// parsed parses the files of a pattern, without the tests of this package.
func parsed(t *testing.T, pattern string) (files []*ast.File) {
	t.Helper()
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		t.Fatalf("files of %s: %q (%v)", pattern, names, err)
	}
	for _, name := range names {
		if filepath.Dir(name) == "." && strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// runsOnEngines reports whether a function calls roomtest.OnEngines.
func runsOnEngines(f *ast.FuncDecl) (found bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, isSelector := n.(*ast.SelectorExpr)
		if isSelector {
			of, isName := s.X.(*ast.Ident)
			found = found || isName && of.Name == "roomtest" && s.Sel.Name == "OnEngines"
		}
		return !found
	})
	return found
}

// selectorsOf returns the names x of all expressions y.x that are called or are arguments, such as
// method values, without those of packages.
func selectorsOf(node ast.Node, packages map[string]bool) map[string]bool {
	found := map[string]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for _, e := range append([]ast.Expr{call.Fun}, call.Args...) {
			s, ok := e.(*ast.SelectorExpr)
			if !ok {
				continue
			}
			if of, isName := s.X.(*ast.Ident); !isName || !packages[of.Name] {
				found[s.Sel.Name] = true
			}
		}
		return true
	})
	return found
}

// importsOf returns the names of the packages that a file imports.
func importsOf(file *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, spec := range file.Imports {
		names[path.Base(strings.Trim(spec.Path.Value, `"`))] = true
	}
	return names
}

// TestEach_IsComplete fails if a method that reads row by row is not in each.
func TestEach_IsComplete(t *testing.T) {
	for m := range reflect.TypeFor[learning.Reader]().Methods() {
		if strings.HasPrefix(m.Name, "Each") && each[m.Name] == nil {
			t.Errorf("%s is not in the map each in internal/storetest/each.go", m.Name)
		}
	}
}
