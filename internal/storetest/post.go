package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

var postTests = []test{
	{"a post is read as it was stored, also with the longest texts", postRoundTrip},
	{"a post that does not exist is ErrNoRecord", postMissing},
	{"a post has its author's current name and picture, or none if deleted", postAuthor},
	{"a post has its group's name, slug and icon", postGroup},
	{"posts are listed the newest first, or by upvotes, by id on a tie", postOrder},
	{"posts are listed of one group, or of the groups of the caller", postFilters},
	{"the counters of a post change by the given numbers", postCount},
	{"a post is updated, except its counters", postMark},
	{"locking a post changes nothing, and a missing post cannot be locked", postLock},
	{"deleting a post deletes nothing else", postDelete},
	{"posts of courses and lectures are lists of their own, and some are deleted together",
		postOfCourse},
	{"authors have roles", postRoles},
}

// post returns a post of "author" in no group, with a value in every field that InsertPost
// stores.
func post(id string) community.Post {
	return community.Post{ID: id, Title: "Post " + id,
		Content:    "  <script>alert(\"" + id + "\")</script>\r\n\x01 & 🎓\u2028 ",
		Tags:       []string{"Go", "<b>&\u2028 \"x\" \\ 🎓", "a, b"},
		Author:     core.Person{ID: "author", Name: core.UnknownUser},
		AuthorRole: core.Student,
		CreatedAt:  noon, UpdatedAt: noon.Add(time.Second)}
}

// keptPost checks a stored post, as a user sees it.
func (f *fixture) keptPost(viewerID string, want community.Post) {
	f.t.Helper()
	got, err := f.Post(f.t.Context(), want.ID, viewerID)
	equal(f.t, got, err, want)
}

func postRoundTrip(t *testing.T, f *fixture) {
	largest := post("largest")
	largest.ID = long(10)
	largest.Title = long(community.MaxPostTitle)
	largest.Content = long(community.MaxPostContent)
	largest.Author.ID, largest.Group = long(47)+"abc", community.Group{ID: long(10)}
	largest.Tags = nil
	for range community.MaxTags {
		largest.Tags = append(largest.Tags, longestTag)
	}
	for _, p := range []community.Post{post("a"),
		{ID: "empty", Author: post("").Author, AuthorRole: core.Student, CreatedAt: noon,
			UpdatedAt: noon}, largest} {
		f.add(p)
		f.keptPost("", p)
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.Post(ctx, "a", "")
		equal(t, got, err, post("a"))
		return nil
	})
}

// longestTag has the characters that are longest in JSON.
var longestTag = func() string {
	tag := ""
	for range community.MaxTag {
		tag += "<"
	}
	return tag
}()

func postMissing(t *testing.T, f *fixture) {
	f.add(post("a"))
	for _, id := range unknownIDs {
		got, err := f.Post(t.Context(), id, "")
		missing(t, got, err)
	}
}

func postAuthor(t *testing.T, f *fixture) {
	ada := post("a")
	ada.Author.ID = "ada"
	f.add(ada)
	f.keptPost("", ada)
	f.add(user("ada"))
	ada.Author = core.Person{ID: "ada", Name: "Name of ada",
		ImageURL: "https://img.example.com/ada"}
	f.keptPost("ada", ada)
	renamed := user("ada")
	renamed.Name = "Ada"
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateUser(ctx,
				renamed)
		})
	ada.Author.Name = "Ada"
	f.keptPost("", ada)
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.ScrubUser(ctx, "ada",
				noon)
		})
	ada.Author = core.Person{ID: "ada", Name: core.DeletedUser}
	f.keptPost("", ada)
	equal(t, f.posts(community.PostQuery{}, ""), nil, []community.Post{ada})
}

