package learning_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// theEssay is the id of the lecture that is an assignment.
const theEssay = "essay"

// essay returns a chapter whose only lecture is an assignment.
func essay(a learning.Assignment) learning.Chapter {
	return learning.Chapter{ID: "essays", Title: "Essays", Lectures: []learning.Lecture{{
		ID: theEssay, Title: "Essay", Kind: learning.KindAssignment, Assignment: &a}}}
}

// newEssayFixture returns a platform with a course of two lectures, of which one is an assignment
// with files and a rubric of two lines, and a student who is enrolled.
func newEssayFixture(
	t *testing.T, database string, a learning.Assignment, opts ...learning.Option,
) (w *fixture, files *memoryFiles, course string, ada learning.Actor) {
	t.Helper()
	w, files = newFileFixture(t, database, opts...)
	a.Files = true
	a.Rubric = []learning.Criterion{{Text: "Content", Points: 10}, {Text: "Style", Points: 5}}
	course = w.publish(t, "go", chapter("one", "a"), essay(a))
	return w, files, course, w.enrolls(t, "ada", course)
}

// drafts saves a draft, which must succeed.
func (w *fixture) drafts(t *testing.T, who learning.Actor, course, text string, files ...string) {
	t.Helper()
	_, err := w.Platform.SaveDraft(ctx(), who, course, theEssay,
		learning.Work{Text: text, FileIDs: files})
	must(t, err)
}

// submitsWork submits a draft, which must succeed.
func (w *fixture) submitsWork(
	t *testing.T, who learning.Actor, course string,
) learning.AssignmentSubmission {
	t.Helper()
	s, err := w.Platform.Submit(ctx(), who, course, theEssay)
	must(t, err)
	return s
}

// hands uploads a file of a student.
func (w *fixture) hands(t *testing.T, who learning.Actor, name, content string) learning.File {
	t.Helper()
	f, err := w.Platform.UploadSubmittedFile(ctx(), who, name, strings.NewReader(content))
	must(t, err)
	return f
}

// gradeOf returns a decision with all points of the rubric of newEssayFixture.
func gradeOf(s learning.AssignmentSubmission, status learning.SubmissionStatus) learning.Grade {
	return learning.Grade{Version: s.Version, Status: status, Points: []int{10, 5},
		Feedback: "Feedback"}
}

// grades decides on a submission, which must succeed.
func (w *fixture) grades(
	t *testing.T, s learning.AssignmentSubmission, status learning.SubmissionStatus,
) learning.AssignmentSubmission {
	t.Helper()
	g := gradeOf(s, status)
	g.Points = g.Points[:len(s.Rubric)]
	s, err := w.Platform.Grade(ctx(), w.Person(t, "chief", learning.Admin), s.ID, g)
	must(t, err)
	return s
}

// gradesWork lets a student submit work, which is returned and then graded.
func (w *fixture) gradesWork(t *testing.T, student learning.Actor, course, lecture string) {
	t.Helper()
	_, err := w.Platform.SaveDraft(ctx(), student, course, lecture, learning.Work{Text: "Work"})
	must(t, err)
	s, err := w.Platform.Submit(ctx(), student, course, lecture)
	must(t, err)
	w.grades(t, w.grades(t, s, learning.SubmissionReturned), learning.SubmissionGraded)
}

// wantCompleted checks which lectures a student has completed.
func (w *fixture) wantCompleted(t *testing.T, who learning.Actor, course string, want ...string) {
	t.Helper()
	p, err := w.Platform.Progress(ctx(), who, course)
	must(t, err)
	var got []string
	if p != nil {
		got = p.Lectures
	}
	if !slices.Equal(got, want) {
		t.Errorf("completed: %v, want %v", got, want)
	}
}

