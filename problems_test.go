package openlectern_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// problemAnchor is the anchor of a code in docs/problems.md.
var problemAnchor = regexp.MustCompile(`(?m)^\| <a id="([^"]+)"></a>` + "`([^`]+)`")

// Every public error and every failure of HTTP has a code of its own, which docs/problems.md
// describes once. The page describes no other, but for the rate limits, whose codes have their
// names.
func TestProblemsPage_HasEachCodeOnce(t *testing.T) {
	page, err := os.ReadFile("docs/problems.md")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]int{}
	for _, match := range problemAnchor.FindAllStringSubmatch(string(page), -1) {
		if match[1] != match[2] {
			t.Errorf("the anchor of %s is %s", match[2], match[1])
		}
		described[match[1]]++
	}
	declared := declaredCodes(t)
	if len(declared) < 100 {
		t.Errorf("only %d codes were found", len(declared))
	}
	for code, places := range declared {
		if len(places) > 1 {
			t.Errorf("%s is the code of %d errors: %s", code, len(places), strings.Join(places, ", "))
		}
		if described[code] != 1 {
			t.Errorf("docs/problems.md describes %s %d times", code, described[code])
		}
	}
	for code := range described {
		if declared[code] == nil && !strings.HasPrefix(code, "rate_limited_") {
			t.Errorf("docs/problems.md describes %s, which no error has", code)
		}
	}
}

// declaredCodes returns the places of the errors that the packages declare, by their codes.
func declaredCodes(t *testing.T) map[string][]string {
	t.Helper()
	codes := map[string][]string{}
	for _, folder := range []string{"learning", "internal/web"} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				literal, ok := node.(*ast.CompositeLit)
				if !ok || !isFailureType(literal.Type) {
					return true
				}
				place := files.Position(literal.Pos()).String()
				switch code := codeOf(literal).(type) {
				case nil:
					t.Errorf("%s: the error has no code", place)
				case *ast.BasicLit:
					word, _ := strconv.Unquote(code.Value)
					codes[word] = append(codes[word], place)
				}
				return true // another expression is the code of another error, or that of a rate limit
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return codes
}

// isFailureType reports whether a type is that of a public error or of a failure of HTTP.
func isFailureType(t ast.Expr) bool {
	name := ""
	switch t := t.(type) {
	case *ast.Ident:
		name = t.Name
	case *ast.SelectorExpr:
		pkg, _ := t.X.(*ast.Ident)
		if pkg == nil || pkg.Name != "core" && pkg.Name != "web" {
			return false
		}
		name = t.Sel.Name
	}
	return name == "Error" || name == "Failure"
}

// codeOf returns the field Code of a literal, or nil.
func codeOf(literal *ast.CompositeLit) ast.Expr {
	for _, element := range literal.Elts {
		if field, ok := element.(*ast.KeyValueExpr); ok {
			if name, ok := field.Key.(*ast.Ident); ok && name.Name == "Code" {
				return field.Value
			}
		}
	}
	return nil
}
