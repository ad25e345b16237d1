package learning_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
)

// waitingWorld is a platform with a course that has an assignment, and users of it.
type waitingWorld struct {
	*roomtest.World
	course   string
	students []learning.Actor
}

func newWaitingWorld(t *testing.T, database string) waitingWorld {
	w := roomtest.New(t, database)
	w.Person(t, roomtest.Teacher.UserID, core.Educator)
	w.Person(t, roomtest.Boss.UserID, core.Admin)
	course := w.Publish(t, "course", roomtest.Chapter("1", "a"), roomtest.Essay(catalog.Assignment{
		Rubric: []catalog.Criterion{{Text: "Content", Points: 10}, {Text: "Style", Points: 5}}}))
	return waitingWorld{World: w, course: course, students: []learning.Actor{
		w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course), w.Enrolls(t, "cy", course)}}
}

// wantWaiting checks what the educator of the course and admins see, and that it is what a recount
// finds.
func (w waitingWorld) wantWaiting(t *testing.T, what string, want staff.Waiting, reports int) {
	t.Helper()
	d, err := w.Platform.Staff.Dashboard(ctx(), roomtest.Teacher)
	roomtest.Must(t, err)
	if diff := cmp.Diff(want, d.Waiting); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
	stats, err := w.Platform.Staff.Stats(ctx(), roomtest.Boss)
	if err != nil || stats.OpenComplaints != reports {
		t.Errorf("%s: %d open reports, want %d (%v)", what, stats.OpenComplaints, reports, err)
	}
	w.WantRightTotals(t)
}

func TestWaiting_IsWhatNobodyHasAnswered(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := newWaitingWorld(t, database)
		p, ada, bob, cy := w.Platform, w.students[0], w.students[1], w.students[2]
		questions := func(n int) staff.Waiting { return staff.Waiting{Questions: n} }

		// Posts in no course and those of the educator wait for nobody, but those of admins do.
		w.NewPost(t, ada, "")
		w.Asks(t, roomtest.Teacher, w.course, "", "mine")
		w.Asks(t, roomtest.Boss, w.course, "", "by an admin")
		post := w.Asks(t, ada, w.course, "a", "why")
		w.wantWaiting(t, "asked", questions(2), 0)

		// A reply of a student is no answer. One of staff is, until the last one is deleted.
		w.NewReply(t, bob, post.ID)
		w.wantWaiting(t, "a student has replied", questions(2), 0)
		first, second := w.NewReply(t, roomtest.Teacher, post.ID), w.NewReply(t, roomtest.Boss, post.ID)
		w.wantWaiting(t, "staff has replied", questions(1), 0)
		roomtest.Must(t, p.Community.DeleteReply(ctx(), roomtest.Teacher, post.ID, first.ID))
		w.wantWaiting(t, "a reply was deleted", questions(1), 0)
		roomtest.Must(t, p.Community.DeleteReply(ctx(), roomtest.Boss, post.ID, second.ID))
		w.wantWaiting(t, "all replies were deleted", questions(2), 0)

		// It does not wait while it is resolved, nor once it is deleted or its author is.
		_, err := p.Community.ToggleResolved(ctx(), ada, post.ID)
		roomtest.Must(t, err)
		w.wantWaiting(t, "resolved", questions(1), 0)
		_, err = p.Community.ToggleResolved(ctx(), ada, post.ID)
		roomtest.Must(t, err)
		w.wantWaiting(t, "open again", questions(2), 0)
		gone := w.Asks(t, bob, w.course, "", "deleted")
		roomtest.Must(t, p.Community.DeletePost(ctx(), bob, gone.ID))
		reply := w.NewReply(t, roomtest.Teacher, w.Asks(t, bob, w.course, "", "answered").ID)
		w.Asks(t, bob, w.course, "", "open")
		w.wantWaiting(t, "asked by bob", questions(3), 0)
		roomtest.Must(t, p.Community.Complain(ctx(), ada, reply.PostID, "", "Rude"))
		w.wantWaiting(t, "reported", questions(3), 1)
		w.DeleteUser(t, "bob")
		w.wantWaiting(t, "bob is deleted", questions(2), 1)
		roomtest.Must(t, p.Community.DeleteReply(ctx(), roomtest.Teacher, reply.PostID, reply.ID))
		w.wantWaiting(t, "a question of a deleted user", questions(2), 1)
		for range 2 {
			roomtest.Must(t, p.Community.DecideComplaint(ctx(), roomtest.Boss,
				w.Complaints(t, "")[0].ID, community.ComplaintDismissed))
			w.wantWaiting(t, "dismissed", questions(2), 0)
		}

		// Reviews wait for an answer, and work for a decision.
		w.Reviews(t, ada, w.course, 3, "Good")
		w.Reviews(t, cy, w.course, 2, "Bad")
		w.Drafts(t, ada, w.course, "work")
		work := w.SubmitsWork(t, ada, w.course)
		w.wantWaiting(t, "reviewed", staff.Waiting{Submissions: 1, Questions: 2, Reviews: 2}, 0)
		id := w.reviews(t)[0].ID
		for _, step := range []struct {
			text string
			want int
		}{{"Thanks", 1}, {"Thank you", 1}, {"", 2}, {"", 2}, {"Thanks", 1}} {
			_, err := p.Community.AnswerReview(ctx(), roomtest.Teacher, id, step.text)
			roomtest.Must(t, err)
			w.wantWaiting(t, "answered with "+step.text,
				staff.Waiting{Submissions: 1, Questions: 2, Reviews: step.want}, 0)
		}
		w.Grades(t, work, assess.SubmissionReturned)
		w.wantWaiting(t, "returned", staff.Waiting{Questions: 2, Reviews: 1}, 0)
		w.Drafts(t, ada, w.course, "again")
		w.SubmitsWork(t, ada, w.course)
		w.wantWaiting(t, "again", staff.Waiting{Submissions: 1, Questions: 2, Reviews: 1}, 0)
		w.DeleteUser(t, "ada")
		w.DeleteUser(t, "cy")
		w.wantWaiting(t, "all are deleted", questions(1), 0)
	})
}