func TestAssignment_FromTheDraftToTheGrade(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		r := &receiver{}
		w, files, course, ada := newEssayFixture(t, database, learning.Assignment{},
			learning.WithEvents("test", r))
		educator := w.Person(t, "educator", learning.Educator)
		_, err := w.Platform.CompleteLecture(ctx(), ada, course, "a")
		must(t, err)
		f, g := w.hands(t, ada, "f.txt", "first"), w.hands(t, ada, "g.txt", "second")

		// Of the drafts the last one is submitted, with its files.
		w.drafts(t, ada, course, "1", f.ID, g.ID)
		w.drafts(t, ada, course, "2", g.ID)
		first := w.submitsWork(t, ada, course)
		if first.Text != "2" || len(first.Files) != 1 || first.Files[0].ID != g.ID ||
			first.Files[0].URL == "" || len(first.Rubric) != 2 || first.IsLate {
			t.Errorf("the submission is %+v", first)
		}
		again := w.submitsWork(t, ada, course) // a repetition
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("a repetition: %s", diff)
		}
		w.drafts(t, ada, course, "3", f.ID, g.ID)
		_, err = w.Platform.Submit(ctx(), ada, course, theEssay)
		wantFailure(t, err, learning.ErrSubmissionWaiting, "submit while one waits")

		// It is returned, with a file of the educator.
		remarks, err := w.Platform.UploadFile(ctx(), educator, "r.txt", strings.NewReader("third"))
		must(t, err)
		decision := gradeOf(first, learning.SubmissionReturned)
		decision.Points, decision.FileIDs = nil, []string{remarks.ID}
		returned, err := w.Platform.Grade(ctx(), educator, first.ID, decision)
		must(t, err)
		w.wantCompleted(t, ada, course, "a")

		// The next one is graded, which completes the course. A later return takes the mark back.
		second := w.submitsWork(t, ada, course)
		w.grades(t, second, learning.SubmissionGraded)
		w.wantCompleted(t, ada, course, "a", theEssay)
		w.grades(t, returned, learning.SubmissionReturned) // of the first one: nothing changes
		w.wantCompleted(t, ada, course, "a", theEssay)
		work, err := w.Platform.AssignmentWork(ctx(), ada, course, theEssay)
		if err != nil || len(work.Submissions) != 2 || work.Draft.ID != "" ||
			work.Submissions[1].Feedback != "Feedback" || len(work.Submissions[1].Files) != 2 ||
			len(work.Submissions[0].FeedbackFiles) != 0 || work.Left != nil {
			t.Fatalf("the work is %+v (%v)", work, err)
		}
		w.grades(t, work.Submissions[1], learning.SubmissionReturned)
		w.wantCompleted(t, ada, course, "a")

		for kind, want := range map[learning.EventType]int{learning.EventAssignmentSubmitted: 2,
			learning.EventAssignmentGraded: 1, learning.EventAssignmentReturned: 3,
			learning.EventLectureCompleted: 2, learning.EventCourseCompleted: 1} {
			if n := w.count(t, "event_deliveries WHERE type = '"+string(kind)+"'"); n != want {
				t.Errorf("%d events %s, want %d", n, kind, want)
			}
		}
		wantFiles(t, w, files, "first", "second", "third")
	})
}

// The clock is the server's, and the due time follows from the enrolment.
func TestSubmit_LateAndOver(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, sqlite(t), learning.Assignment{DueAfterDays: new(2),
		LateDays: 1, Attempts: 5})
	due := w.Clock.Now().Add(2 * day)
	for _, step := range []struct {
		at   time.Time
		late bool
		want error
	}{
		{due.Add(-time.Microsecond), false, nil},
		{due, true, nil},
		{due.Add(day - time.Microsecond), true, nil},
		{due.Add(day), false, learning.ErrTimeOver},
	} {
		w.Clock.Advance(step.at.Sub(w.Clock.Now()) - time.Microsecond)
		_, err := w.Platform.SaveDraft(ctx(), ada, course, theEssay, learning.Work{Text: "Work"})
		if step.want == nil {
			must(t, err)
		}
		w.Clock.Advance(time.Microsecond)
		s, err := w.Platform.Submit(ctx(), ada, course, theEssay)
		if !errors.Is(err, step.want) || s.IsLate != step.late {
			t.Errorf("at %v: late %v, %v", step.at, s.IsLate, err)
		}
		if step.want != nil {
			_, err := w.Platform.SaveDraft(ctx(), ada, course, theEssay,
				learning.Work{Text: "Work"})
			wantFailure(t, err, learning.ErrTimeOver, "save after the end")
			break
		}
		w.grades(t, s, learning.SubmissionGraded)
	}
}

// Attempts are counted over all submissions of a student.
func TestSubmit_AttemptsAreCounted(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, sqlite(t), learning.Assignment{Attempts: 2})
	for range 2 {
		w.drafts(t, ada, course, "Work")
		w.grades(t, w.submitsWork(t, ada, course), learning.SubmissionGraded)
	}
	_, err := w.Platform.SaveDraft(ctx(), ada, course, theEssay, learning.Work{Text: "Work"})
	wantFailure(t, err, learning.ErrNoAttempts, "a third draft")
	_, err = w.Platform.Submit(ctx(), ada, course, theEssay)
	wantFailure(t, err, learning.ErrNoAttempts, "a third submission")
	work, err := w.Platform.AssignmentWork(ctx(), ada, course, theEssay)
	if err != nil || *work.Left != 0 {
		t.Errorf("left: %+v (%v)", work, err)
	}
}

