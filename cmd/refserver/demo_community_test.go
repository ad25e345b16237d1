package main

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/internal/sqldb"
	"github.com/openlectern/openlectern/learning/community"
)

// The community of a seeded server is that of the file, in order of time.
func TestDemo_CommunityIsThatOfTheFile(t *testing.T) {
	t.Parallel()
	for name, now := range map[string]time.Time{
		"in the afternoon":   time.Date(2026, 3, 14, 15, 9, 26, 0, time.UTC),
		"just past midnight": time.Date(2026, 3, 1, 0, 0, 40, 0, time.UTC),
	} {
		t.Run(name, func(t *testing.T) {
			database := "sqlite:" + t.TempDir() + "/learning.db"
			s := newSeededServerOn(t, database)
			s.seed(t, now)
			f := s.figures(t, now)
			if len(f.Groups) != len(s.Groups) || len(f.Threads) != len(s.Posts) {
				t.Fatalf("%d of %d groups, %d of %d posts", len(f.Groups), len(s.Groups),
					len(f.Threads), len(s.Posts))
			}
			for _, g := range s.Groups {
				s.checkGroup(t, now, g, f.Groups)
			}
			slices.Reverse(f.Threads)
			for i, p := range s.Posts {
				checkThread(t, now, p, f.Threads[i])
			}
			db := openDatabase(t, database)
			for what, rows := range invariants.Community {
				var n int
				query := "SELECT COUNT(*) FROM " + sqldb.Names{}.Expand(rows)
				if err := db.QueryRow(query).Scan(&n); err != nil || n != 0 {
					t.Errorf("%s: %d rows are wrong (%v)", what, n, err)
				}
			}
		})
	}
}

func (s *seededServer) checkGroup(t *testing.T, now time.Time, g group, groups []community.Group) {
	t.Helper()
	i := slices.IndexFunc(groups, func(x community.Group) bool { return x.Name == g.Name })
	if i < 0 {
		t.Fatalf("there is no group %s", g.Name)
	}
	posts := 0
	for _, p := range s.Posts {
		if p.Group == g.Name {
			posts++
		}
	}
	got := groups[i]
	if got.Members != len(g.Members)+1 || got.Posts != posts || posts == 0 ||
		got.Official != g.Official || !got.CreatedAt.Equal(g.date(now)) ||
		got.Joined != slices.Contains(g.Members, demoStudent) {
		t.Errorf("%s is %+v, with %d posts", g.Name, got, posts)
	}
}

// comparablePost is the part of a post or a reply that can be compared with the file.
type comparablePost struct {
	Group, Title, Content, By string
	Tags                      []string
	Upvotes                   int
	Upvoted, Resolved         bool
}

func checkThread(t *testing.T, now time.Time, p post, h thread) {
	t.Helper()
	accepted := slices.IndexFunc(p.Replies, func(r reply) bool { return r.Accepted })
	want := []comparablePost{{Group: p.Group, Title: p.Title, Content: p.Content, By: p.Author,
		Tags: append([]string{}, p.Tags...), Upvotes: len(p.Upvotes),
		Upvoted: slices.Contains(p.Upvotes, demoStudent), Resolved: p.Resolved || accepted >= 0}}
	got := []comparablePost{{Group: h.Group.Name, Title: h.Title, Content: h.Content,
		By: h.Author.ID, Tags: h.Tags, Upvotes: h.Upvotes, Upvoted: h.Upvoted,
		Resolved: h.Resolved}}
	at := []time.Time{h.CreatedAt}
	replies := slices.Clone(p.Replies)
	if accepted > 0 { // it is shown first
		replies = slices.Insert(slices.Delete(replies, accepted, accepted+1), 0,
			p.Replies[accepted])
	}
	for _, r := range replies {
		want = append(want, comparablePost{Content: r.Content, By: r.Author,
			Upvotes: len(r.Upvotes), Upvoted: slices.Contains(r.Upvotes, demoStudent)})
	}
	for _, r := range h.List {
		got = append(got, comparablePost{Content: r.Content, By: r.Author.ID, Upvotes: r.Upvotes,
			Upvoted: r.Upvoted})
		at = append(at, r.CreatedAt)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-in the file +shown):\n%s", p.Title, diff)
	}
	if first := h.AcceptedReplyID != "" &&
		h.AcceptedReplyID == h.List[0].ID; first != (accepted >= 0) || !at[0].Equal(p.date(now)) {
		t.Errorf("%s: accepted is %s, at %v", p.Title, h.AcceptedReplyID, at[0])
	}
	if slices.MinFunc(at, time.Time.Compare) != at[0] ||
		slices.MaxFunc(append(at, h.UpdatedAt), time.Time.Compare).After(now) {
		t.Errorf("%s: not in the order of time, or not yet: %v, updated %v", p.Title, at,
			h.UpdatedAt)
	}
}

// Every author is a user of the demo whose record exists at that time.
func TestDemo_CommunityNamesItsOwnUsersAndGroups(t *testing.T) {
	t.Parallel()
	s := newSeededServer(t)
	known := map[string]bool{demoAdmin: true, demoStudent: true}
	for _, p := range slices.Concat(s.People, s.Students) {
		known[p.ID] = true
	}
	groups := map[string]moment{"": {DaysAgo: courseDays}}
	check := func(at, since moment, by string, others []string) {
		if slices.Sort(others); !known[by] || slices.Contains(others, by) ||
			len(slices.Compact(slices.Clone(others))) != len(others) {
			t.Errorf("%s of %d days ago, with %v", by, at.DaysAgo, others)
		}
		for _, other := range others {
			if !known[other] {
				t.Errorf("%s is not a user of the demo", other)
			}
		}
		if at.DaysAgo >= courseDays || at.date(time.Now()).Before(since.date(time.Now())) {
			t.Errorf("%s is too early, %d days ago", by, at.DaysAgo)
		}
	}
	for _, g := range s.Groups {
		check(g.moment, moment{DaysAgo: courseDays}, g.By, g.Members)
		groups[g.Name] = g.moment
	}
	for _, p := range s.Posts {
		began, exists := groups[p.Group]
		if !exists {
			t.Errorf("%s: there is no group %q", p.Title, p.Group)
		}
		check(p.moment, began, p.Author, p.Upvotes)
		last := p.moment
		for _, r := range p.Replies {
			check(r.moment, last, r.Author, r.Upvotes)
			last = r.moment
		}
	}
}
