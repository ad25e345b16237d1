package community_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/study"
)

// In a course, a post is for its students, its educator and admins. No operation and no list shows
// others that there is one.
func TestPosts_OfACourseAreHiddenFromOutsiders(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a", "b"))
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		eve, rival := w.Person(t, "eve", core.Student), w.Person(t, "rival", core.Educator)
		w.NewPost(t, eve, "")
		w.Asks(t, ada, course, "", "course")
		post := w.Asks(t, ada, course, "a", "lecture")
		reply := w.NewReply(t, bob, post.ID)

		general, all := community.PostQuery{}, community.PostQuery{CourseID: course}
		atA := community.PostQuery{CourseID: course, LectureID: "a"}
		atB := community.PostQuery{CourseID: course, LectureID: "b"}
		for _, who := range []learning.Actor{ada, bob, roomtest.Teacher, roomtest.Boss} {
			w.WantPosts(t, who, general, "Why?")
			w.WantPosts(t, who, all, "lecture", "course")
			w.WantPosts(t, who, atA, "lecture")
			w.WantPosts(t, who, atB)
			if _, err := w.Platform.Community.Thread(ctx(), who, post.ID); err != nil {
				t.Errorf("%s reads the post: %v", who.UserID, err)
			}
		}

		// A lecture that was removed keeps its posts, and an ended enrolment hides them.
		w.Revise(t, course, roomtest.Chapter("1", "b"))
		w.WantPosts(t, ada, atA, "lecture")
		roomtest.Must(t, w.Platform.Study.EndEnrollment(ctx(), roomtest.Boss, "ada", course))
		for _, who := range []learning.Actor{ada, eve, rival, {}} {
			w.WantPosts(t, who, general, "Why?")
			w.WantPosts(t, who, all)
			w.WantPosts(t, who, atA)
			for what, err := range w.UseThread(who, post, reply) {
				if want := community.ErrPostNotFound; !errors.Is(err, want) &&
					(who.SignedIn() || !errors.Is(err, core.ErrUnauthenticated)) {
					t.Errorf("%s, %s: %v, want %v", who.UserID, what, err, want)
				}
			}
		}
		w.WantPosts(t, bob, all, "lecture", "course")
		w.WantCounted(t)

		// Admins decide on complaints about it, and its removal is counted.
		roomtest.Must(t, w.Platform.Community.Complain(ctx(), bob, post.ID, "", "Rude"))
		reports, err := roomtest.PageRows(w.Platform.Community.Complaints(ctx(), roomtest.Boss,
			community.ComplaintOpen,
			learning.PageRequest{Limit: 10}))
		roomtest.Must(t, err)
		roomtest.Must(t, w.Platform.Community.DecideComplaint(ctx(), roomtest.Boss, reports[0].ID,
			community.ComplaintRemoved))
		w.WantPosts(t, bob, all, "course")
		w.WantCounted(t)
	})
}

func TestCreatePost_InACourse_Refuses(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
		ada := w.Enrolls(t, "ada", course)
		group := w.NewGroup(t, ada, "Group").ID
		for want, n := range map[error]community.NewPost{
			catalog.ErrInvalidLecture: {CourseID: course, LectureID: "b"},
			community.ErrPostNotFound: {CourseID: "none"},
		} {
			n.Title, n.Content = "Title", "Content"
			if _, err := w.Platform.Community.CreatePost(ctx(), ada, n); !errors.Is(err, want) {
				t.Errorf("%+v: %v, want %v", n, err, want)
			}
		}
		for _, n := range []community.NewPost{{CourseID: course, GroupID: group},
			{LectureID: "a"}} {
			n.Title, n.Content = "Title", "Content"
			if _, err := w.Platform.Community.CreatePost(ctx(), ada, n); !errors.Is(err,
				core.ErrInvalidRequest) {
				t.Errorf("%+v: %v", n, err)
			}
		}
		for _, q := range []community.PostQuery{{CourseID: course, GroupID: group},
			{LectureID: "a"}, {CourseID: course, Tab: community.MyGroupsPosts}} {
			_, err := w.Platform.Community.AllPosts(ctx(), ada, q)
			_, paged := w.Platform.Community.Posts(ctx(), ada, q, learning.PageRequest{Limit: 1}, 1)
			if !errors.Is(err, core.ErrInvalidRequest) ||
				!errors.Is(paged, core.ErrInvalidRequest) {
				t.Errorf("list %+v: %v, %v", q, err, paged)
			}
		}
	})
}

