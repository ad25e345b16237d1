package store

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
)

// Every page of a list reads only its own rows, by an index that has their order. Only the ids
// of the most upvoted posts of a group are sorted, once for each list.
func TestPostLists_ReadRowsInTheOrderOfAnIndex(t *testing.T) {
	t.Parallel()
	queries := map[string]learning.PostQuery{
		"all":                {},
		"of a group":         {GroupID: "group-1"},
		"my groups":          {Tab: learning.MyGroupsPosts},
		"my group":           {Tab: learning.MyGroupsPosts, GroupID: "group-1"},
		"trending":           {Tab: learning.TrendingPosts},
		"trending, my group": {Tab: learning.TrendingPosts, GroupID: "group-1"},
	}
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		s := migrated(t, e.URL(t))
		seed(t, s, size{courses: 20, users: 5_000, purchases: 20})
		seedCommunity(t, s, 5_000, 50_000)
		middle := learning.Position{At: middleOf(t, s), ID: "0198"}
		for name, q := range queries {
			trending := q.Tab == learning.TrendingPosts
			checkPlan(t, e, s, name+", ids", trending && q.GroupID != "", func(ctx context.Context, tx learning.Tx) {
				_ = tx.EachPostID(ctx, q, "user-1", 20, 100, func(string) error { return nil })
			})
			if trending {
				continue
			}
			for where, after := range map[string]learning.Position{"first page": {}, "next page": middle} {
				checkPlan(t, e, s, name+", "+where, false, func(ctx context.Context, tx learning.Tx) {
					_ = tx.EachPost(ctx, q, "user-1", learning.Page{After: after, Limit: 70}, func(learning.Post) error { return nil })
				})
			}
		}
	})
}

// middleOf returns the time of creation of the post in the middle.
func middleOf(tb testing.TB, s *Store) time.Time {
	tb.Helper()
	var at timestamp
	if err := s.writer.Get(&at, `SELECT created_at FROM posts ORDER BY created_at LIMIT 1 OFFSET 2500`); err != nil {
		tb.Fatal(err)
	}
	return at.time()
}

// checkPlan checks that a method has one statement that reads posts by an index, and that a
// page in the middle begins to read there.
func checkPlan(t *testing.T, e enginetest.Engine, s *Store, name string, sorts bool, method func(ctx context.Context, tx learning.Tx)) {
	t.Helper()
	statements := recordStatements(t, s, method)
	if len(statements) != 1 {
		t.Fatalf("%s: %d statements, want 1", name, len(statements))
	}
	for _, scan := range scans(t, e, s, statements[0]) {
		if strings.HasSuffix(name, "next page") || !strings.Contains(scan, "posts_by_") {
			t.Errorf("%s reads without an index: %s", name, scan)
		}
	}
	steps := plan(t, e, s, statements[0])
	sorted := slices.ContainsFunc(steps, func(step string) bool {
		return strings.Contains(step, "filesort") || strings.Contains(step, "TEMP B-TREE")
	})
	if sorted && !sorts {
		t.Errorf("%s sorts rows although an index has their order", name)
	}
	t.Logf("%s:\n\t%s", name, strings.Join(steps, "\n\t"))
}