// reviews lists the reviews of the course.
func (w waitingWorld) reviews(t *testing.T) []community.Review {
	t.Helper()
	page := learning.PageRequest{Limit: 100}
	list, _, err := w.Platform.Community.Reviews(ctx(), w.course, community.NewestReviews, page)
	roomtest.Must(t, err)
	return list.Rows
}

// posts lists the ids of the posts in the course.
func (w waitingWorld) posts(t *testing.T) (ids []string) {
	t.Helper()
	page := learning.PageRequest{Limit: 100}
	list, err := w.Platform.Community.Posts(ctx(), roomtest.Boss,
		community.PostQuery{CourseID: w.course}, page, 1)
	roomtest.Must(t, err)
	for _, p := range list.Rows {
		ids = append(ids, p.ID)
	}
	return ids
}

// The kept totals are those of a recount after any operations in any order.
func TestWaiting_TotalsAfterRandomOperations(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := newWaitingWorld(t, database)
		seed := rand.Uint64()
		random := rand.New(rand.NewPCG(seed, 1))
		t.Logf("the seed is %d", seed)
		for i := range 150 {
			err := w.randomly(t, random)
			if e := (*core.Error)(nil); err != nil && !errors.As(err, &e) {
				t.Fatalf("step %d: %v", i, err)
			}
			if i%10 == 9 {
				w.WantRightTotals(t)
			}
		}
	})
}

