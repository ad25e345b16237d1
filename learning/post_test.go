package learning_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// asks creates a post in a course, at a lecture unless that is "", which must succeed.
func (w *fixture) asks(
	t *testing.T, who learning.Actor, course, lecture, title string,
) learning.Post {
	t.Helper()
	w.Clock.Advance(time.Second)
	post, err := w.Platform.CreatePost(ctx(), who, learning.NewPost{CourseID: course,
		LectureID: lecture, Title: title, Content: "I do not see it."})
	must(t, err)
	return post
}

// wantPosts checks the titles of the posts of a query: of all of them, of pages, and their total.
func (w *fixture) wantPosts(
	t *testing.T, who learning.Actor, q learning.PostQuery, want ...string,
) {
	t.Helper()
	titles := func(list []learning.Post, err error) string {
		t.Helper()
		must(t, err)
		var all []string
		for _, post := range list {
			all = append(all, post.Title)
		}
		return strings.Join(all, " ")
	}
	q.Tab = learning.AllPosts
	got := titles(orderedRows(w.Platform.AllPosts(ctx(), who, q)))
	page, err := w.Platform.Posts(ctx(), who, q, learning.PageRequest{Limit: 10}, 1)
	paged := titles(page.Rows, err)
	q.Tab = learning.TrendingPosts
	trending := titles(orderedRows(w.Platform.AllPosts(ctx(), who, q)))
	if all := strings.Join(want, " "); got != all || paged != all || trending != all ||
		page.Total != len(want) {
		t.Errorf("%s, %+v: all %q, page %q of %d, trending %q, want %q", who.UserID, q, got, paged,
			page.Total, trending, all)
	}
}

// In a course, a post is for its students, its educator and admins. No operation and no list shows
// others that there is one.
func TestPosts_OfACourseAreHiddenFromOutsiders(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.publish(t, "course", chapter("1", "a", "b"))
		ada, bob := w.enrolls(t, "ada", course), w.enrolls(t, "bob", course)
		eve, rival := w.Person(t, "eve", learning.Student), w.Person(t, "rival", learning.Educator)
		w.newPost(t, eve, "")
		w.asks(t, ada, course, "", "course")
		post := w.asks(t, ada, course, "a", "lecture")
		reply := w.newReply(t, bob, post.ID)

		general, all := learning.PostQuery{}, learning.PostQuery{CourseID: course}
		atA := learning.PostQuery{CourseID: course, LectureID: "a"}
		atB := learning.PostQuery{CourseID: course, LectureID: "b"}
		for _, who := range []learning.Actor{ada, bob, teacher, boss} {
			w.wantPosts(t, who, general, "Why?")
			w.wantPosts(t, who, all, "lecture", "course")
			w.wantPosts(t, who, atA, "lecture")
			w.wantPosts(t, who, atB)
			if _, err := w.Platform.Thread(ctx(), who, post.ID); err != nil {
				t.Errorf("%s reads the post: %v", who.UserID, err)
			}
		}

		// A lecture that was removed keeps its posts, and an ended enrolment hides them.
		w.revise(t, course, chapter("1", "b"))
		w.wantPosts(t, ada, atA, "lecture")
		must(t, w.Platform.EndEnrollment(ctx(), boss, "ada", course))
		for _, who := range []learning.Actor{ada, eve, rival, {}} {
			w.wantPosts(t, who, general, "Why?")
			w.wantPosts(t, who, all)
			w.wantPosts(t, who, atA)
			for what, err := range w.useThread(who, post, reply) {
				if want := learning.ErrPostNotFound; !errors.Is(err, want) &&
					(who.SignedIn() || !errors.Is(err, learning.ErrUnauthenticated)) {
					t.Errorf("%s, %s: %v, want %v", who.UserID, what, err, want)
				}
			}
		}
		w.wantPosts(t, bob, all, "lecture", "course")
		w.wantCounted(t)

		// Admins decide on complaints about it, and its removal is counted.
		must(t, w.Platform.Complain(ctx(), bob, post.ID, "", "Rude"))
		reports, err := pageRows(w.Platform.Complaints(ctx(), boss, learning.ComplaintOpen,
			learning.PageRequest{Limit: 10}))
		must(t, err)
		must(t, w.Platform.DecideComplaint(ctx(), boss, reports[0].ID, learning.ComplaintRemoved))
		w.wantPosts(t, bob, all, "course")
		w.wantCounted(t)
	})
}

