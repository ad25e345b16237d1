package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// Every page of a list reads only its own rows, by an index that has their order. Only the ids of
// all posts of several groups are sorted, once for each list.
func TestPostLists_ReadRowsInTheOrderOfAnIndex(t *testing.T) {
	t.Parallel()
	const tab, trending = community.AllPosts, community.TrendingPosts
	enginetest.Each(t, enginetest.All, func(t *testing.T, e enginetest.Engine) {
		t.Parallel()
		s := migrated(t, e.URL(t))
		seed(t, s, size{courses: 20, users: 5_000, purchases: 20})
		seedCommunity(t, s, 5_000, 50_000)
		middle := core.Position{At: middleOf(t, s), Value: 10, ID: "0198"}
		for name, q := range map[string]community.PostQuery{
			"all": {}, "of a group": {GroupID: "group-1"}, "trending": {Tab: trending},
			"trending of a group":   {Tab: trending, GroupID: "group-1"},
			"my groups":             {Tab: community.MyGroupsPosts},
			"of a course":           {CourseID: "course-1"},
			"of a lecture":          {CourseID: "course-1", LectureID: "l"},
			"trending of a course":  {Tab: trending, CourseID: "course-1"},
			"trending of a lecture": {Tab: trending, CourseID: "course-1", LectureID: "l"},
		} {
			checkPlan(t, e, s, name+", ids", q.Tab == community.MyGroupsPosts,
				func(ctx context.Context, tx learning.Tx) {
					_ = tx.EachPostID(ctx, q, "user-1", func(string) error { return nil })
				})
		}
		for where, after := range map[string]core.Position{"first page": {},
			"next page": middle} {
			page := learning.PageRequest{After: after, Limit: 70}
			for _, q := range []community.PostQuery{{}, {GroupID: "group-1"},
				{CourseID: "course-1"}, {CourseID: "course-1", LectureID: "l"}} {
				checkPlan(t, e, s, fmt.Sprint("rows of ", q, ", ", where), false,
					func(ctx context.Context, tx learning.Tx) {
						_, _ = tx.Posts(ctx, q, "user-1", page)
					})
			}
			for _, tab := range []community.PostTab{tab, trending} {
				for _, groups := range [][]string{nil, {"group-1"},
					{"group-1", "group-2", "group-3"}} {
					name := fmt.Sprintf("positions of %s in %d groups, %s", tab, len(groups), where)
					checkPlan(t, e, s, name, false, func(ctx context.Context, tx learning.Tx) {
						_, _ = tx.PostPositions(ctx, community.PostQuery{Tab: tab}, groups, 20, page)
					})
				}
			}
		}
	})
}

// middleOf returns the time of creation of the post in the middle.
func middleOf(tb testing.TB, s *Store) time.Time {
	tb.Helper()
	var at timestamp
	if err := s.db.Writer().Get(&at,
		`SELECT created_at FROM posts ORDER BY created_at LIMIT 1 OFFSET 2500`); err != nil {
		tb.Fatal(err)
	}
	return at.Time()
}

// checkPlan checks that a method has one statement that reads posts by an index, and that a
// page in the middle begins to read there.
func checkPlan(t *testing.T, e enginetest.Engine, s *Store, name string, maySort bool,
	method func(ctx context.Context, tx learning.Tx)) {
	t.Helper()
	statements := recordStatements(t, s, method)
	if len(statements) != 1 {
		t.Fatalf("%s: %d statements, want 1", name, len(statements))
	}
	for _, scan := range scans(t, e, s, statements[0]) {
		if strings.HasSuffix(name, "next page") || !strings.Contains(scan, "posts_") {
			t.Errorf("%s reads without an index: %s", name, scan)
		}
	}
	steps := plan(t, e, s, statements[0])
	if slices.ContainsFunc(steps, sorts) && !maySort {
		t.Errorf("%s sorts rows although an index has their order", name)
	}
	t.Logf("%s:\n\t%s", name, strings.Join(steps, "\n\t"))
}
