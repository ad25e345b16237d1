package community_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

func TestCommunity_TextLimits(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	s := w.NewSubject(t, "Gophers")
	group := func(n community.NewGroup) error {
		_, err := w.Platform.Community.CreateGroup(ctx(), s.Author, n)
		return err
	}
	post := func(n community.NewPost) error {
		_, err := w.Platform.Community.CreatePost(ctx(), s.Author, n)
		return err
	}
	reply := func(content string) error {
		_, err := w.Platform.Community.CreateReply(ctx(), s.Author, s.PostID, content)
		return err
	}
	long := func(n int) string { return strings.Repeat("界", n) }
	before := w.Dump(t)
	for what, err := range map[string]error{
		"no name":            group(community.NewGroup{Name: " \n"}),
		"a long name":        group(community.NewGroup{Name: long(61)}),
		"a long description": group(community.NewGroup{Name: "n", Description: long(201)}),
		"a long icon":        group(community.NewGroup{Name: "n", Icon: long(17)}),
		"no title":           post(community.NewPost{Title: "\t", Content: "c"}),
		"a long title":       post(community.NewPost{Title: long(201), Content: "c"}),
		"no content":         post(community.NewPost{Title: "t", Content: " "}),
		"a long content":     post(community.NewPost{Title: "t", Content: long(5_001)}),
		"no reply":           reply("\u00a0"), "a long reply": reply(long(3_001)),
	} {
		if !errors.Is(err, core.ErrInvalidRequest) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
		t.Error(diff)
	}
	for what, err := range map[string]error{
		"group": group(community.NewGroup{Name: " " + long(60), Description: long(200),
			Icon: long(16)}),
		"post": post(community.NewPost{Title: long(200) + " ", Content: long(5_000),
			Tags: []string{long(30), long(30), long(30), long(30), long(30), long(31)}}),
		"reply": reply(long(3_000)),
	} {
		if err != nil {
			t.Errorf("the longest %s: %v", what, err)
		}
	}
}

func TestCreatePost_LongTagsAreCut(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	p, err := w.Platform.Community.CreatePost(ctx(), roomtest.Student("ada"),
		community.NewPost{Title: "t", Content: "c",
			Tags: []string{" ", strings.Repeat("界", 31), " " + strings.Repeat("x", 29) + " y",
				strings.Repeat("z", 30), "b", "c", "d"}})
	want := []string{strings.Repeat("界", 30), strings.Repeat("x", 29), strings.Repeat("z", 30), "b",
		"c"}
	if diff := cmp.Diff(want, p.Tags); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
}

func TestCreatePost_DoesNotChangeItsArgument(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	tags := []string{" a ", "", "b", "c", "d", "e", "f"}
	p, err := w.Platform.Community.CreatePost(ctx(), roomtest.Student("ada"),
		community.NewPost{Title: "t", Content: "c", Tags: tags})
	if diff := cmp.Diff([]string{"a", "b", "c", "d", "e"}, p.Tags); diff != "" || err != nil ||
		tags[0] != " a " {
		t.Errorf("%v %q %s", err, tags, diff)
	}
}

