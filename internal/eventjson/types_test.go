package eventjson

import (
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
)

var update = flag.Bool("update", false, "write the table of docs/events.md anew")

// Each type of events of the library is declared, once and completely.
func TestTypes_DeclareEachEvent(t *testing.T) {
	const list = "Types of internal/eventjson/types.go"
	constants := eventConstants(t)
	if len(constants) == 0 {
		t.Fatal("no constant of the type EventType was found")
	}
	for name, constant := range constants {
		if _, declared := TypeOf(core.EventType(name)); !declared {
			t.Errorf("%s is not declared: add it to %s", constant, list)
		}
	}
	seen := map[core.EventType]bool{}
	for _, kind := range Types {
		if constants[string(kind.Name)] == "" {
			t.Errorf("%q is no constant of the type EventType: remove it from %s, or add the "+
				"constant beside its noun", kind.Name, list)
		}
		if seen[kind.Name] {
			t.Errorf("%s is twice in %s", kind.Name, list)
		}
		seen[kind.Name] = true
		if kind.Text == "" || strings.HasSuffix(kind.Text, ".") {
			t.Errorf("%s: give it a Text without a full stop in %s", kind.Name, list)
		}
		if !slices.Contains([]string{"course", "purchase", "user"}, kind.Subject) ||
			!slices.Contains(kind.Fields, Field{Name: kind.Subject + "Id"}) {
			t.Errorf("%s: its Subject %q must be course, purchase or user, and its Fields must "+
				"have the id of it: see %s", kind.Name, kind.Subject, list)
		}
	}
}

// eventConstants returns the names of the constants of the type EventType in the library, by their
// values.
func eventConstants(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir("../../learning", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(node ast.Node) bool {
			spec, isSpec := node.(*ast.ValueSpec)
			if !isSpec || nameOf(spec.Type) != "EventType" {
				return true
			}
			for i, value := range spec.Values {
				if text, isText := value.(*ast.BasicLit); isText {
					event, err := strconv.Unquote(text.Value)
					if err != nil {
						t.Error(err)
					}
					found[event] = spec.Names[i].Name
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// nameOf returns the name of a type, without that of its package.
func nameOf(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// Data has the fields of core.EventData in their order, each with an example and in some type.
func TestData_HasTheFieldsOfEvents(t *testing.T) {
	data, event := reflect.TypeFor[Data](), reflect.TypeFor[core.EventData]()
	for i := range max(data.NumField(), event.NumField()) {
		if i >= data.NumField() || i >= event.NumField() ||
			data.Field(i).Name != event.Field(i).Name {
			t.Fatalf("field %d of Data in internal/eventjson/eventjson.go is not that of "+
				"core.EventData in learning/core/event.go: both must have the same fields in the "+
				"same order", i+1)
		}
	}
	known := map[string]bool{}
	for field := range data.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		known[name] = true
		if field.Tag.Get("example") == "" {
			t.Errorf("Data.%s in internal/eventjson/eventjson.go has no tag example", field.Name)
		}
		if !slices.ContainsFunc(Types, func(kind Type) bool {
			return slices.ContainsFunc(kind.Fields, func(f Field) bool { return f.Name == name })
		}) {
			t.Errorf("no type has the field %s: add it to the Fields of one in "+
				"internal/eventjson/types.go", name)
		}
	}
	for _, kind := range Types {
		for _, f := range kind.Fields {
			if !known[f.Name] {
				t.Errorf("%s: the field %s is not in Data of internal/eventjson/eventjson.go",
					kind.Name, f.Name)
			}
		}
	}
}

// The page has the table that follows from the types.
func TestEventsPage_HasTheTableOfTypes(t *testing.T) {
	const path, heading = "../../docs/events.md",
		"| Type | When | Subject | Fields of `data` |\n|---|---|---|---|\n"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(page), heading)
	if !found {
		t.Fatalf("docs/events.md does not have the line %s", heading)
	}
	old, after, _ := strings.Cut(rest, "\n\n")
	table := typesTable()
	if old == table {
		return
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+heading+table+"\n\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	rows := strings.Split(old, "\n")
	for row := range strings.SplitSeq(table, "\n") {
		if !slices.Contains(rows, row) {
			t.Errorf("docs/events.md lacks the row\n\t%s\nof Types in internal/eventjson/types.go",
				row)
		}
	}
	t.Error("run go test ./internal/eventjson -run EventsPage -update to write the table anew")
}

// typesTable returns the rows of the table of all types.
func typesTable() string {
	var rows []string
	for i, kind := range Types {
		when := strings.ToLower(kind.Text[:1]) + kind.Text[1:]
		if kind.Note != "" {
			when += "; " + kind.Note
		}
		fields := fieldsText(kind.Fields)
		if i > 0 && slices.Equal(kind.Fields, Types[i-1].Fields) {
			fields = "the same"
		}
		rows = append(rows, "| `"+string(kind.Name)+"` | "+when+" | `"+kind.Subject+":` | "+
			fields+" |")
	}
	return strings.Join(rows, "\n")
}

// fieldsText lists fields: first those that all events have, then the others with their conditions.
func fieldsText(all []Field) string {
	var always, sometimes, names []string
	for i, f := range all {
		name := "`" + f.Name + "`"
		if f.If == "" {
			always = append(always, name)
			continue
		}
		names = append(names, name)
		if i+1 == len(all) || all[i+1].If != f.If { // the last one with this condition
			sometimes = append(sometimes, strings.Join(names, " and ")+" "+f.If)
			names = nil
		}
	}
	text := strings.Join(always, ", ")
	if len(sometimes) > 0 {
		text += "; " + strings.Join(sometimes, ", ")
	}
	return text
}