// posts reads a list as ids and then the posts by their ids. It checks that the list of positions
// has the same order, and so have the pages of the posts of a group or of all.
func (f *fixture) posts(q community.PostQuery, viewerID string) []community.Post {
	f.t.Helper()
	var ids []string
	err := f.EachPostID(f.t.Context(), q, viewerID, func(id string) error {
		ids = append(ids, id)
		return nil
	})
	if err != nil {
		f.t.Errorf("read the ids of the posts: %v", err)
	}
	byID, err := f.PostsByID(f.t.Context(), append(slices.Clone(ids), "unknown"), viewerID)
	if err != nil || len(byID) != len(ids) {
		f.t.Errorf("%d posts of %d ids: %v", len(byID), len(ids), err)
	}
	slices.SortFunc(byID,
		func(a, b community.Post) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	f.checkPositions(q, viewerID, byID)
	if q.Tab != community.TrendingPosts && q.Tab != community.MyGroupsPosts {
		equal(f.t, paged(f.t,
			func(ctx context.Context, page core.PageRequest) ([]community.Post, error) {
				return f.Posts(ctx, q, viewerID, page)
			}, func(p community.Post) core.Position {
				return core.Position{At: p.CreatedAt,
					ID: p.ID}
			}), nil, byID)
	}
	return byID
}

// checkPositions checks that the positions of a list are those of its rows: with any number of rows
// skipped, and after each row.
func (f *fixture) checkPositions(q community.PostQuery, viewerID string, list []community.Post) {
	f.t.Helper()
	groups, none := f.groupsOf(q, viewerID)
	if none {
		return
	}
	var want []core.Position
	for _, p := range list {
		position := core.Position{At: p.CreatedAt, ID: p.ID}
		if q.Tab == community.TrendingPosts {
			position.Value = int64(p.Upvotes)
		}
		want = append(want, position)
	}
	for skip := range len(want) + 2 {
		for _, limit := range []int{1, 2, 100} {
			got, err := f.PostPositions(f.t.Context(), q, groups, skip,
				core.PageRequest{Limit: limit})
			equal(f.t, got, err, want[min(skip, len(want)):min(skip+limit, len(want))])
			if skip == 0 || skip > len(want) {
				continue
			}
			after := core.PageRequest{After: want[skip-1], Limit: limit}
			got, err = f.PostPositions(f.t.Context(), q, groups, 0, after)
			equal(f.t, got, err, want[skip:min(skip+limit, len(want))])
		}
	}
}

// groupsOf returns the groups that have the posts of a query. none means that no group has some.
func (f *fixture) groupsOf(q community.PostQuery, viewerID string) (ids []string, none bool) {
	f.t.Helper()
	if q.Tab != community.MyGroupsPosts {
		if q.GroupID != "" {
			ids = []string{q.GroupID}
		}
		return ids, false
	}
	list, err := f.MemberGroups(f.t.Context(), viewerID)
	if err != nil {
		f.t.Error(err)
	}
	for _, g := range list {
		if q.GroupID == "" || q.GroupID == g.ID {
			ids = append(ids, g.ID)
		}
	}
	return ids, len(ids) == 0
}

// posted stores a post with a number of votes, in a group or in none.
func (f *fixture) posted(id string, groupID string, upvotes int, at time.Time) community.Post {
	f.t.Helper()
	p := post(id)
	p.CreatedAt, p.Group.ID = at, groupID
	f.add(p)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.AddToPostVotes(ctx, id,
			upvotes)
	})
	p.Upvotes = upvotes
	if groupID != "" {
		p.Group = community.Group{ID: groupID, Name: "Group " + groupID, Slug: groupID,
			Icon: group("").Icon}
	}
	return p
}

func postGroup(t *testing.T, f *fixture) {
	f.add(group("a"), group("b"))
	f.keptPost("", f.posted("1", "a", 0, noon))
	f.keptPost("", f.posted("2", "", 0, noon))
}