// randomly does one of the things that change what waits. Many are refused.
func (w waitingWorld) randomly(t *testing.T, random *rand.Rand) (err error) {
	c, student := w.Platform.Community, w.students[random.IntN(len(w.students))]
	who := append(w.students, roomtest.Teacher, roomtest.Boss)[random.IntN(len(w.students)+2)]
	one := func(ids []string) string {
		if len(ids) == 0 {
			return "none"
		}
		return ids[random.IntN(len(ids))]
	}
	post, replies := one(w.posts(t)), []string{}
	if thread, err := c.Thread(ctx(), roomtest.Boss, post); err == nil {
		for r, err := range thread.Replies {
			roomtest.Must(t, err)
			replies = append(replies, r.ID)
		}
	}
	var reviews, reports []string
	for _, r := range w.reviews(t) {
		reviews = append(reviews, r.ID)
	}
	for _, r := range w.Complaints(t, "") {
		reports = append(reports, r.ID)
	}
	text := []string{"", "text", "another"}[random.IntN(3)]

	switch random.IntN(14) {
	case 0, 1:
		_, err = c.CreatePost(ctx(), who, community.NewPost{Title: "t", Content: "c",
			CourseID: w.course})
	case 2, 3:
		_, err = c.CreateReply(ctx(), who, post, "reply")
	case 4:
		err = c.DeleteReply(ctx(), roomtest.Boss, post, one(replies))
	case 5:
		_, err = c.ToggleResolved(ctx(), who, post)
	case 6:
		_, err = c.ToggleAccepted(ctx(), who, post, one(replies))
	case 7:
		err = c.Review(ctx(), student, community.NewReview{CourseID: w.course, Stars: 3, Text: text})
	case 8:
		_, err = c.AnswerReview(ctx(), roomtest.Teacher, one(reviews), text)
	case 9:
		err = errors.Join(c.Complain(ctx(), who, post, "", "Rude"),
			c.ComplainAboutReview(ctx(), who, w.course, one(reviews), "Rude"))
	case 10:
		status := []community.ComplaintStatus{community.ComplaintDismissed,
			community.ComplaintRemoved}[random.IntN(2)]
		err = c.DecideComplaint(ctx(), roomtest.Boss, one(reports), status)
	case 11:
		if _, err = w.Platform.Assess.SaveDraft(ctx(), student, w.course, roomtest.TheEssay,
			assess.Work{Text: "work"}); err == nil {
			_, err = w.Platform.Assess.Submit(ctx(), student, w.course, roomtest.TheEssay)
		}
	case 12:
		page := learning.PageRequest{Limit: 1}
		list, err := w.Platform.Assess.Submissions(ctx(), roomtest.Teacher,
			assess.SubmissionQuery{}, page)
		if err != nil || len(list.Rows) == 0 {
			return err
		}
		s, err := w.Platform.Assess.Submission(ctx(), roomtest.Teacher, list.Rows[0].ID)
		roomtest.Must(t, err)
		_, err = w.Platform.Assess.Grade(ctx(), roomtest.Teacher, s.ID,
			roomtest.GradeOf(s.AssignmentSubmission, assess.SubmissionReturned))
		return err
	case 13: // a user is deleted, and another one comes
		i := random.IntN(len(w.students))
		w.DeleteUser(t, w.students[i].UserID)
		w.students[i] = w.Person(t, w.students[i].UserID+"x", core.Student)
		_, err = w.Platform.Study.GrantEnrollment(ctx(), roomtest.Boss,
			study.Grant{UserID: w.students[i].UserID, CourseID: w.course})
	}
	return err
}

// Operations that change what waits for one educator run at the same time.
func TestWaiting_TotalsUnderRaces(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w := newWaitingWorld(t, database)
		p, ada := w.Platform, w.students[0]
		for round := range 4 {
			post := w.Asks(t, ada, w.course, "", "why")
			w.NewReply(t, roomtest.Teacher, post.ID)
			reply := w.NewReply(t, roomtest.Boss, post.ID)
			w.Reviews(t, ada, w.course, 3, "Good")
			review := w.reviews(t)[0].ID
			roomtest.Must(t, p.Community.Complain(ctx(), w.students[1], post.ID, "", "Rude"))
			report := w.Complaints(t, community.ComplaintOpen)[0].ID
			steps := []func() error{
				func() error { _, err := p.Community.ToggleResolved(ctx(), ada, post.ID); return err },
				func() error { _, err := p.Community.ToggleResolved(ctx(), ada, post.ID); return err },
				func() error {
					return p.Community.DeleteReply(ctx(), roomtest.Boss, post.ID, reply.ID)
				},
				func() error {
					_, err := p.Community.AnswerReview(ctx(), roomtest.Teacher, review, "Thanks")
					return err
				},
				func() error {
					_, err := p.Community.AnswerReview(ctx(), roomtest.Boss, review, "")
					return err
				},
				func() error {
					return p.Community.Review(ctx(), ada,
						community.NewReview{CourseID: w.course, Stars: 3})
				},
				func() error {
					return p.Community.DecideComplaint(ctx(), roomtest.Boss, report,
						community.ComplaintDismissed)
				},
				func() error {
					return p.Community.DecideComplaint(ctx(), roomtest.Boss, report,
						community.ComplaintRemoved)
				},
			}
			if round == 3 { // at last the author is deleted meanwhile
				steps = append(steps, func() error {
					return p.System().ApplyIdentityEvent(ctx(), people.IdentityEvent{
						Type: people.UserDeleted, SentAt: w.Clock.Now(),
						User: people.IdentityUser{ID: ada.UserID}})
				})
			}
			errs := roomtest.Concurrently(len(steps), func(i int) error { return steps[i]() })
			for _, err := range errs {
				if e := (*core.Error)(nil); err != nil && !errors.As(err, &e) {
					t.Error(err)
				}
			}
			w.WantRightTotals(t)
		}
	})
}