// wantWork checks how often a student may submit yet, and until when; -1 is no limit.
func (w *fixture) wantWork(
	t *testing.T, who learning.Actor, course string, left int, closesAt time.Time,
) {
	t.Helper()
	work, err := w.Platform.AssignmentWork(ctx(), who, course, theEssay)
	must(t, err)
	if got := work.Left; got == nil != (left < 0) || got != nil && *got != left {
		t.Errorf("%v attempts left, want %d", got, left)
	}
	if !work.ClosesAt.Equal(closesAt) {
		t.Errorf("it closes at %v, want %v", work.ClosesAt, closesAt)
	}
}

// Work that was returned can be done again, though the attempts and the time are used up: until seven
// days after the return, or the closing time if that is later.
func TestSubmit_ReturnedWorkAgain(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, _, course, ada := newEssayFixture(t, database, learning.Assignment{DueAfterDays: new(10),
			LateDays: 1, Attempts: 1})
		due := w.Clock.Now().Add(10 * day)
		closes := due.Add(day)
		w.drafts(t, ada, course, "First")
		first := w.submitsWork(t, ada, course)
		w.wantWork(t, ada, course, 0, closes)

		// It is returned so early that the closing time is later than seven days after that.
		w.Clock.Advance(day)
		first = w.grades(t, first, learning.SubmissionReturned)
		w.wantWork(t, ada, course, 1, closes)

		// It is returned once more, when the time is over.
		w.Clock.Advance(20 * day)
		_, err := w.Platform.SaveDraft(ctx(), ada, course, theEssay, learning.Work{Text: "Late"})
		wantFailure(t, err, learning.ErrTimeOver, "save after the closing time")
		first = w.grades(t, first, learning.SubmissionReturned)
		end := w.Clock.Now().Add(7 * day)
		w.wantWork(t, ada, course, 1, end)
		w.Clock.Advance(7*day - time.Millisecond)
		w.drafts(t, ada, course, "Second")
		second := w.submitsWork(t, ada, course)
		if !second.IsLate || second.Number != 2 {
			t.Errorf("the second submission is %+v", second)
		}

		// While it waits, and when it is graded, the assignment is as it was before.
		w.wantWork(t, ada, course, 0, closes)
		second = w.grades(t, second, learning.SubmissionGraded)
		w.wantWork(t, ada, course, 0, closes)
		_, err = w.Platform.SaveDraft(ctx(), ada, course, theEssay, learning.Work{Text: "Third"})
		wantFailure(t, err, learning.ErrTimeOver, "save after the grade")
		w.grades(t, first, learning.SubmissionReturned) // which is not the latest one
		w.wantWork(t, ada, course, 0, closes)

		// A return that nobody follows ends after seven days.
		w.grades(t, second, learning.SubmissionReturned)
		w.drafts(t, ada, course, "Third")
		w.Clock.Advance(7 * day)
		_, err = w.Platform.Submit(ctx(), ada, course, theEssay)
		wantFailure(t, err, learning.ErrTimeOver, "submit seven days after the return")
	})
}

// Without a due time there is no end, and without a limit of attempts none is added.
func TestSubmit_ReturnedWorkWithoutLimits(t *testing.T) {
	for _, test := range []struct {
		a    learning.Assignment
		left int
	}{
		{learning.Assignment{Attempts: 1}, 1}, {learning.Assignment{}, -1},
		{learning.Assignment{Attempts: 3}, 2},
	} {
		w, _, course, ada := newEssayFixture(t, sqlite(t), test.a)
		w.drafts(t, ada, course, "First")
		w.grades(t, w.submitsWork(t, ada, course), learning.SubmissionReturned)
		w.wantWork(t, ada, course, test.left, time.Time{})
		w.Clock.Advance(100 * day)
		w.drafts(t, ada, course, "Second")
		if s := w.submitsWork(t, ada, course); s.IsLate {
			t.Errorf("%+v: late", test.a)
		}
	}
}