// useThread calls every operation on a post and its reply, and returns the errors.
func (w *fixture) useThread(
	who learning.Actor, post learning.Post, reply learning.Reply,
) map[string]error {
	p, errs := w.Platform, map[string]error{}
	_, errs["read"] = p.Thread(ctx(), who, post.ID)
	_, errs["write"] = p.CreatePost(ctx(), who, learning.NewPost{CourseID: post.CourseID,
		Title: "Title", Content: "Content"})
	_, errs["edit"] = p.EditPost(ctx(), who, post.ID, learning.PostEdit{Title: new("New")})
	_, errs["vote"] = p.TogglePostVote(ctx(), who, post.ID)
	_, errs["resolve"] = p.ToggleResolved(ctx(), who, post.ID)
	errs["delete"] = p.DeletePost(ctx(), who, post.ID)
	errs["report"] = p.Complain(ctx(), who, post.ID, "", "Rude")
	_, errs["reply"] = p.CreateReply(ctx(), who, post.ID, "Because.")
	_, _, errs["edit a reply"] = p.EditReply(ctx(), who, post.ID, reply.ID, "New")
	_, errs["vote for a reply"] = p.ToggleReplyVote(ctx(), who, post.ID, reply.ID)
	_, errs["accept"] = p.ToggleAccepted(ctx(), who, post.ID, reply.ID)
	errs["delete a reply"] = p.DeleteReply(ctx(), who, post.ID, reply.ID)
	errs["report a reply"] = p.Complain(ctx(), who, post.ID, reply.ID, "Rude")
	return errs
}

func TestCreatePost_InACourse_Refuses(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		course := w.publish(t, "course", chapter("1", "a"))
		ada := w.enrolls(t, "ada", course)
		group := w.newGroup(t, ada, "Group").ID
		for want, n := range map[error]learning.NewPost{
			learning.ErrInvalidLecture: {CourseID: course, LectureID: "b"},
			learning.ErrPostNotFound:   {CourseID: "none"},
		} {
			n.Title, n.Content = "Title", "Content"
			if _, err := w.Platform.CreatePost(ctx(), ada, n); !errors.Is(err, want) {
				t.Errorf("%+v: %v, want %v", n, err, want)
			}
		}
		for _, n := range []learning.NewPost{{CourseID: course, GroupID: group}, {LectureID: "a"}} {
			n.Title, n.Content = "Title", "Content"
			if _, err := w.Platform.CreatePost(ctx(), ada, n); !errors.Is(err,
				learning.ErrInvalidRequest) {
				t.Errorf("%+v: %v", n, err)
			}
		}
		for _, q := range []learning.PostQuery{{CourseID: course, GroupID: group},
			{LectureID: "a"}, {CourseID: course, Tab: learning.MyGroupsPosts}} {
			_, err := w.Platform.AllPosts(ctx(), ada, q)
			_, paged := w.Platform.Posts(ctx(), ada, q, learning.PageRequest{Limit: 1}, 1)
			if !errors.Is(err, learning.ErrInvalidRequest) ||
				!errors.Is(paged, learning.ErrInvalidRequest) {
				t.Errorf("list %+v: %v, %v", q, err, paged)
			}
		}
	})
}

