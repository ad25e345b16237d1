package roomtest

import (
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// Asks creates a post in a course, at a lecture unless that is "", which must succeed.
func (w *World) Asks(
	t *testing.T, who core.Actor, course, lecture, title string,
) community.Post {
	t.Helper()
	w.Clock.Advance(time.Second)
	post, err := w.Platform.Community.CreatePost(ctx(), who, community.NewPost{CourseID: course,
		LectureID: lecture, Title: title, Content: "I do not see it."})
	Must(t, err)
	return post
}

// WantPosts checks the titles of the posts of a query: of all of them, of pages, and their total.
func (w *World) WantPosts(
	t *testing.T, who core.Actor, q community.PostQuery, want ...string,
) {
	t.Helper()
	titles := func(list []community.Post, err error) string {
		t.Helper()
		Must(t, err)
		var all []string
		for _, post := range list {
			all = append(all, post.Title)
		}
		return strings.Join(all, " ")
	}
	q.Tab = community.AllPosts
	got := titles(OrderedRows(w.Platform.Community.AllPosts(ctx(), who, q)))
	page, err := w.Platform.Community.Posts(ctx(), who, q, core.PageRequest{Limit: 10}, 1)
	paged := titles(page.Rows, err)
	q.Tab = community.TrendingPosts
	trending := titles(OrderedRows(w.Platform.Community.AllPosts(ctx(), who, q)))
	if all := strings.Join(want, " "); got != all || paged != all || trending != all ||
		page.Total != len(want) {
		t.Errorf("%s, %+v: all %q, page %q of %d, trending %q, want %q", who.UserID, q, got, paged,
			page.Total, trending, all)
	}
}

// UseThread calls every operation on a post and its reply, and returns the errors.
func (w *World) UseThread(
	who core.Actor, post community.Post, reply community.Reply,
) map[string]error {
	p, errs := w.Platform, map[string]error{}
	_, errs["read"] = p.Community.Thread(ctx(), who, post.ID)
	_, errs["write"] = p.Community.CreatePost(ctx(), who, community.NewPost{CourseID: post.CourseID,
		Title: "Title", Content: "Content"})
	_, errs["edit"] = p.Community.EditPost(ctx(), who, post.ID,
		community.PostEdit{Title: new("New")})
	_, errs["vote"] = p.Community.TogglePostVote(ctx(), who, post.ID)
	_, errs["resolve"] = p.Community.ToggleResolved(ctx(), who, post.ID)
	errs["delete"] = p.Community.DeletePost(ctx(), who, post.ID)
	errs["report"] = p.Community.Complain(ctx(), who, post.ID, "", "Rude")
	_, errs["reply"] = p.Community.CreateReply(ctx(), who, post.ID, "Because.")
	_, _, errs["edit a reply"] = p.Community.EditReply(ctx(), who, post.ID, reply.ID, "New")
	_, errs["vote for a reply"] = p.Community.ToggleReplyVote(ctx(), who, post.ID, reply.ID)
	_, errs["accept"] = p.Community.ToggleAccepted(ctx(), who, post.ID, reply.ID)
	errs["delete a reply"] = p.Community.DeleteReply(ctx(), who, post.ID, reply.ID)
	errs["report a reply"] = p.Community.Complain(ctx(), who, post.ID, reply.ID, "Rude")
	return errs
}