// However many sessions and instances submit at once, there is one submission.
func TestSubmit_AtOnce(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		r := &receiver{}
		w, files, course, ada := newEssayFixture(t, database, learning.Assignment{},
			learning.WithEvents("test", r))
		two := w.otherInstance(t, learningtest.WithPlatform(learning.WithEvents("test", r),
			learning.WithFiles(files)))
		// The record of one of them has not arrived.
		unknown := w.enrolls(t, "unknown", course)
		w.exec(t, "DELETE FROM users WHERE id = 'unknown'")
		w.recount(t)
		for _, who := range []learning.Actor{ada, unknown} {
			w.drafts(t, who, course, "Work")
			got := make([]learning.AssignmentSubmission, 12)
			errs := concurrently(len(got), func(i int) (err error) {
				got[i], err = []*fixture{w, two}[i%2].Platform.Submit(ctx(), who, course, theEssay)
				return err
			})
			if diff := cmp.Diff(map[string]int{"": len(got)}, countErrors(errs)); diff != "" {
				t.Fatal(diff)
			}
			for _, s := range got {
				if s.ID != got[0].ID || s.Version != got[0].Version {
					t.Errorf("two submissions: %+v and %+v", s, got[0])
				}
			}
		}
		if n := w.count(t, "{submissions}"); n != 2 {
			t.Errorf("%d submissions", n)
		}
		if n := w.count(t, "event_deliveries WHERE type = 'assignment.submitted'"); n != 2 {
			t.Errorf("%d events", n)
		}
		w.wantInvariants(t)
	})
}

// Of two graders who have read the same version, one decides, and the mark follows that decision.
func TestGrade_AtOnce(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, learning.Assignment{})
		educator, chief := w.Person(t, "educator", learning.Educator),
			w.Person(t, "chief", learning.Admin)
		for round := range 6 {
			ada := w.enrolls(t, fmt.Sprint("ada-", round), course)
			w.drafts(t, ada, course, "Work")
			s := w.submitsWork(t, ada, course)
			status := []learning.SubmissionStatus{learning.SubmissionGraded,
				learning.SubmissionReturned}
			errs := concurrently(4, func(i int) error {
				_, err := w.Platform.Grade(ctx(), []learning.Actor{educator, chief}[i%2], s.ID,
					gradeOf(s, status[i%2]))
				return err
			})
			want := map[string]int{"": 1, learning.ErrSubmissionChanged.Error(): 3}
			if diff := cmp.Diff(want, countErrors(errs)); diff != "" {
				t.Fatal(diff)
			}
			now, err := w.Platform.Submission(ctx(), chief, s.ID)
			must(t, err)
			if now.Status == learning.SubmissionGraded {
				w.wantCompleted(t, ada, course, theEssay)
			} else {
				w.wantCompleted(t, ada, course)
			}
		}
		w.wantInvariants(t)
	})
}

// Two submissions of a student are decided at once: the mark follows the latest one.
func TestGrade_TwoSubmissionsAtOnce(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, learning.Assignment{})
		chief := w.Person(t, "chief", learning.Admin)
		for round := range 6 {
			ada := w.enrolls(t, fmt.Sprint("ada-", round), course)
			w.drafts(t, ada, course, "1")
			first := w.grades(t, w.submitsWork(t, ada, course), learning.SubmissionGraded)
			w.drafts(t, ada, course, "2")
			second := w.submitsWork(t, ada, course)
			errs := concurrently(2, func(i int) (err error) {
				if i == 0 {
					_, err = w.Platform.Grade(ctx(), chief, first.ID,
						gradeOf(first, learning.SubmissionReturned))
				} else {
					_, err = w.Platform.Grade(ctx(), chief, second.ID,
						gradeOf(second, learning.SubmissionGraded))
				}
				return err
			})
			must(t, errors.Join(errs...))
			w.wantCompleted(t, ada, course, theEssay)
		}
	})
}

// Drafts are saved while the one of before is submitted: nothing that was saved is lost, and
// nothing fails, however often the draft changes, also if the record of the student has not
// arrived.
func TestSaveDraft_BesideSubmitAtOnce(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, learning.Assignment{})
		const callers = 24
		for round := range 3 {
			who := w.enrolls(t, fmt.Sprint("student-", round), course)
			if round > 0 {
				w.exec(t, "DELETE FROM users WHERE id = '"+who.UserID+"'")
			}
			w.drafts(t, who, course, "1")
			errs := concurrently(callers, func(i int) (err error) {
				if i == callers/2 {
					_, err = w.Platform.Submit(ctx(), who, course, theEssay)
				} else {
					_, err = w.Platform.SaveDraft(ctx(), who, course, theEssay,
						learning.Work{Text: "2"})
				}
				return err
			})
			must(t, errors.Join(errs...))
			work, err := w.Platform.AssignmentWork(ctx(), who, course, theEssay)
			must(t, err)
			submitted := work.Submissions[0].Text
			if submitted != "2" && (submitted != "1" || work.Draft.Text != "2") {
				t.Errorf("%q is submitted, the draft is %q", submitted, work.Draft.Text)
			}
		}
	})
}

