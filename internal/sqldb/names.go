package sqldb

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/openlectern/openlectern/internal/sqldriver"
)

// Names are the names that a database gives to the tables and indexes of the program. A statement
// is written with marks in place of names:
//
//	written          without a prefix   with the prefix lectern_   and the schema school
//	{users}          users              lectern_users              "school".lectern_users
//	{index by_name}  by_name            lectern_by_name            lectern_by_name
//
// An index has no schema, because CREATE INDEX puts it into that of its table.
type Names struct {
	Prefix string // begins each name; "" for none
	Schema string // of PostgreSQL; "" for that of the connection
}

// CheckPrefix returns an error if a prefix cannot be used. Its length is such that the names of
// tables and indexes fit into the 63 characters of PostgreSQL.
func CheckPrefix(prefix string) error {
	const maxPrefix = 20
	if prefix != "" && (!isName(prefix) || !isLetter(prefix[0]) || len(prefix) > maxPrefix) {
		return fmt.Errorf("the prefix %q: it must be a small letter and up to %d small letters, "+
			"digits and underscores, such as lectern_", prefix, maxPrefix-1)
	}
	return nil
}

// check returns an error if the names cannot be used on an engine.
func (n Names) check(engine sqldriver.Engine) error {
	const maxSchema = 63
	if err := CheckPrefix(n.Prefix); err != nil {
		return err
	}
	switch {
	case n.Schema == "":
		return nil
	case engine != sqldriver.PostgreSQL:
		return fmt.Errorf("the schema %q: only PostgreSQL has schemas; give a prefix", n.Schema)
	case !isName(n.Schema) || !isLetter(n.Schema[0]) || len(n.Schema) > maxSchema:
		return fmt.Errorf("the schema %q: it must be a small letter and up to %d small letters, "+
			"digits and underscores", n.Schema, maxSchema-1)
	}
	return nil
}

// lockSpace in a statement of PostgreSQL stands for two arguments of CONCAT that differ for tables
// of other names, because advisory locks, and signals, are the same for all of a database.
const lockSpace = "{lock space}"

// withLockSpace replaces lockSpace in a statement. Without a schema in the names it is the one in
// which the connection creates tables, so that the locks are those of a store that names it.
func (n Names) withLockSpace(statement string) string {
	schema := "current_schema()"
	if n.Schema != "" {
		schema = "'" + n.Schema + "'"
	}
	return strings.Replace(statement, lockSpace, schema+", '."+n.Prefix+" '", 1)
}

// isLockSpace reports whether a text is what CONCAT makes of lockSpace. Without a schema in the
// names it is that of the prefix in any schema.
func (n Names) isLockSpace(text string) bool {
	schema, rest, _ := strings.Cut(text, ".")
	return rest == n.Prefix+" " && (n.Schema == "" || schema == n.Schema)
}

// indexMark begins the mark of an index, after the brace.
const indexMark = "index "

// Expand replaces the marks of a text by names. Braces that enclose something else stay as they
// are.
func (n Names) Expand(text string) string {
	var b strings.Builder
	rest := text
	for {
		begin := strings.IndexByte(rest, '{')
		if begin < 0 {
			break
		}
		inside, after, isClosed := strings.Cut(rest[begin+1:], "}")
		name, isIndex := strings.CutPrefix(inside, indexMark)
		if !isClosed || !isName(name) {
			b.WriteString(rest[:begin+1])
			rest = rest[begin+1:]
			continue
		}
		b.WriteString(rest[:begin])
		if n.Schema != "" && !isIndex {
			b.WriteString(`"` + n.Schema + `".`)
		}
		b.WriteString(n.Prefix)
		b.WriteString(name)
		rest = after
	}
	if b.Len() == 0 { // no brace
		return text
	}
	b.WriteString(rest)
	return b.String()
}

// isName reports whether s is a name as the tables and indexes of a program have it: small letters,
// digits and underscores.
func isName(s string) bool {
	for _, c := range []byte(s) {
		if !isLetter(c) && (c < '0' || c > '9') && c != '_' {
			return false
		}
	}
	return s != ""
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' }

// maxCachedTexts is how many texts a textCache keeps. It is more than the number of statements that
// a program has. Those with a variable number of placeholders may fill it.
const maxCachedTexts = 1000

// textCache returns the texts that the engine gets for the texts that are written. It keeps them,
// so that a statement costs the lookup in a map. It is safe for concurrent use.
type textCache struct {
	names   Names
	rebind  func(text string) string // the placeholders of the engine, for those of the program
	texts   sync.Map                 // from the text that is written, a string, to the other
	entries atomic.Int64             // about the number of texts
}

// text returns the text that the engine gets for a statement.
func (c *textCache) text(statement string) string {
	if !strings.ContainsAny(statement, "{?") {
		return statement
	}
	if text, isCached := c.texts.Load(statement); isCached {
		return text.(string)
	}
	text := c.rebind(c.names.Expand(statement))
	if c.entries.Load() < maxCachedTexts {
		c.entries.Add(1)
		c.texts.Store(statement, text)
	}
	return text
}
