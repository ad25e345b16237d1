package storetest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

var searchTests = []test{
	{"a course is found by the beginnings of its words, in each order and page", searchCourses},
	{"a course is found by its metadata, in each order and page", searchMetadata},
	{"a draft has no words, and its educator's name is not found there", searchDraft},
	{"a user is found by name and e-mail address, a deleted one is not", searchUsers},
	{"a search is continued where the scan before has ended", searchScans},
	{"entries of a word are counted up to a limit", searchCount},
	{"the words of a name are replaced at all courses of the educator", searchRename},
}

// spoken returns a course with a title.
func spoken(id, title string) catalog.Course {
	c := course(id)
	c.Title, c.Description = title, ""
	return c
}

// finds returns the ids of the courses that a search selects, the oldest first.
func (f *fixture) finds(s core.WordSearch) []string {
	var ids []string
	list := paged(f.t,
		func(ctx context.Context, page core.PageRequest) ([]catalog.Course, error) {
			return f.Courses(ctx, catalog.CourseQuery{}, s, page)
		}, atTime)
	for _, c := range list {
		ids = append(ids, c.ID)
	}
	return ids
}

// findsUsers returns the ids of the users that a search selects.
func (f *fixture) findsUsers(s core.WordSearch) []string { return f.findsUsersOf("")(s) }

// findsUsersOf returns a function that returns the ids of the users of a role that a search
// selects.
func (f *fixture) findsUsersOf(role core.Role) func(core.WordSearch) []string {
	return func(s core.WordSearch) (ids []string) {
		read := func(ctx context.Context,
			page core.PageRequest) ([]people.UserReport, error) {
			return f.UserReports(ctx, s, role, page)
		}
		for _, u := range paged(f.t, read, listedAt) {
			ids = append(ids, u.ID)
		}
		return ids
	}
}

// selects searches for words as rare and as frequent ones, which must find the same rows.
func selects(
	t *testing.T, find func(core.WordSearch) []string, want []string, words ...string,
) {
	t.Helper()
	equal(t, find(core.WordSearch{Also: words}), nil, want)
	for i := range words {
		s := core.WordSearch{Rare: words[i]}
		s.Also = append(append(s.Also, words[:i]...), words[i+1:]...)
		equal(t, find(s), nil, want)
	}
}

func searchCourses(t *testing.T, f *fixture) {
	f.add(user("educator"), user("other"))
	f.add(spoken("a", "Sailing at sea"), spoken("b", "Sail, sails and Crème brûlée"),
		spoken("c", "日本語"), spoken("d", "Assail \U0001D7D9"))
	selects(t, f.finds, []string{"a", "b"}, "sail")
	selects(t, f.finds, []string{"b"}, "sail", "brulee")
	selects(t, f.finds, nil, "sail", "desert")
	selects(t, f.finds, []string{"c"}, "語", "日")
	selects(t, f.finds, []string{"d"}, "1") // a mathematical digit
	selects(t, f.finds, []string{"a", "b"}, "educator", "sail")
	selects(t, f.finds, nil, "Sail")
	selects(t, f.finds, nil, "%")
	selects(t, f.finds, nil, "other")
	q := catalog.CourseQuery{EducatorID: "educator", Sort: catalog.CheapCourses}
	for _, s := range []core.WordSearch{{Rare: "sail"}, {Also: []string{"sail"}}} {
		list, err := f.Courses(t.Context(), q, s, core.PageRequest{Limit: 5})
		if err != nil || len(list) != 2 {
			t.Errorf("%d courses of the educator (%v)", len(list), err)
		}
	}
}