// A draft is saved while the student is deleted: it goes too, or is refused.
func TestSaveDraft_BesideTheDeletionOfTheStudentAtOnce(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, learning.Assignment{})
		for round := range 6 {
			who := w.enrolls(t, fmt.Sprint("student-", round), course)
			f := w.hands(t, who, "f.txt", "content")
			w.Clock.Advance(time.Minute)
			errs := concurrently(2, func(i int) error {
				if i == 0 {
					return w.Platform.System().ApplyIdentityEvent(ctx(), learning.IdentityEvent{
						Type: learning.UserDeleted, SentAt: w.Clock.Now(),
						User: learning.IdentityUser{ID: who.UserID}})
				}
				_, err := w.Platform.SaveDraft(ctx(), who, course, theEssay,
					learning.Work{Text: "1", FileIDs: []string{f.ID}})
				return err
			})
			if errs[0] != nil || errs[1] != nil && !errors.Is(errs[1], learning.ErrUnauthenticated) {
				t.Errorf("the deletion: %v, the draft: %v", errs[0], errs[1])
			}
			if n := w.count(t, "{submissions}") + w.count(t, "{files}"); n != 0 {
				t.Errorf("%d rows are left", n)
			}
		}
		w.wantInvariants(t)
	})
}

// A submission comes before the end of the enrolment, or is refused.
func TestSubmit_BesideTheEndOfTheEnrollmentAtOnce(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, learning.Assignment{})
		chief := w.Person(t, "chief", learning.Admin)
		for round := range 6 {
			ada := w.enrolls(t, fmt.Sprint("ada-", round), course)
			w.drafts(t, ada, course, "Work")
			errs := concurrently(2, func(i int) error {
				if i == 0 {
					return w.Platform.EndEnrollment(ctx(), chief, ada.UserID, course)
				}
				_, err := w.Platform.Submit(ctx(), ada, course, theEssay)
				return err
			})
			if errs[0] != nil || errs[1] != nil && !errors.Is(errs[1], learning.ErrNotPurchased) {
				t.Errorf("the end: %v, the submission: %v", errs[0], errs[1])
			}
			work, err := w.Platform.AssignmentWork(ctx(), ada, course, theEssay)
			if err != nil || work.Assignment != nil ||
				(len(work.Submissions) == 1) != (errs[1] == nil) {
				t.Errorf("after %v the work is %+v (%v)", errs[1], work, err)
			}
			_, err = w.Platform.SaveDraft(ctx(), ada, course, theEssay, learning.Work{Text: "B"})
			wantFailure(t, err, learning.ErrNotPurchased, "save after the end")
		}
		w.wantInvariants(t)
	})
}

// A file is deleted while a draft begins to use it: the draft has it, or it is gone.
func TestSaveDraft_BesideTheDeletionOfAFileAtOnce(t *testing.T) {
	onAllEngines(t, func(t *testing.T, database string) {
		w, _, course, ada := newEssayFixture(t, database, learning.Assignment{})
		for round := range 6 {
			f := w.hands(t, ada, "f.txt", fmt.Sprint("content ", round))
			errs := concurrently(2, func(i int) error {
				if i == 0 {
					return w.Platform.DeleteFile(ctx(), ada, f.ID)
				}
				_, err := w.Platform.SaveDraft(ctx(), ada, course, theEssay,
					learning.Work{FileIDs: []string{f.ID}})
				return err
			})
			isDeleted, isUsed := errs[0] == nil, errs[1] == nil
			if isDeleted == isUsed || !isDeleted && !errors.Is(errs[0], learning.ErrFileInUse) ||
				!isUsed && !errors.Is(errs[1], learning.ErrInvalidRequest) {
				t.Errorf("the file is deleted: %v, used: %v", errs[0], errs[1])
			}
			w.wantInvariants(t)
		}
	})
}