func postOrder(t *testing.T, f *fixture) {
	equal(t, f.posts(community.PostQuery{}, ""), nil, nil)
	oldest := f.posted("z", "", 2, noon.Add(-time.Microsecond))
	b := f.posted("b", "", 1, noon)
	a := f.posted("a", "", 10, noon)
	c := f.posted("c", "", 1, noon)
	newest := f.posted("0", "", 0, noon.Add(time.Microsecond))
	for _, tab := range []community.PostTab{"", community.AllPosts} {
		equal(t, f.posts(community.PostQuery{Tab: tab}, "author"), nil,
			[]community.Post{newest, c, b, a, oldest})
	}
	equal(t, f.posts(community.PostQuery{Tab: community.TrendingPosts}, ""), nil,
		[]community.Post{a, oldest, c, b, newest})
}

func postFilters(t *testing.T, f *fixture) {
	f.add(group("a"), group("b"), group("c"), membership("a", "ada"), membership("b", "ada"),
		membership("c", "eve"), membership("c", "Ada"))
	none := f.posted("none", "", 9, noon.Add(5*time.Second))
	a1, a2 := f.posted("a1", "a", 1, noon), f.posted("a2", "a", 3, noon.Add(-time.Second))
	b, c := f.posted("b", "b", 2, noon.Add(time.Second)),
		f.posted("c", "c", 0, noon.Add(2*time.Second))
	for _, tt := range []struct {
		q    community.PostQuery
		want []community.Post
	}{
		{community.PostQuery{}, []community.Post{none, c, b, a1, a2}},
		{community.PostQuery{GroupID: "a"}, []community.Post{a1, a2}},
		{community.PostQuery{GroupID: "a", Tab: community.TrendingPosts}, []community.Post{a2, a1}},
		{community.PostQuery{Tab: community.MyGroupsPosts}, []community.Post{b, a1, a2}},
		{community.PostQuery{GroupID: "a", Tab: community.MyGroupsPosts}, []community.Post{a1, a2}},
		{community.PostQuery{GroupID: "c", Tab: community.MyGroupsPosts}, nil},
	} {
		equal(t, f.posts(tt.q, "ada"), nil, tt.want)
	}
	for _, id := range unknownIDs[1:] {
		equal(t, f.posts(community.PostQuery{GroupID: "A" + id}, "ada"), nil, nil)
	}
	for _, nobody := range []string{"", "nobody", "aDa"} {
		equal(t, f.posts(community.PostQuery{Tab: community.MyGroupsPosts}, nobody), nil, nil)
	}
}

func postCount(t *testing.T, f *fixture) {
	f.add(post("a"), post("b"))
	for _, by := range []int{1, 1, 1, -1} {
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.AddToPostVotes(ctx, "a",
				by)
		})
	}
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.AddToReplyCount(ctx,
				"a", 1)
		})
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.AddToReplyCount(ctx,
				"a", 1)
		})
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.AddToReplyCount(ctx,
				"a", 1)
		})
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.AddToReplyCount(ctx,
				"c", 1)
		})
	a := post("a")
	a.Upvotes, a.Replies = 2, 3
	f.keptPost("", a)
	f.keptPost("", post("b"))
}

func postMark(t *testing.T, f *fixture) {
	a := f.posted("a", "", 7, noon)
	f.add(post("b"))
	for _, state := range []community.Post{{AcceptedReplyID: long(10), Resolved: true},
		{Resolved: true}, {}} {
		a.AcceptedReplyID = state.AcceptedReplyID
		a.Resolved = state.Resolved
		a.UpdatedAt = a.UpdatedAt.Add(time.Microsecond)
		mark := a
		mark.Upvotes = 99
		mark.Replies = 99
		mark.Title = "not written"
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.UpdatePost(ctx, mark) })
		f.keptPost("", a)
	}
	f.keptPost("", post("b"))
}

func postLock(t *testing.T, f *fixture) {
	a := f.posted("a", "", 7, noon)
	for _, id := range []string{"a", "b"} {
		f.do(func(ctx context.Context, tx learning.Tx) error { return tx.LockPost(ctx, id) })
	}
	f.keptPost("", a)
}