func searchMetadata(t *testing.T, f *fixture) {
	f.add(user("educator"), user("other"))
	tag := func(id, title string, m core.Metadata) catalog.Course {
		c := spoken(id, title)
		c.Metadata = m
		return c
	}
	longest := core.Metadata{strings.Repeat("k", core.MaxMetadataKey): strings.Repeat(
		"\U0001D7D9", core.MaxMetadataValue)}
	draft := tag("e", "Sea", core.Metadata{"level": "1"})
	draft.Published = false
	f.add(tag("a", "Sea", core.Metadata{"level": "1", "lang": "de"}),
		tag("b", "Land", core.Metadata{"level": "1", "lang": "en"}),
		tag("c", "Sea", core.Metadata{"level": "10", "lang": "de"}),
		tag("d", "Sea level 1", longest), draft)
	for _, test := range []struct {
		m    core.Metadata
		want []string
	}{
		{core.Metadata{"level": "1"}, []string{"a", "b"}},
		{core.Metadata{"level": "1", "lang": "de"}, []string{"a"}},
		{core.Metadata{"level": "10", "lang": "de"}, []string{"c"}},
		{core.Metadata{"level": "1 "}, nil}, {core.Metadata{"level": ""}, nil},
		{core.Metadata{"lang": "DE"}, nil}, {longest, []string{"d"}},
	} {
		pairs := test.m.SearchWords()
		equal(t, f.finds(core.WordSearch{Pairs: pairs}), nil, test.want)
		for rows := 1; rows < 6; rows++ {
			equal(t, f.scanned(catalog.CourseQuery{}, core.WordSearch{Pairs: pairs}, rows), nil,
				test.want)
		}
		for i := range pairs {
			rare := core.WordSearch{Rare: pairs[i], RarePair: true,
				Pairs: slices.Delete(slices.Clone(pairs), i, i+1)}
			equal(t, f.finds(rare), nil, test.want)
		}
	}

	// With words, rare and frequent ones.
	one := core.Metadata{"level": "1"}.SearchWords()
	for _, s := range []core.WordSearch{
		{Rare: "sea", Pairs: one}, {Also: []string{"sea"}, Pairs: one},
		{Rare: one[0], RarePair: true, Also: []string{"sea"}},
	} {
		equal(t, f.finds(s), nil, []string{"a"})
	}

	// A course has its metadata, and entries for it, whether or not it is published.
	got, err := f.Course(t.Context(), "d")
	equal(t, got.Metadata, err, longest)
	counts, err := f.CountWords(t.Context(), catalog.CoursePairs, one, 10)
	equal(t, counts, err, []int{3})
}

func searchDraft(t *testing.T, f *fixture) {
	c := spoken("draft", "Sailing")
	c.Published = false
	f.add(user("educator"), c)
	counts, err := f.CountWords(t.Context(), catalog.CourseWords, []string{"sailing", "educator"},
		10)
	equal(t, counts, err, []int{0, 0})
}

func searchUsers(t *testing.T, f *fixture) {
	ada, eve := user("ada"), user("eve")
	ada.Name = "Ada Lovelace"
	ada.Email = "countess@byron.example"
	eve.Name = "Eve"
	eve.Email = "eve.lovelace@example.com"
	f.add(ada, eve, people.User{ID: "gone", CreatedAt: noon, ChangedAt: noon, DeletedAt: noon})
	selects(t, f.findsUsers, []string{"eve", "ada"}, "love")
	selects(t, f.findsUsers, []string{"ada"}, "love", "byron")
	selects(t, f.findsUsers, nil, "lovelace", "yron")
	f.add(role{"eve", core.Educator})
	selects(t, f.findsUsersOf(core.Educator), []string{"eve"}, "love")
	selects(t, f.findsUsersOf(core.Student), []string{"ada"}, "love")
	selects(t, f.findsUsersOf(core.Student), nil, "eve", "love")
	selects(t, f.findsUsersOf(core.Admin), nil, "love")
	selects(t, f.finds, nil, "love")
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if _, err := tx.ScrubUser(ctx, "ada", noon); err != nil {
			return err
		}
		if err := tx.DeleteWords(ctx, people.UserWords, []string{"ada"}, nil); err != nil {
			return err
		}
		return tx.DeleteNameWords(ctx, []string{"ada"})
	})
	selects(t, f.findsUsers, []string{"eve"}, "love")
}