// Of the work of a deleted student only the points that were given stay, with no file.
func TestAssignment_DeletedStudent(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, files, course, ada := newEssayFixture(t, database, learning.Assignment{})
		chief := w.Person(t, "chief", learning.Admin)
		f := w.hands(t, ada, "f.txt", "work")
		remarks, err := w.Platform.UploadFile(ctx(), chief, "r.txt", strings.NewReader("remarks"))
		must(t, err)
		w.drafts(t, ada, course, "1", f.ID)
		decision := gradeOf(w.submitsWork(t, ada, course), learning.SubmissionGraded)
		decision.FileIDs = []string{remarks.ID}
		list, err := w.Platform.Submissions(ctx(), chief,
			learning.SubmissionQuery{CourseID: course}, learning.PageRequest{Limit: 9})
		must(t, err)
		graded, err := w.Platform.Grade(ctx(), chief, list.Rows[0].ID, decision)
		must(t, err)
		w.drafts(t, ada, course, "2", f.ID)
		waiting := w.submitsWork(t, ada, course)
		w.drafts(t, ada, course, "3", f.ID)

		w.deleteUser(t, "ada")
		_, err = w.Platform.SaveDraft(ctx(), ada, course, theEssay, learning.Work{Text: "4"})
		wantFailure(t, err, learning.ErrUnauthenticated, "save after the deletion")
		_, err = w.Platform.UploadSubmittedFile(ctx(), ada, "g.txt", strings.NewReader("more"))
		wantFailure(t, err, learning.ErrUnauthenticated, "upload after the deletion")
		left, err := w.Platform.Submission(ctx(), chief, graded.ID)
		if err != nil || left.Text != "" || left.Feedback != "" || len(left.Files) != 0 ||
			len(left.FeedbackFiles) != 0 || !slices.Equal(left.Points, []int{10, 5}) ||
			left.Student.Name != learning.DeletedUser {
			t.Errorf("left: %+v (%v)", left, err)
		}
		_, err = w.Platform.Submission(ctx(), chief, waiting.ID)
		wantFailure(t, err, learning.ErrSubmissionNotFound, "read one that waited")
		_, err = w.Platform.Grade(ctx(), chief, graded.ID, gradeOf(left, learning.SubmissionGraded))
		wantFailure(t, err, learning.ErrSubmissionNotFound, "grade again")
		if n := w.count(t, "{submissions}"); n != 1 {
			t.Errorf("%d submissions", n)
		}
		w.tidy(t)
		wantFiles(t, w, files, "remarks")
	})
}

// zeros is a content that does not end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestUploadSubmittedFile_Bounds(t *testing.T) {
	w, files, _, ada := newEssayFixture(t, sqlite(t), learning.Assignment{})
	large := io.MultiReader(strings.NewReader("%PDF-"),
		io.LimitReader(zeros{}, learning.MaxSubmittedFile-4))
	_, err := w.Platform.UploadSubmittedFile(ctx(), ada, "a.pdf", large)
	wantFailure(t, err, learning.ErrFileTooLarge, "a file of 50 MB and a byte")
	_, err = w.Platform.UploadSubmittedFile(ctx(), w.Person(t, "eve", learning.Student), "a.txt",
		strings.NewReader("x"))
	wantFailure(t, err, learning.ErrForbidden, "a file of a student without an assignment")
	wantFiles(t, w, files)
}

// Files may be handed in only where the assignment wants them, and only the student's own.
func TestSaveDraft_RefusesFiles(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, sqlite(t), learning.Assignment{})
	w.publish(t, "texts", essay(learning.Assignment{}))
	w.enrolls(t, "ada", "texts")
	foreign := w.hands(t, w.enrolls(t, "eve", course), "f.txt", "foreign")
	own := make([]string, learning.MaxSubmissionFiles+1)
	for i := range own {
		own[i] = w.hands(t, ada, "f.txt", fmt.Sprint("own ", i)).ID
	}
	for name, test := range map[string]struct {
		course string
		files  []string
	}{
		"foreign": {course, []string{own[0], foreign.ID}}, "unknown": {course, []string{"none"}},
		"too many": {course, own}, "not wanted": {"texts", own[:1]},
		"no id": {course, []string{""}}, "an impossible id": {course, []string{own[0] + " "}},
	} {
		_, err := w.Platform.SaveDraft(ctx(), ada, test.course, theEssay,
			learning.Work{Text: "Work", FileIDs: test.files})
		wantFailure(t, err, learning.ErrInvalidRequest, name)
	}
	if n := w.count(t, "{submissions}"); n != 0 {
		t.Errorf("%d drafts", n)
	}

	// As many as may be, of which each counts once.
	w.drafts(t, ada, course, "", append(own[1:], own[1:]...)...)
	if s := w.submitsWork(t, ada, course); len(s.Files) != learning.MaxSubmissionFiles {
		t.Errorf("the submission has the files %+v", s.Files)
	}
	w.wantInvariants(t)
}