func TestEditPost_AndReply_OnlyByTheAuthor(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := roomtest.New(t, database)
		ada, bob := w.Person(t, "ada", core.Student), w.Person(t, "bob", core.Student)
		post := w.NewPost(t, ada, "")
		reply := w.NewReply(t, roomtest.Boss, post.ID)
		w.Clock.Advance(time.Minute)
		for _, who := range []learning.Actor{bob, roomtest.Boss} {
			if _, err := w.Platform.Community.EditPost(ctx(), who, post.ID,
				community.PostEdit{Title: new("Mine")}); !errors.Is(err, community.ErrNotPostAuthor) {
				t.Errorf("%s edits the post: %v", who.UserID, err)
			}
		}
		if _, _, err := w.Platform.Community.EditReply(ctx(), ada, post.ID, reply.ID,
			"Mine"); !errors.Is(err, community.ErrNotReplyAuthor) {
			t.Errorf("edit the reply of another: %v", err)
		}
		_, err := w.Platform.Community.EditPost(ctx(), ada, post.ID,
			community.PostEdit{Content: new(" New ")})
		roomtest.Must(t, err)
		_, _, err = w.Platform.Community.EditReply(ctx(), roomtest.Boss, post.ID, reply.ID,
			" Edited ")
		roomtest.Must(t, err)

		thread, err := w.Platform.Community.Thread(ctx(), ada, post.ID)
		roomtest.Must(t, err)
		post.Content, post.UpdatedAt, post.EditedAt = "New", w.Clock.Now(), w.Clock.Now()
		post.Replies = 1
		reply.Content, reply.UpdatedAt, reply.EditedAt = "Edited", w.Clock.Now(), w.Clock.Now()
		replies, err := roomtest.RowsOf(thread.Replies, nil)
		roomtest.Must(t, err)
		if diff := cmp.Diff(post, thread.Post) + cmp.Diff([]community.Reply{reply},
			replies); diff != "" || reply.AuthorRole != core.Admin {
			t.Errorf("the reply of an admin is by a %s: %s", reply.AuthorRole, diff)
		}
	})
}

func TestPosts_AreToldByEvents(t *testing.T) {
	t.Parallel()
	r := &roomtest.Receiver{}
	w := roomtest.New(t, roomtest.SQLite(t), learningtest.WithPlatform(learning.WithEvents("test", r)))
	course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
	ada := w.Enrolls(t, "ada", course)
	post := w.Asks(t, ada, course, "a", "Why?")
	reply := w.NewReply(t, roomtest.Teacher, post.ID)
	_, err := w.Platform.Study.CompleteLecture(ctx(), ada, course, "a")
	roomtest.Must(t, err)
	_, err = w.Platform.Study.CompleteLecture(ctx(), ada, course, "a") // is told once
	roomtest.Must(t, err)
	w.DeliverEvents(t, 9) // with those of the notifications of the question and the reply
	title := "Course " + course
	want := map[core.EventType]core.EventData{
		community.EventPostCreated: {PostID: post.ID, UserID: "ada", CourseID: course,
			CourseTitle: title, LectureID: "a"},
		community.EventReplyCreated: {PostID: post.ID, ReplyID: reply.ID,
			UserID:   roomtest.Teacher.UserID,
			CourseID: course, LectureID: "a"},
		study.EventLectureCompleted: {UserID: "ada", CourseID: course, CourseTitle: title,
			LectureID: "a"},
	}
	got, told := map[core.EventType]core.EventData{}, 0
	for _, e := range r.Events() {
		if _, isWanted := want[e.Type]; isWanted {
			got[e.Type], told = e.Data, told+1
		}
	}
	if diff := cmp.Diff(want, got); diff != "" || told != len(want) {
		t.Errorf("%d events: %s", told, diff)
	}
}

func TestDeletePost_OnlyItsAuthorAndAdmins(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	ada, bob := w.Person(t, "ada", core.Student), w.Person(t, "bob", core.Educator)
	post := w.NewPost(t, ada, "")
	roomtest.WantFailure(t, w.Platform.Community.DeletePost(ctx(), bob, post.ID),
		community.ErrNotPostAuthor,
		"delete")
	roomtest.Must(t, w.Platform.Community.DeletePost(ctx(), roomtest.Boss, post.ID))
	roomtest.Must(t, w.Platform.Community.DeletePost(ctx(), ada, w.NewPost(t, ada, "").ID))
}

// An owner who is no educator any more has no access to the posts of the course.
func TestCreatePost_InACourse_ByAFormerEducator(t *testing.T) {
	w := roomtest.New(t, roomtest.SQLite(t))
	course := w.Publish(t, "course", roomtest.Chapter("1", "a"))
	former := learning.Actor{UserID: roomtest.Teacher.UserID, Role: core.Student}
	_, err := w.Platform.Community.CreatePost(ctx(), former,
		community.NewPost{Title: "Hi", Content: "Hello", CourseID: course})
	roomtest.WantFailure(t, err, community.ErrPostNotFound, "post")
}