func searchScans(t *testing.T, f *fixture) {
	f.add(user("educator"), user("other"))
	var want []string
	for i, title := range []string{"Sea", "Land", "Land", "Sea", "Land", "Sea"} {
		c := spoken(string(rune('a'+i)), title)
		c.CreatedAt = noon.Add(time.Duration(i) * time.Second)
		f.add(c)
		if title == "Sea" {
			want = append(want, c.ID)
		}
	}
	for rows := 1; rows < 8; rows++ {
		equal(t, f.scanned(catalog.CourseQuery{}, core.WordSearch{Also: []string{"sea"}},
			rows), nil, want)
		equal(t, f.scanned(catalog.CourseQuery{},
			core.WordSearch{Also: []string{"sea", "land"}}, rows), nil, nil)
	}
	f.add(role{"educator", core.Educator}, role{"other", core.Educator})
	found := core.WordSearch{Also: []string{"educator"}}
	for who, want := range map[core.Role][]string{
		"": {"educator"}, core.Educator: {"educator"}, core.Student: nil,
		core.Admin: nil,
	} {
		equal(t, f.scannedUsers(found, who), nil, want)
	}
}

// scannedUsers returns the ids of the users with a role that s selects, read by scans of one row.
func (f *fixture) scannedUsers(s core.WordSearch, who core.Role) (ids []string) {
	f.t.Helper()
	page := core.PageRequest{Limit: allRows.Limit}
	for more := true; more; more = !page.After.IsZero() {
		var err error
		if page.Through, err = f.UsersEnd(f.t.Context(), who, page.After, 1); err != nil {
			f.t.Fatal(err)
		}
		users, err := f.UserReports(f.t.Context(), s, who, page)
		if err != nil {
			f.t.Fatal(err)
		}
		for _, u := range users {
			ids = append(ids, u.ID)
		}
		page.After = page.Through
	}
	return ids
}

func searchCount(t *testing.T, f *fixture) {
	f.add(spoken("a", "go golang gopher"), spoken("b", "go"), user("go"))
	counts, err := f.CountWords(t.Context(), catalog.CourseWords, []string{"go", "gop", "x"}, 10)
	equal(t, counts, err, []int{4, 1, 0})
	counts, err = f.CountWords(t.Context(), catalog.CourseWords, []string{"go"}, 3)
	equal(t, counts, err, []int{3})
	counts, err = f.CountWords(t.Context(), people.UserWords, []string{"go"}, 10)
	equal(t, counts, err, []int{2}) // in the name and in the address
}

func searchRename(t *testing.T, f *fixture) {
	draft := taught("draft", "ada", noon)
	draft.Published = false
	f.add(user("ada"), taught("one", "ada", noon), taught("two", "ada", noon), draft,
		taught("other", "eve", noon))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.DeleteNameWords(ctx, []string{"ada"}); err != nil {
			return err
		}
		if err := tx.InsertWords(ctx,
			[]core.RowWords{{List: people.UserWords, RowID: "ada", PersonID: "ada",
				Name: []string{"countess"}}}); err != nil {
			return err
		}
		return tx.InsertEducatorWords(ctx, []string{"ada"}, nil)
	})
	selects(t, f.finds, nil, "ada")
	selects(t, f.finds, []string{"one", "two"}, "countess")
	selects(t, f.findsUsers, []string{"ada"}, "countess")
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.DeleteWords(ctx, catalog.CourseWords, []string{"one"}, []string{"ada"})
	})
	selects(t, f.finds, []string{"two"}, "countess")
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.InsertEducatorWords(ctx, []string{"ada"}, []string{"one"})
	})
	selects(t, f.finds, []string{"one", "two"}, "countess")
}