// An assignment that wants no files any more does not lock a student out of a draft with files.
func TestSaveDraft_FilesThatAreNotWantedAnyMore(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, sqlite(t), learning.Assignment{})
	f, g := w.hands(t, ada, "f.txt", "first"), w.hands(t, ada, "g.txt", "second")
	w.drafts(t, ada, course, "1", f.ID, g.ID)
	w.edit(t, course, learning.CourseEdit{Content: []learning.Chapter{
		chapter("one", "a"), essay(learning.Assignment{})}})
	w.drafts(t, ada, course, "2", g.ID)
	_, err := w.Platform.SaveDraft(ctx(), ada, course, theEssay,
		learning.Work{Text: "3", FileIDs: []string{f.ID, g.ID}})
	wantFailure(t, err, learning.ErrInvalidRequest, "a file that the draft does not have")
	if s := w.submitsWork(t, ada, course); s.Text != "2" || len(s.Files) != 1 {
		t.Errorf("the submission is %+v", s)
	}
	w.wantInvariants(t)
}

// Each bound of a draft and of a grade holds up to its last value, and no further.
func TestAssignment_BoundsOfWorkAndGrades(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, sqlite(t), learning.Assignment{})
	chief := w.Person(t, "chief", learning.Admin)
	_, err := w.Platform.SaveDraft(ctx(), ada, course, theEssay,
		learning.Work{Text: strings.Repeat("x", learning.MaxSubmissionText+1)})
	wantFailure(t, err, learning.ErrInvalidRequest, "a text that is too long")
	w.drafts(t, ada, course, " \n")
	_, err = w.Platform.Submit(ctx(), ada, course, theEssay)
	wantFailure(t, err, learning.ErrDraftEmpty, "a blank draft")
	w.drafts(t, ada, course, strings.Repeat("ü", learning.MaxSubmissionText))
	s := w.submitsWork(t, ada, course)
	files := make([]string, learning.MaxSubmissionFiles+1)
	for i := range files {
		f, err := w.Platform.UploadFile(ctx(), chief, "f.txt", strings.NewReader(fmt.Sprint(i)))
		must(t, err)
		files[i] = f.ID
	}
	good := gradeOf(s, learning.SubmissionGraded)
	good.Points, good.Feedback = []int{0, 5}, strings.Repeat("ü", learning.MaxFeedback)
	good.FileIDs = append(files[1:], files[1:]...) // each counts once
	for name, change := range map[string]func(*learning.Grade){
		"no status":       func(g *learning.Grade) { g.Status = "" },
		"a draft":         func(g *learning.Grade) { g.Status = learning.SubmissionDraft },
		"waits":           func(g *learning.Grade) { g.Status = learning.SubmissionWaiting },
		"no points":       func(g *learning.Grade) { g.Points = nil },
		"too few points":  func(g *learning.Grade) { g.Points = []int{1} },
		"too many points": func(g *learning.Grade) { g.Points = []int{1, 1, 1} },
		"returned with too few points": func(g *learning.Grade) {
			g.Status, g.Points = learning.SubmissionReturned, []int{1}
		},
		"less than nothing": func(g *learning.Grade) { g.Points = []int{-1, 5} },
		"more than all":     func(g *learning.Grade) { g.Points = []int{0, 6} },
		"too long": func(g *learning.Grade) {
			g.Feedback = strings.Repeat("x", learning.MaxFeedback+1)
		},
		"too many files":   func(g *learning.Grade) { g.FileIDs = files },
		"an impossible id": func(g *learning.Grade) { g.FileIDs = []string{files[0] + " "} },
	} {
		bad := good
		change(&bad)
		_, err := w.Platform.Grade(ctx(), chief, s.ID, bad)
		wantFailure(t, err, learning.ErrInvalidRequest, name)
	}
	if s, err = w.Platform.Grade(ctx(), chief, s.ID, good); err != nil ||
		len(s.FeedbackFiles) != learning.MaxSubmissionFiles {
		t.Errorf("the grade is %+v (%v)", s, err)
	}
	w.wantInvariants(t)
}