func postDelete(t *testing.T, f *fixture) {
	f.add(post("a"), post("b"), reply("r", "a"),
		community.Vote{PostID: "a", ReplyID: "r", UserID: "ada", CreatedAt: noon})
	remove := func(ctx context.Context, tx learning.Tx) error {
		return tx.DeletePosts(ctx, []string{"a"})
	}
	f.do(remove)
	f.do(remove) // deleting a missing row is not an error
	got, err := f.Post(t.Context(), "a", "")
	missing(t, got, err)
	f.keptPost("", post("b"))
	kept := reply("r", "a")
	kept.Upvoted = true
	f.keptReply("ada", kept)
	f.add(post("a"))
}

func postOfCourse(t *testing.T, f *fixture) {
	in := func(id, courseID, lectureID string) community.Post {
		p := post(id)
		p.CourseID, p.LectureID, p.CreatedAt = courseID, lectureID, noon.Add(time.Duration(id[0])*time.Second)
		return p
	}
	open, a, b, c := in("o", "", ""), in("a", "c", ""), in("b", "c", "l"), in("c", "d", "l")
	first, other := reply("first", "b"), reply("other", "c")
	f.add(open, a, b, c, first, other, community.Vote{PostID: "b", UserID: "u", CreatedAt: noon},
		community.Vote{PostID: "c", UserID: "u", CreatedAt: noon})
	c.Upvoted = true
	lists := func(courseID, lectureID string, want ...community.Post) {
		t.Helper()
		for _, tab := range []community.PostTab{community.AllPosts, community.TrendingPosts} {
			q := community.PostQuery{Tab: tab, CourseID: courseID, LectureID: lectureID}
			equal(t, f.posts(q, ""), nil, want)
		}
	}
	c.Upvoted = false
	lists("", "", open)
	lists("c", "", b, a)
	lists("c", "l", b)
	lists("c", "L")
	lists("d", "", c)

	b.Title, b.Content, b.EditedAt, b.UpdatedAt = "New", "Text", noon, noon.Add(time.Hour)
	first.Content, first.EditedAt, first.UpdatedAt = "Edited", noon, noon.Add(time.Hour)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		if err := tx.EditReply(ctx, first); err != nil {
			return err
		}
		return tx.EditPost(ctx, b)
	})
	f.keptPost("", b)
	kept, err := f.Reply(t.Context(), "b", "first", "")
	equal(t, kept, err, first)

	f.do(func(ctx context.Context, tx learning.Tx) error {
		ids := []string{"a", "b"}
		return errors.Join(tx.DeleteVotes(ctx, ids), tx.DeleteReplies(ctx, ids),
			tx.DeletePosts(ctx, ids))
	})
	lists("c", "")
	lists("", "", open)
	lists("d", "l", c)
	gone, err := f.Reply(t.Context(), "b", "first", "")
	missing(t, gone, err)
	kept, err = f.Reply(t.Context(), "c", "other", "u")
	equal(t, kept, err, other)
	c.Upvoted = true
	f.keptPost("u", c)
}

func postRoles(t *testing.T, f *fixture) {
	f.add(course("c"), course("d"))
	for _, p := range []struct {
		author, course string
		wrote, want    core.Role
	}{
		{"educator", "c", core.Educator, core.Educator},
		{"educator", "", core.Student, core.Educator},
		{"educator", "e", core.Educator, core.Student},
		{"educator", "c", core.Admin, core.Admin},
		{"other", "c", core.Educator, core.Student},
		{"other", "", core.Admin, core.Admin},
	} {
		one := post(string(p.want) + p.author + p.course)
		one.Author.ID, one.AuthorRole, one.CourseID = p.author, p.wrote, p.course
		answer := reply("r "+one.ID, one.ID)
		answer.Author.ID, answer.AuthorRole = p.author, p.wrote
		f.add(one, answer)
		one.AuthorRole, answer.AuthorRole = p.want, p.want
		f.keptPost("", one)
		got, err := f.Reply(t.Context(), one.ID, answer.ID, "")
		equal(t, got, err, answer)
	}
}
