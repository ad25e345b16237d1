package storetest

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// TestSuite_CallsEveryMethod fails if no test of the suite calls a method of a transaction, which
// has the methods of the reader too. Methods without a context run no statement.
func TestSuite_CallsEveryMethod(t *testing.T) {
	called := selectors(t)
	for m := range reflect.TypeFor[learning.Tx]().Methods() {
		statement := m.Type.NumIn() > 0 && m.Type.In(0) == reflect.TypeFor[context.Context]()
		if statement && !called[m.Name] {
			t.Errorf("no test of the suite calls %s: add one to internal/storetest, in the file of its noun", m.Name)
		}
	}
}

// selectors returns the names x of all expressions y.x in the suite, without those of packages.
func selectors(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		maps.Copy(found, selectorsOf(t, file))
	}
	return found
}

func selectorsOf(t *testing.T, file string) map[string]bool {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		// The function that is called, and functions that are arguments, such as method values.
		for _, e := range append([]ast.Expr{call.Fun}, call.Args...) {
			if s, ok := e.(*ast.SelectorExpr); ok && !isPackage(s.X) {
				found[s.Sel.Name] = true
			}
		}
		return true
	})
	return found
}

func isPackage(x ast.Expr) bool {
	name, ok := x.(*ast.Ident)
	return ok && name.Name == "learning"
}

// TestEach_IsComplete fails if a method that reads row by row is not in each.
func TestEach_IsComplete(t *testing.T) {
	for m := range reflect.TypeFor[learning.Reader]().Methods() {
		if strings.HasPrefix(m.Name, "Each") && each[m.Name] == nil {
			t.Errorf("%s is not in the map each in internal/storetest/each.go", m.Name)
		}
	}
}