// Every operation of assignments asks who calls.
func TestAssignment_RefusesCallers(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, sqlite(t), learning.Assignment{})
	w.drafts(t, ada, course, "Work")
	s := w.submitsWork(t, ada, course)
	other := w.Person(t, "other", learning.Educator)
	page := learning.PageRequest{Limit: 1}
	for name, call := range map[string]func(learning.Actor) error{
		"read": func(who learning.Actor) error {
			_, err := w.Platform.AssignmentWork(ctx(), who, course, theEssay)
			return err
		},
		"save": func(who learning.Actor) error {
			_, err := w.Platform.SaveDraft(ctx(), who, course, theEssay, learning.Work{})
			return err
		},
		"submit": func(who learning.Actor) error {
			_, err := w.Platform.Submit(ctx(), who, course, theEssay)
			return err
		},
		"upload": func(who learning.Actor) error {
			_, err := w.Platform.UploadSubmittedFile(ctx(), who, "f.txt", strings.NewReader("x"))
			return err
		},
		"list files": func(who learning.Actor) error {
			_, err := w.Platform.Files(ctx(), who, page)
			return err
		},
		"delete a file": func(who learning.Actor) error {
			return w.Platform.DeleteFile(ctx(), who, "none")
		},
	} {
		wantFailure(t, call(learning.Actor{}), learning.ErrUnauthenticated, name)
	}
	for name, call := range map[string]func(learning.Actor) error{
		"list": func(who learning.Actor) error {
			_, err := w.Platform.Submissions(ctx(), who,
				learning.SubmissionQuery{CourseID: course}, page)
			return err
		},
		"show": func(who learning.Actor) error {
			_, err := w.Platform.Submission(ctx(), who, s.ID)
			return err
		},
		"grade": func(who learning.Actor) error {
			_, err := w.Platform.Grade(ctx(), who, s.ID, gradeOf(s, learning.SubmissionGraded))
			return err
		},
	} {
		wantFailure(t, call(learning.Actor{}), learning.ErrUnauthenticated, name)
		wantFailure(t, call(ada), learning.ErrForbidden, name+" as the student")
		wantFailure(t, call(other), learning.ErrForbidden, name+" as another educator")
	}

	// Students are not told either what there is.
	_, err := w.Platform.Submissions(ctx(), ada, learning.SubmissionQuery{}, page)
	wantFailure(t, err, learning.ErrForbidden, "list all as a student")
	_, err = w.Platform.Submission(ctx(), ada, "none")
	wantFailure(t, err, learning.ErrForbidden, "show an unknown one as a student")
}

// The grade of an assignment completes the course only if all lectures are completed.
func TestGrade_CourseWithOtherLectures(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, sqlite(t), learning.Assignment{},
		learning.WithEvents("test", &receiver{}))
	completions := func() int { return w.count(t, "event_deliveries WHERE type = 'course.completed'") }
	w.gradesWork(t, ada, course, theEssay)
	if n := completions(); n != 0 {
		t.Errorf("%d events of the completion before the last lecture", n)
	}
	w.learns(t, ada, course, true, "a")
	if n := completions(); n != 1 {
		t.Errorf("%d events of the completion", n)
	}
}

// A return takes no mark back that the student has set, because the lecture is of another kind now.
func TestGrade_LectureOfAnotherKind(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, _, course, ada := newEssayFixture(t, database, learning.Assignment{})
		w.drafts(t, ada, course, "Work")
		s := w.submitsWork(t, ada, course)
		text := chapter("essays", theEssay)
		text.Lectures[0].Kind = learning.KindText
		w.edit(t, course, learning.CourseEdit{Content: []learning.Chapter{chapter("one", "a"), text}})
		w.learns(t, ada, course, false, theEssay)
		s = w.grades(t, s, learning.SubmissionReturned)
		w.wantCompleted(t, ada, course, theEssay)
		w.edit(t, course, learning.CourseEdit{Content: []learning.Chapter{chapter("one", "a")}})
		w.grades(t, s, learning.SubmissionReturned) // a lecture that was removed
		w.edit(t, course, learning.CourseEdit{Content: []learning.Chapter{chapter("one", "a"),
			essay(learning.Assignment{})}})
		w.wantCompleted(t, ada, course)
	})
}

// An assignment is missing for a certificate until it is graded, also if it was completed as a
// lecture of another kind and the course asks assignments.
func TestCertificate_AsksAssignments(t *testing.T) {
	withCertificatesOnEngines(t, func(t *testing.T, w *fixture, _ *fakeRenderer) {
		course := w.publish(t, "go", chapter("one", theEssay), chapter("two", "a"))
		ada := w.enrolls(t, "ada", course)
		w.learns(t, ada, course, false, "a")
		w.learns(t, ada, course, true, theEssay)
		missing := learning.MissingPart{Kind: learning.MissingAssignment, LectureID: theEssay,
			Title: "Essay"}
		for _, asks := range []bool{false, true} {
			w.edit(t, course, learning.CourseEdit{
				Content: []learning.Chapter{essay(learning.Assignment{}), chapter("two", "a")},
				Terms: &learning.Terms{
					Certificate: learning.CertificateTerms{Assignments: asks}}})
			if got, err := w.Platform.CheckCertificate(ctx(), ada, course); err != nil ||
				got.Earned == asks {
				t.Errorf("the course asks %v: %+v (%v)", asks, got, err)
			}
		}
		w.wantMissing(t, ada, course, missing)
		w.gradesWork(t, ada, course, theEssay)
		w.wantMissing(t, ada, course)
	})
}
