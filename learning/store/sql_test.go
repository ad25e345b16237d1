package store

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
)

// foreign matches SQL that one of the engines, or a cluster, does not support or interprets
// differently.
var foreign = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\bFOR UPDATE\b`, `\bFOR SHARE\b`, `\bSKIP LOCKED\b`, `\bLOCK IN SHARE MODE\b`, `\bGET_LOCK\b`,
	`\bLOCK TABLES\b`,
	`\bRETURNING\b`, `\bON DUPLICATE\b`, `\bON CONFLICT\b`, `\bINSERT (OR )?IGNORE\b`,
	`\bINSERT OR\b`, `\bREPLACE INTO\b`, `\bAS new\b`,
	`\bAUTO_?INCREMENT\b`, `\bFOREIGN KEY\b`, `\bREFERENCES\b`, `\bCASCADE\b`, `\bCHECK \(`,
	`\bOVER \(`, `\bLATERAL\b`, `\bJSON_\w+`, `->`, `\|\|`, `_0900_`, `_ci\b`,
	`\bSELECT \*`, `\bUPDATE .* LIMIT\b`, `\bCURRENT_TIMESTAMP\b`, `\bNOW\(`, `\bENUM\b`,
	`\bFLOAT\b`, `\bDOUBLE\b`, `\bDECIMAL\b`,
}, "|"))

// ofOneEngine matches the positions of SQL that only one engine runs.
var ofOneEngine = regexp.MustCompile(`/(sqlite|mysql|postgres)\.go:`)

// texts returns all string constants and migrations of the package, the string constants of the
// package that has parts of its statements, by their position, and what the lists of an export
// select.
func texts(tb testing.TB) map[string]string {
	tb.Helper()
	all := map[string]string{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		tb.Fatal(err)
	}
	others, err := filepath.Glob("../../internal/sqldb/*.go")
	if err != nil || len(others) == 0 {
		tb.Fatal(others, err)
	}
	files = append(files, others...)
	for _, list := range learning.ExportLists() {
		all["the list "+list.Name+" of an export"] = "SELECT " +
			strings.Join(columnsOf(slices.Concat(list.Fields, list.Key)), ", ") + " FROM " +
			list.From + " WHERE " + list.Owner + " = ?"
	}
	set := token.NewFileSet()
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(set, file, nil, 0)
		if err != nil {
			tb.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, err := strconv.Unquote(lit.Value)
				if err != nil {
					tb.Fatal(err)
				}
				all[set.Position(lit.Pos()).String()] = text
			}
			return true
		})
	}
	err = fs.WalkDir(migrations, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations, path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return all
}

func TestSQL_IsPortable(t *testing.T) {
	t.Parallel()
	list := texts(t)
	statements := 0
	for where, text := range list {
		if ofOneEngine.MatchString(where) {
			continue
		}
		if regexp.MustCompile(`\b(SELECT|INSERT|UPDATE|DELETE|CREATE)\b`).MatchString(text) {
			statements++
		}
		if found := foreign.FindString(text); found != "" {
			t.Errorf("%s: %q is not SQL for every engine", where, found)
		}
	}
	if statements < 30 {
		t.Errorf("only %d statements were found: the test does not find the package's SQL",
			statements)
	}
	for _, bad := range []string{"SELECT 1 FOR UPDATE", "INSERT IGNORE INTO a",
		"insert into a values (1) on duplicate key update b = 1", "SELECT a->'$.b'",
		"SELECT ROW_NUMBER() OVER (ORDER BY a)", "id BIGINT AUTO_INCREMENT",
		"INSERT INTO a VALUES (1) RETURNING id", "SELECT * FROM a"} {
		if !foreign.MatchString(bad) {
			t.Errorf("the test does not detect %q", bad)
		}
	}
}

// A name without a mark is that of another table in a database with a prefix.
func TestSQL_MarksEachTable(t *testing.T) {
	t.Parallel()
	list := texts(t)
	created := regexp.MustCompile(`CREATE TABLE .*\{(\w+)\}`)
	var tables []string
	for _, text := range list {
		for _, found := range created.FindAllStringSubmatch(text, -1) {
			tables = append(tables, found[1])
		}
	}
	if len(tables) < 45 {
		t.Errorf("only %d tables were found", len(tables))
	}
	// A table follows these words, or stands in front of an alias or a column.
	name := `(` + strings.Join(tables, "|") + `)`
	bare := regexp.MustCompile(`\b(FROM|JOIN|INTO|UPDATE|TABLE|TABLE IF NOT EXISTS)\s+[a-z]|\bON ` +
		name + `\b|\b` + name + `\.[a-z]|(^|[^{\w])` + name + ` ([a-z]|cc)(\s|$)`)
	comment := regexp.MustCompile(`(?m)^\s*--.*$`)
	catalogue := regexp.MustCompile(`\b(pragma_database_list|sqlite_schema|sqlite_master|` +
		`pg_namespace|pg_class|pg_type)\b`)
	for where, text := range list {
		text = catalogue.ReplaceAllString(comment.ReplaceAllString(text, ""), "{}")
		if found := bare.FindString(text); found != "" {
			t.Errorf("%s: %q names a table without braces: write {users}, see sqldb.Names", where,
				found)
		}
	}
	for _, bad := range []string{"SELECT 1 FROM users", "DELETE FROM other", "users u",
		"posts p WHERE", "UPDATE users SET", "INSERT INTO {posts} SELECT users.id",
		"CREATE INDEX {index a} ON users (b)"} {
		if !bare.MatchString(bad) {
			t.Errorf("the test does not detect %q", bad)
		}
	}
}
