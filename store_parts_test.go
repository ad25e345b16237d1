package openlectern

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// parse returns the syntax of the product files of a folder.
func parse(t *testing.T, files *token.FileSet, folder string) (all []*ast.File) {
	t.Helper()
	for _, name := range productFiles(t, folder) {
		f, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

// storeMethods returns the names of the methods by which a store reads and writes.
func storeMethods(t *testing.T) map[string]bool {
	t.Helper()
	methods := map[string]bool{}
	for _, f := range parse(t, token.NewFileSet(), "learning/store") {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv != nil && fn.Name.IsExported() {
				methods[fn.Name.Name] = true
			}
		}
	}
	return methods
}

// notOfStore are interfaces of others, which have a method of the same name.
var notOfStore = []string{"HostTx", "Store"} // file.Store

// A part of the store is declared once, by the room of its noun, which later rooms embed. A copy
// would be a second place to change, with a comment of its own.
func TestRooms_DeclareEachStoreMethodOnce(t *testing.T) {
	ofStore := storeMethods(t)
	declared := map[string][]string{}
	for _, room := range append(slices.Concat(rooms...), "learning") {
		files := token.NewFileSet()
		for _, f := range parse(t, files, room) {
			ast.Inspect(f, func(n ast.Node) bool {
				named, ok := n.(*ast.TypeSpec)
				if !ok || slices.Contains(notOfStore, named.Name.Name) {
					return true
				}
				part, ok := named.Type.(*ast.InterfaceType)
				if !ok {
					return true
				}
				for _, m := range part.Methods.List {
					if len(m.Names) == 1 && ofStore[m.Names[0].Name] {
						name := m.Names[0].Name
						declared[name] = append(declared[name],
							files.Position(m.Pos()).String())
					}
				}
				return true
			})
		}
	}
	if len(declared) < 200 {
		t.Errorf("%d methods of the store are declared", len(declared))
	}
	for name, places := range declared {
		if len(places) > 1 {
			t.Errorf("%s of the store is declared by %s: declare it once, in an exported "+
				"interface of the earliest room, and embed that", name,
				strings.Join(places, " and "))
		}
	}
}
