// Command racetests lists the tests of packages, one a line: the import path of the package, the
// name of the test, and "concurrent" if concurrency is its subject, so that the race detector runs
// it on several engines, or "others". It is run in the folder of a module:
//
//	racetests ./...
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	// wholePackages are packages all of whose tests are of concurrency.
	wholePackages = regexp.MustCompile(`/internal/(batch|lease|singleflight)$`)
	// concurrentName is the name of a test of concurrency.
	concurrentName = regexp.MustCompile(`Concurrent|AtOnce|Race`)
	// killedName is the name of a test whose server is another process, which is killed. They are
	// others: the detector does not see into it.
	killedName = regexp.MustCompile(`_Killed`)
)

// startsProcess are the functions that start the server as another process. Their tests are others,
// because they take long.
var startsProcess = map[string]bool{"newDeployment": true, "newTwoServers": true,
	"newProxied": true, "newInstances": true, "process": true}

func main() {
	if err := list(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "racetests:", err)
		os.Exit(1)
	}
}

// list prints the tests of the packages that match patterns.
func list(patterns []string) error {
	const format = `{{$p := .}}{{range .TestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}` +
		`{{end}}{{range .XTestGoFiles}}{{$p.ImportPath}} {{$p.Dir}}/{{.}}{{"\n"}}{{end}}`
	out, err := exec.Command("go", append([]string{"list", "-f", format}, patterns...)...).Output()
	if err != nil {
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, failed.Stderr)
		}
		return fmt.Errorf("list the packages: %w", err)
	}
	for line := range strings.Lines(string(out)) {
		pkg, file, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found { // an empty line
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("read a file of tests: %w", err)
		}
		for _, t := range testsOf(pkg, filepath.Base(file), parsed) {
			fmt.Println(t)
		}
	}
	return nil
}

// testsOf returns the lines of the tests of a file.
func testsOf(pkg, file string, parsed *ast.File) (lines []string) {
	isRaceFile := strings.HasSuffix(file, "_race_test.go")
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || !isTest(f) {
			continue
		}
		kind := "others"
		if (isRaceFile || wholePackages.MatchString(pkg) ||
			concurrentName.MatchString(f.Name.Name) ||
			startsGoroutines(f)) && !callsAny(f, startsProcess) &&
			!killedName.MatchString(f.Name.Name) {
			kind = "concurrent"
		}
		lines = append(lines, fmt.Sprintf("%s %s %s", pkg, f.Name.Name, kind))
	}
	return lines
}

// isTest reports whether f is a test: TestMain, whose argument is another one, is none.
func isTest(f *ast.FuncDecl) bool {
	return strings.HasPrefix(f.Name.Name, "Test") && f.Recv == nil &&
		len(f.Type.Params.List) == 1 && len(f.Type.Params.List[0].Names) == 1 &&
		f.Type.Params.List[0].Names[0].Name == "t"
}

// startsGoroutines reports whether a test starts goroutines itself: by a go statement, by the
// method Go, or by a helper whose name is Concurrently.
func startsGoroutines(f *ast.FuncDecl) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if _, ok := n.(*ast.GoStmt); ok {
			found = true
		}
		return !found
	})
	return found || callsAny(f, map[string]bool{"Go": true, "Concurrently": true,
		"concurrently": true})
}

// callsAny reports whether a test calls one of the functions or methods.
func callsAny(f *ast.FuncDecl, names map[string]bool) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			found = found || names[calledName(call.Fun)]
		}
		return !found
	})
	return found
}

// calledName returns the name of a called function or method, or "".
func calledName(called ast.Expr) string {
	switch fun := called.(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	case *ast.IndexExpr: // with a type argument
		return calledName(fun.X)
	}
	return ""
}
