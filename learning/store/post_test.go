package store

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/learning/learning"
)

// A list of all posts reads that table from end to end, and nothing else so; a list
// of a group reads its own posts.
func TestListsOfPostsReadNothingButTheirPosts(t *testing.T) {
	lists := map[string]struct {
		query learning.PostQuery
		scans []string // of tables, by their name in the statement
		sorts bool
	}{
		"all":               {learning.PostQuery{}, []string{"p"}, true},
		"trending":          {learning.PostQuery{Tab: learning.TrendingPosts}, []string{"p"}, true},
		"of a group":        {learning.PostQuery{GroupID: "group-1"}, nil, false},
		"trending, a group": {learning.PostQuery{GroupID: "group-1", Tab: learning.TrendingPosts}, nil, true},
		"my groups":         {learning.PostQuery{Tab: learning.MyGroupsPosts}, []string{"p"}, true},
	}
	on(t, engines, func(t *testing.T, e engine) {
		s := migrated(t, e.url(t))
		seed(t, s, size{courses: 20, users: 5_000, purchases: 20})
		seedCommunity(t, s, 5_000, 50_000)
		for name, list := range lists {
			statements := spoken(t, s, func(ctx context.Context, tx learning.Tx) {
				_ = tx.EachPost(ctx, list.query, "user-1", func(learning.Post) error { return nil })
			})
			if len(statements) != 1 {
				t.Fatalf("%s: %d statements, want 1", name, len(statements))
			}
			for _, scan := range scans(t, e, s, statements[0]) {
				if !slices.ContainsFunc(list.scans, func(table string) bool {
					return strings.HasPrefix(scan, "SCAN "+table) || strings.HasPrefix(scan, "table="+table+" ")
				}) {
					t.Errorf("%s reads without an index: %s", name, scan)
				}
			}
			steps := strings.Join(plan(t, e, s, statements[0]), "\n\t")
			if sorted := strings.Contains(steps, "filesort") || strings.Contains(steps, "TEMP B-TREE"); sorted && !list.sorts {
				t.Errorf("%s sorts what an index has in order", name)
			}
			t.Logf("%s:\n\t%s", name, steps)
		}
	})
}