func TestCommunity_WritingRequiresAUser(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	s := w.NewSubject(t, "Gophers")
	before := w.Dump(t)
	nobody := learning.Actor{}
	p := w.Platform
	for what, do := range map[string]func() error{
		"group": func() error {
			_, err := p.Community.CreateGroup(ctx(), nobody,
				community.NewGroup{Name: "n"})
			return err
		},
		"membership": func() error {
			_, err := p.Community.ToggleMembership(ctx(), nobody,
				s.GroupID)
			return err
		},
		"post": func() error {
			_, err := p.Community.CreatePost(ctx(), nobody,
				community.NewPost{Title: "t", Content: "c"})
			return err
		},
		"reply": func() error {
			_, err := p.Community.CreateReply(ctx(), nobody, s.PostID,
				"c")
			return err
		},
		"vote": func() error {
			_, err := p.Community.TogglePostVote(ctx(), nobody,
				s.PostID)
			return err
		},
		"reply vote": func() error {
			_, err := p.Community.ToggleReplyVote(ctx(), nobody, s.PostID,
				s.ReplyID)
			return err
		},
		"resolve": func() error {
			_, err := p.Community.ToggleResolved(ctx(), nobody,
				s.PostID)
			return err
		},
		"accept": func() error {
			_, err := p.Community.ToggleAccepted(ctx(), nobody, s.PostID,
				s.ReplyID)
			return err
		},
		"delete": func() error { return p.Community.DeletePost(ctx(), nobody, s.PostID) },

		"delete reply": func() error { return p.Community.DeleteReply(ctx(), nobody, s.PostID, s.ReplyID) },
		"complaint":    func() error { return p.Community.Complain(ctx(), nobody, s.PostID, "", "Rude") },
	} {
		if err := do(); !errors.Is(err, core.ErrUnauthenticated) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if diff := cmp.Diff(before, w.Dump(t)); diff != "" {
		t.Error(diff)
	}
}

func TestCreateGroup_OfficialRequiresAdmin(t *testing.T) {
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db")
	for _, role := range []learning.Role{core.Student, core.Educator, core.Admin} {
		g, err := w.Platform.Community.CreateGroup(ctx(), learning.Actor{UserID: "ada", Role: role},
			community.NewGroup{Name: string(role), Official: true})
		if is := role == core.Admin; is != (err == nil) || is != g.Official ||
			!is && !errors.Is(err, core.ErrForbidden) {
			t.Errorf("%s: %+v, %v", role, g, err)
		}
	}
}

// A new name of a user is shown at once on all posts and replies. The name of a deleted user is
// not shown, and their votes still count.
func TestCommunity_PresentNamesOfAuthors(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, eve := w.Person(t, "ada", core.Student), roomtest.Student("eve")
		group := w.NewGroup(t, ada, "Gophers")
		post := w.NewPost(t, ada, group.ID)
		reply := w.NewReply(t, ada, post.ID)
		if _, err := w.Platform.Community.TogglePostVote(ctx(), ada, post.ID); err != nil {
			t.Fatal(err)
		}
		shown := func(name string, image bool) {
			t.Helper()
			thread, err := w.Platform.Community.Thread(ctx(), eve, post.ID)
			if err != nil {
				t.Fatal(err)
			}
			p := thread.Post
			replies, err := roomtest.RowsOf(thread.Replies, nil)
			if err != nil || p.Author.Name != name || replies[0].Author.Name != name ||
				(p.Author.ImageURL != "") != image {
				t.Errorf("the post is by %+v, the reply by %+v (%v); want %s", p.Author,
					replies[0].Author, err, name)
			}
			var listed []string
			posts, err := roomtest.OrderedRows(w.Platform.Community.AllPosts(ctx(), eve,
				community.PostQuery{}))
			for _, p := range posts {
				listed = append(listed, p.Author.Name)
			}
			if err != nil || !slices.Equal(listed, []string{name}) || p.Upvotes != 1 {
				t.Errorf("listed by %q with %d upvotes (%v), want %s", listed, p.Upvotes, err, name)
			}
		}
		e := roomtest.Event(people.UserUpdated, 5)
		e.User.ID, e.User.ImageURL = "ada", "https://img.example.com/ada"
		w.Clock.Advance(time.Hour)
		w.Apply(t, e)
		shown("Ada 5", true)
		gone := roomtest.Event(people.UserDeleted, 6)
		gone.User.ID = "ada"
		w.Apply(t, gone)
		shown(core.DeletedUser, false)
		w.WantCounted(t)
		changed, err := w.Platform.Community.ToggleAccepted(ctx(), ada, post.ID, reply.ID)
		// by a token that is older than the news, at most
		if err != nil || changed.AcceptedReplyID != reply.ID || !changed.Resolved {
			t.Error(changed, err)
		}
	})
}
