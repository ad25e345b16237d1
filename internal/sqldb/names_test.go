package sqldb

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/sqldriver/postgres"
)

func TestNames_Expand(t *testing.T) {
	t.Parallel()
	plain, prefixed := Names{}, Names{Prefix: "lectern_"}
	both := Names{Prefix: "lectern_", Schema: "school"}
	for _, test := range []struct {
		names      Names
		text, want string
	}{
		{plain, `SELECT 1`, `SELECT 1`},
		{plain, `SELECT id FROM {users}`, `SELECT id FROM users`},
		{prefixed, `{users} u JOIN {roles}`, `lectern_users u JOIN lectern_roles`},
		{both, `UPDATE {users} SET a = {users}.a`,
			`UPDATE "school".lectern_users SET a = "school".lectern_users.a`},
		{plain, `CREATE INDEX {index by_name} ON {users} (name)`,
			`CREATE INDEX by_name ON users (name)`},
		{both, `CREATE INDEX {index by_name} ON {users} (name)`,
			`CREATE INDEX lectern_by_name ON "school".lectern_users (name)`},
		{prefixed, `DEFAULT '{}'`, `DEFAULT '{}'`},
		{prefixed, `'{"a": {"b": 1}}' FROM {users}`, `'{"a": {"b": 1}}' FROM lectern_users`},
		{prefixed, `{Users} {users`, `{Users} {users`},
		{prefixed, ``, ``},
	} {
		if got := test.names.Expand(test.text); got != test.want {
			t.Errorf("%+v: %q is %q, want %q", test.names, test.text, got, test.want)
		}
	}
}

// A program makes some texts with as many placeholders as it has rows, without end.
func TestTextCache_IsBounded(t *testing.T) {
	t.Parallel()
	c := textCache{names: Names{Prefix: "a_"}, rebind: sameText}
	for i := range 3 * maxCachedTexts {
		text := fmt.Sprintf("SELECT %d FROM {b}", i)
		want := strings.Replace(text, "{b}", "a_b", 1)
		if got := c.text(text); got != want {
			t.Fatalf("%q is %q", text, got)
		}
	}
	kept := 0
	c.texts.Range(func(any, any) bool { kept++; return true })
	if kept != maxCachedTexts {
		t.Errorf("%d texts are kept, want %d", kept, maxCachedTexts)
	}
}

func BenchmarkText(b *testing.B) {
	text := "SELECT a, b FROM {c} WHERE " + strings.Repeat("d = ? AND ", 40) + "e = ?"
	d := postgresDialect.with(postgres.Driver{}, Config{Names: Names{Prefix: "lectern_"}})
	b.Run("cached", func(b *testing.B) {
		for b.Loop() {
			d.texts.text(text)
		}
	})
	b.Run("not cached", func(b *testing.B) {
		for b.Loop() {
			d.rebind(d.texts.names.Expand(text))
		}
	})
	b.Run("not cached, no placeholders to write", func(b *testing.B) {
		for b.Loop() {
			d.texts.names.Expand(text)
		}
	})
}