func TestEditPost_AndReply_OnlyByTheAuthor(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w := newFixture(t, database)
		ada, bob := w.Person(t, "ada", learning.Student), w.Person(t, "bob", learning.Student)
		post := w.newPost(t, ada, "")
		reply := w.newReply(t, boss, post.ID)
		w.Clock.Advance(time.Minute)
		for _, who := range []learning.Actor{bob, boss} {
			if _, err := w.Platform.EditPost(ctx(), who, post.ID,
				learning.PostEdit{Title: new("Mine")}); !errors.Is(err, learning.ErrNotPostAuthor) {
				t.Errorf("%s edits the post: %v", who.UserID, err)
			}
		}
		if _, _, err := w.Platform.EditReply(ctx(), ada, post.ID, reply.ID,
			"Mine"); !errors.Is(err, learning.ErrNotReplyAuthor) {
			t.Errorf("edit the reply of another: %v", err)
		}
		_, err := w.Platform.EditPost(ctx(), ada, post.ID, learning.PostEdit{Content: new(" New ")})
		must(t, err)
		_, _, err = w.Platform.EditReply(ctx(), boss, post.ID, reply.ID, " Edited ")
		must(t, err)

		thread, err := w.Platform.Thread(ctx(), ada, post.ID)
		must(t, err)
		post.Content, post.UpdatedAt, post.EditedAt = "New", w.Clock.Now(), w.Clock.Now()
		post.Replies = 1
		reply.Content, reply.UpdatedAt, reply.EditedAt = "Edited", w.Clock.Now(), w.Clock.Now()
		replies, err := rowsOf(thread.Replies, nil)
		must(t, err)
		if diff := cmp.Diff(post, thread.Post) + cmp.Diff([]learning.Reply{reply},
			replies); diff != "" || reply.AuthorRole != learning.Admin {
			t.Errorf("the reply of an admin is by a %s: %s", reply.AuthorRole, diff)
		}
	})
}

func TestPosts_AreToldByEvents(t *testing.T) {
	t.Parallel()
	r := &receiver{}
	w := newFixture(t, sqlite(t), learningtest.WithPlatform(learning.WithEvents("test", r)))
	course := w.publish(t, "course", chapter("1", "a"))
	ada := w.enrolls(t, "ada", course)
	post := w.asks(t, ada, course, "a", "Why?")
	reply := w.newReply(t, teacher, post.ID)
	_, err := w.Platform.CompleteLecture(ctx(), ada, course, "a")
	must(t, err)
	_, err = w.Platform.CompleteLecture(ctx(), ada, course, "a") // is told once
	must(t, err)
	w.deliverEvents(t, 7)
	title := "Course " + course
	want := map[learning.EventType]learning.EventData{
		learning.EventPostCreated: {PostID: post.ID, UserID: "ada", CourseID: course,
			CourseTitle: title, LectureID: "a"},
		learning.EventReplyCreated: {PostID: post.ID, ReplyID: reply.ID, UserID: teacher.UserID,
			CourseID: course, LectureID: "a"},
		learning.EventLectureCompleted: {UserID: "ada", CourseID: course, CourseTitle: title,
			LectureID: "a"},
	}
	got, told := map[learning.EventType]learning.EventData{}, 0
	for _, e := range r.events() {
		if _, isWanted := want[e.Type]; isWanted {
			got[e.Type], told = e.Data, told+1
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || told != len(want) {
		t.Errorf("%d events: %s", told, diff)
	}
}

func TestDeletePost_OnlyItsAuthorAndAdmins(t *testing.T) {
	w := newFixture(t, sqlite(t))
	ada, bob := w.Person(t, "ada", learning.Student), w.Person(t, "bob", learning.Educator)
	post := w.newPost(t, ada, "")
	wantFailure(t, w.Platform.DeletePost(ctx(), bob, post.ID), learning.ErrNotPostAuthor, "delete")
	must(t, w.Platform.DeletePost(ctx(), boss, post.ID))
	must(t, w.Platform.DeletePost(ctx(), ada, w.newPost(t, ada, "").ID))
}

// An owner who is no educator any more has no access to the posts of the course.
func TestCreatePost_InACourse_ByAFormerEducator(t *testing.T) {
	w := newFixture(t, sqlite(t))
	course := w.publish(t, "course", chapter("1", "a"))
	former := learning.Actor{UserID: teacher.UserID, Role: learning.Student}
	_, err := w.Platform.CreatePost(ctx(), former,
		learning.NewPost{Title: "Hi", Content: "Hello", CourseID: course})
	wantFailure(t, err, learning.ErrPostNotFound, "post")
}
