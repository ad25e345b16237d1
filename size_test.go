package openlectern

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The sizes up to which a reader can hold a room, and a function.
const (
	maxRoomFiles     = 30
	maxRoomLines     = 4_500
	maxFunctionLines = 60
)

// productFiles returns the files of a folder that are compiled into a product: none of a test, and
// none that a program has written.
func productFiles(t *testing.T, folder string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(folder + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(file string) bool {
		return strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".gen.go")
	})
}

func TestRooms_CanBeHeld(t *testing.T) {
	for _, room := range slices.Concat(rooms...) {
		files := productFiles(t, room)
		lines := 0
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			lines += bytes.Count(text, []byte("\n"))
		}
		if len(files) == 0 || len(files) > maxRoomFiles || lines > maxRoomLines {
			t.Errorf("%s has %d files and %d lines, and may have %d and %d: make another room of "+
				"what does not belong to the rest", room, len(files), lines, maxRoomFiles,
				maxRoomLines)
		}
	}
}

func TestFunctions_CanBeReadAtOnce(t *testing.T) {
	functions := 0
	for _, root := range []string{"learning", "internal", "cmd", "examples"} {
		err := filepath.WalkDir(root, func(folder string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			// Packages named after their tests, such as roomtest, are none of a product.
			isTesting := strings.HasSuffix(folder, "test") && entry.Name() != "learningtest"
			if isTesting || entry.Name() == "testdata" {
				return filepath.SkipDir
			}
			for _, file := range productFiles(t, folder) {
				functions += checkFunctions(t, file)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if functions < 1000 {
		t.Errorf("only %d functions were found", functions)
	}
}

// checkFunctions checks the length of each function of a file, and returns how many there are.
func checkFunctions(t *testing.T, file string) (functions int) {
	t.Helper()
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range parsed.Decls {
		f, isFunction := d.(*ast.FuncDecl)
		if !isFunction {
			continue
		}
		functions++
		from := set.Position(f.Pos()).Line
		if n := set.Position(f.End()).Line - from + 1; n > maxFunctionLines {
			t.Errorf("%s:%d: %s has %d lines, and may have %d: give a part of it a name", file,
				from, f.Name.Name, n, maxFunctionLines)
		}
	}
	return functions
}
