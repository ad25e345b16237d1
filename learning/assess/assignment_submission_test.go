package assess_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/study"
)

// newEssayFixture returns a platform with a course of two lectures, of which one is an assignment
// with files and a rubric of two lines, and a student who is enrolled.
func newEssayFixture(
	t *testing.T, database string, a catalog.Assignment, opts ...learning.Option,
) (w *roomtest.World, files *roomtest.MemoryFiles, course string, ada learning.Actor) {
	t.Helper()
	w, files = roomtest.NewWithFiles(t, database, opts...)
	a.Files = true
	a.Rubric = []catalog.Criterion{{Text: "Content", Points: 10}, {Text: "Style", Points: 5}}
	course = w.Publish(t, "go", roomtest.Chapter("one", "a"), roomtest.Essay(a))
	return w, files, course, w.Enrolls(t, "ada", course)
}

func TestAssignment_FromTheDraftToTheGrade(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		r := &roomtest.Receiver{}
		w, files, course, ada := newEssayFixture(t, database, catalog.Assignment{},
			learning.WithEvents("test", r))
		educator := w.Person(t, "educator", core.Educator)
		_, err := w.Platform.Study.CompleteLecture(ctx(), ada, course, "a")
		roomtest.Must(t, err)
		f, g := w.Hands(t, ada, "f.txt", "first"), w.Hands(t, ada, "g.txt", "second")

		// Of the drafts the last one is submitted, with its files.
		w.Drafts(t, ada, course, "1", f.ID, g.ID)
		w.Drafts(t, ada, course, "2", g.ID)
		first := w.SubmitsWork(t, ada, course)
		if first.Text != "2" || len(first.Files) != 1 || first.Files[0].ID != g.ID ||
			first.Files[0].URL == "" || len(first.Rubric) != 2 || first.IsLate {
			t.Errorf("the submission is %+v", first)
		}
		again := w.SubmitsWork(t, ada, course) // a repetition
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("a repetition: %s", diff)
		}
		w.Drafts(t, ada, course, "3", f.ID, g.ID)
		_, err = w.Platform.Assess.Submit(ctx(), ada, course, roomtest.TheEssay)
		roomtest.WantFailure(t, err, assess.ErrSubmissionWaiting, "submit while one waits")

		// It is returned, with a file of the educator.
		remarks, err := w.Platform.Files.UploadFile(ctx(), educator, "r.txt",
			strings.NewReader("third"))
		roomtest.Must(t, err)
		decision := roomtest.GradeOf(first, assess.SubmissionReturned)
		decision.Points, decision.FileIDs = nil, []string{remarks.ID}
		returned, err := w.Platform.Assess.Grade(ctx(), educator, first.ID, decision)
		roomtest.Must(t, err)
		w.WantCompleted(t, ada, course, "a")

		// The next one is graded, which completes the course. A later return takes the mark back.
		second := w.SubmitsWork(t, ada, course)
		w.Grades(t, second, assess.SubmissionGraded)
		w.WantCompleted(t, ada, course, "a", roomtest.TheEssay)
		w.Grades(t, returned, assess.SubmissionReturned) // of the first one: nothing changes
		w.WantCompleted(t, ada, course, "a", roomtest.TheEssay)
		work, err := w.Platform.Assess.AssignmentWork(ctx(), ada, course, roomtest.TheEssay)
		if err != nil || len(work.Submissions) != 2 || work.Draft.ID != "" ||
			work.Submissions[1].Feedback != "Feedback" || len(work.Submissions[1].Files) != 2 ||
			len(work.Submissions[0].FeedbackFiles) != 0 || work.Left != nil {
			t.Fatalf("the work is %+v (%v)", work, err)
		}
		w.Grades(t, work.Submissions[1], assess.SubmissionReturned)
		w.WantCompleted(t, ada, course, "a")

		for kind, want := range map[core.EventType]int{assess.EventAssignmentSubmitted: 2,
			assess.EventAssignmentGraded: 1, assess.EventAssignmentReturned: 3,
			study.EventLectureCompleted: 2, study.EventCourseCompleted: 1} {
			if n := w.Count(t, "event_deliveries WHERE type = '"+string(kind)+"'"); n != want {
				t.Errorf("%d events %s, want %d", n, kind, want)
			}
		}
		roomtest.WantFiles(t, w, files, "first", "second", "third")
	})
}

// The clock is the server's, and the due time follows from the enrolment.
func TestSubmit_LateAndOver(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, roomtest.SQLite(t),
		catalog.Assignment{DueAfterDays: new(2),
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
		{due.Add(day), false, assess.ErrTimeOver},
	} {
		w.Clock.Advance(step.at.Sub(w.Clock.Now()) - time.Microsecond)
		_, err := w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
			assess.Work{Text: "Work"})
		if step.want == nil {
			roomtest.Must(t, err)
		}
		w.Clock.Advance(time.Microsecond)
		s, err := w.Platform.Assess.Submit(ctx(), ada, course, roomtest.TheEssay)
		if !errors.Is(err, step.want) || s.IsLate != step.late {
			t.Errorf("at %v: late %v, %v", step.at, s.IsLate, err)
		}
		if step.want != nil {
			_, err := w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
				assess.Work{Text: "Work"})
			roomtest.WantFailure(t, err, assess.ErrTimeOver, "save after the end")
			break
		}
		w.Grades(t, s, assess.SubmissionGraded)
	}
}

// Attempts are counted over all submissions of a student.
func TestSubmit_AttemptsAreCounted(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, roomtest.SQLite(t), catalog.Assignment{Attempts: 2})
	for range 2 {
		w.Drafts(t, ada, course, "Work")
		w.Grades(t, w.SubmitsWork(t, ada, course), assess.SubmissionGraded)
	}
	_, err := w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
		assess.Work{Text: "Work"})
	roomtest.WantFailure(t, err, assess.ErrNoAttempts, "a third draft")
	_, err = w.Platform.Assess.Submit(ctx(), ada, course, roomtest.TheEssay)
	roomtest.WantFailure(t, err, assess.ErrNoAttempts, "a third submission")
	work, err := w.Platform.Assess.AssignmentWork(ctx(), ada, course, roomtest.TheEssay)
	if err != nil || *work.Left != 0 {
		t.Errorf("left: %+v (%v)", work, err)
	}
}

// Work that was returned can be done again, though the attempts and the time are used up: until
// seven days after the return, or the closing time if that is later.
func TestSubmit_ReturnedWorkAgain(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, _, course, ada := newEssayFixture(t, database, catalog.Assignment{DueAfterDays: new(10),
			LateDays: 1, Attempts: 1})
		due := w.Clock.Now().Add(10 * day)
		closes := due.Add(day)
		w.Drafts(t, ada, course, "First")
		first := w.SubmitsWork(t, ada, course)
		w.WantWork(t, ada, course, 0, closes)

		// It is returned so early that the closing time is later than seven days after that.
		w.Clock.Advance(day)
		first = w.Grades(t, first, assess.SubmissionReturned)
		w.WantWork(t, ada, course, 1, closes)

		// It is returned once more, when the time is over.
		w.Clock.Advance(20 * day)
		_, err := w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
			assess.Work{Text: "Late"})
		roomtest.WantFailure(t, err, assess.ErrTimeOver, "save after the closing time")
		first = w.Grades(t, first, assess.SubmissionReturned)
		end := w.Clock.Now().Add(7 * day)
		w.WantWork(t, ada, course, 1, end)
		w.Clock.Advance(7*day - time.Millisecond)
		w.Drafts(t, ada, course, "Second")
		second := w.SubmitsWork(t, ada, course)
		if !second.IsLate || second.Number != 2 {
			t.Errorf("the second submission is %+v", second)
		}

		// While it waits, and when it is graded, the assignment is as it was before.
		w.WantWork(t, ada, course, 0, closes)
		second = w.Grades(t, second, assess.SubmissionGraded)
		w.WantWork(t, ada, course, 0, closes)
		_, err = w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
			assess.Work{Text: "Third"})
		roomtest.WantFailure(t, err, assess.ErrTimeOver, "save after the grade")
		w.Grades(t, first, assess.SubmissionReturned) // which is not the latest one
		w.WantWork(t, ada, course, 0, closes)

		// A return that nobody follows ends after seven days.
		w.Grades(t, second, assess.SubmissionReturned)
		w.Drafts(t, ada, course, "Third")
		w.Clock.Advance(7 * day)
		_, err = w.Platform.Assess.Submit(ctx(), ada, course, roomtest.TheEssay)
		roomtest.WantFailure(t, err, assess.ErrTimeOver, "submit seven days after the return")
	})
}

// Without a due time there is no end, and without a limit of attempts none is added.
func TestSubmit_ReturnedWorkWithoutLimits(t *testing.T) {
	for _, test := range []struct {
		a    catalog.Assignment
		left int
	}{
		{catalog.Assignment{Attempts: 1}, 1}, {catalog.Assignment{}, -1},
		{catalog.Assignment{Attempts: 3}, 2},
	} {
		w, _, course, ada := newEssayFixture(t, roomtest.SQLite(t), test.a)
		w.Drafts(t, ada, course, "First")
		w.Grades(t, w.SubmitsWork(t, ada, course), assess.SubmissionReturned)
		w.WantWork(t, ada, course, test.left, time.Time{})
		w.Clock.Advance(100 * day)
		w.Drafts(t, ada, course, "Second")
		if s := w.SubmitsWork(t, ada, course); s.IsLate {
			t.Errorf("%+v: late", test.a)
		}
	}
}

// However many sessions and instances submit at once, there is one submission.
func TestSubmit_AtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		r := &roomtest.Receiver{}
		w, files, course, ada := newEssayFixture(t, database, catalog.Assignment{},
			learning.WithEvents("test", r))
		two := w.OtherInstance(t, learningtest.WithPlatform(learning.WithEvents("test", r),
			learning.WithFiles(files)))
		// The record of one of them has not arrived.
		unknown := w.Enrolls(t, "unknown", course)
		w.Exec(t, "DELETE FROM users WHERE id = 'unknown'")
		w.Recount(t)
		for _, who := range []learning.Actor{ada, unknown} {
			w.Drafts(t, who, course, "Work")
			got := make([]assess.AssignmentSubmission, 12)
			errs := roomtest.Concurrently(len(got), func(i int) (err error) {
				got[i], err = []*roomtest.World{w, two}[i%2].Platform.Assess.Submit(ctx(), who,
					course,
					roomtest.TheEssay)
				return err
			})
			if diff := cmp.Diff(map[string]int{"": len(got)}, roomtest.CountErrors(errs)); diff != "" {
				t.Fatal(diff)
			}
			for _, s := range got {
				if s.ID != got[0].ID || s.Version != got[0].Version {
					t.Errorf("two submissions: %+v and %+v", s, got[0])
				}
			}
		}
		if n := w.Count(t, "{submissions}"); n != 2 {
			t.Errorf("%d submissions", n)
		}
		if n := w.Count(t, "event_deliveries WHERE type = 'assignment.submitted'"); n != 2 {
			t.Errorf("%d events", n)
		}
		w.WantInvariants(t)
	})
}

// Of two graders who have read the same version, one decides, and the mark follows that decision.
func TestGrade_AtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, catalog.Assignment{})
		educator, chief := w.Person(t, "educator", core.Educator),
			w.Person(t, "chief", core.Admin)
		for round := range 6 {
			ada := w.Enrolls(t, fmt.Sprint("ada-", round), course)
			w.Drafts(t, ada, course, "Work")
			s := w.SubmitsWork(t, ada, course)
			status := []assess.SubmissionStatus{assess.SubmissionGraded,
				assess.SubmissionReturned}
			errs := roomtest.Concurrently(4, func(i int) error {
				_, err := w.Platform.Assess.Grade(ctx(), []learning.Actor{educator, chief}[i%2], s.ID,
					roomtest.GradeOf(s, status[i%2]))
				return err
			})
			want := map[string]int{"": 1, assess.ErrSubmissionChanged.Error(): 3}
			if diff := cmp.Diff(want, roomtest.CountErrors(errs)); diff != "" {
				t.Fatal(diff)
			}
			now, err := w.Platform.Assess.Submission(ctx(), chief, s.ID)
			roomtest.Must(t, err)
			if now.Status == assess.SubmissionGraded {
				w.WantCompleted(t, ada, course, roomtest.TheEssay)
			} else {
				w.WantCompleted(t, ada, course)
			}
		}
		w.WantInvariants(t)
	})
}

// Two submissions of a student are decided at once: the mark follows the latest one.
func TestGrade_TwoSubmissionsAtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, catalog.Assignment{})
		chief := w.Person(t, "chief", core.Admin)
		for round := range 6 {
			ada := w.Enrolls(t, fmt.Sprint("ada-", round), course)
			w.Drafts(t, ada, course, "1")
			first := w.Grades(t, w.SubmitsWork(t, ada, course), assess.SubmissionGraded)
			w.Drafts(t, ada, course, "2")
			second := w.SubmitsWork(t, ada, course)
			errs := roomtest.Concurrently(2, func(i int) (err error) {
				if i == 0 {
					_, err = w.Platform.Assess.Grade(ctx(), chief, first.ID,
						roomtest.GradeOf(first, assess.SubmissionReturned))
				} else {
					_, err = w.Platform.Assess.Grade(ctx(), chief, second.ID,
						roomtest.GradeOf(second, assess.SubmissionGraded))
				}
				return err
			})
			roomtest.Must(t, errors.Join(errs...))
			w.WantCompleted(t, ada, course, roomtest.TheEssay)
		}
	})
}

// Drafts are saved while the one of before is submitted: nothing that was saved is lost, and
// nothing fails, however often the draft changes, also if the record of the student has not
// arrived.
func TestSaveDraft_BesideSubmitAtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, catalog.Assignment{})
		const callers = 24
		for round := range 3 {
			who := w.Enrolls(t, fmt.Sprint("student-", round), course)
			if round > 0 {
				w.Exec(t, "DELETE FROM users WHERE id = '"+who.UserID+"'")
			}
			w.Drafts(t, who, course, "1")
			errs := roomtest.Concurrently(callers, func(i int) (err error) {
				if i == callers/2 {
					_, err = w.Platform.Assess.Submit(ctx(), who, course, roomtest.TheEssay)
				} else {
					_, err = w.Platform.Assess.SaveDraft(ctx(), who, course, roomtest.TheEssay,
						assess.Work{Text: "2"})
				}
				return err
			})
			roomtest.Must(t, errors.Join(errs...))
			work, err := w.Platform.Assess.AssignmentWork(ctx(), who, course, roomtest.TheEssay)
			roomtest.Must(t, err)
			submitted := work.Submissions[0].Text
			if submitted != "2" && (submitted != "1" || work.Draft.Text != "2") {
				t.Errorf("%q is submitted, the draft is %q", submitted, work.Draft.Text)
			}
		}
	})
}

// A draft is saved while the student is deleted: it goes too, or is refused.
func TestSaveDraft_BesideTheDeletionOfTheStudentAtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, catalog.Assignment{})
		for round := range 6 {
			who := w.Enrolls(t, fmt.Sprint("student-", round), course)
			f := w.Hands(t, who, "f.txt", "content")
			w.Clock.Advance(time.Minute)
			errs := roomtest.Concurrently(2, func(i int) error {
				if i == 0 {
					return w.Platform.System().ApplyIdentityEvent(ctx(), people.IdentityEvent{
						Type: people.UserDeleted, SentAt: w.Clock.Now(),
						User: people.IdentityUser{ID: who.UserID}})
				}
				_, err := w.Platform.Assess.SaveDraft(ctx(), who, course, roomtest.TheEssay,
					assess.Work{Text: "1", FileIDs: []string{f.ID}})
				return err
			})
			if errs[0] != nil || errs[1] != nil && !errors.Is(errs[1], core.ErrUnauthenticated) {
				t.Errorf("the deletion: %v, the draft: %v", errs[0], errs[1])
			}
			if n := w.Count(t, "{submissions}") + w.Count(t, "{files}"); n != 0 {
				t.Errorf("%d rows are left", n)
			}
		}
		w.WantInvariants(t)
	})
}

// A submission comes before the end of the enrolment, or is refused.
func TestSubmit_BesideTheEndOfTheEnrollmentAtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, catalog.Assignment{})
		chief := w.Person(t, "chief", core.Admin)
		for round := range 6 {
			ada := w.Enrolls(t, fmt.Sprint("ada-", round), course)
			w.Drafts(t, ada, course, "Work")
			errs := roomtest.Concurrently(2, func(i int) error {
				if i == 0 {
					return w.Platform.Study.EndEnrollment(ctx(), chief, ada.UserID, course)
				}
				_, err := w.Platform.Assess.Submit(ctx(), ada, course, roomtest.TheEssay)
				return err
			})
			if errs[0] != nil || errs[1] != nil && !errors.Is(errs[1], study.ErrNotPurchased) {
				t.Errorf("the end: %v, the submission: %v", errs[0], errs[1])
			}
			work, err := w.Platform.Assess.AssignmentWork(ctx(), ada, course, roomtest.TheEssay)
			if err != nil || work.Assignment != nil ||
				(len(work.Submissions) == 1) != (errs[1] == nil) {
				t.Errorf("after %v the work is %+v (%v)", errs[1], work, err)
			}
			_, err = w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
				assess.Work{Text: "B"})
			roomtest.WantFailure(t, err, study.ErrNotPurchased, "save after the end")
		}
		w.WantInvariants(t)
	})
}

// A student is told of a grade while enrolled, or not at all, however close the end is.
func TestGrade_BesideTheEndOfTheEnrollmentAtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w, _, course, _ := newEssayFixture(t, database, catalog.Assignment{},
			learning.WithEvents("test", &roomtest.Receiver{}))
		chief := w.Person(t, "chief", core.Admin)
		for round := range 6 {
			ada := w.Enrolls(t, fmt.Sprint("ada-", round), course)
			w.Drafts(t, ada, course, "Work")
			s := w.SubmitsWork(t, ada, course)
			roomtest.Must(t, errors.Join(roomtest.Concurrently(2, func(i int) (err error) {
				if i == 0 {
					return w.Platform.Study.EndEnrollment(ctx(), chief, ada.UserID, course)
				}
				_, err = w.Platform.Assess.Grade(ctx(), chief, s.ID,
					roomtest.GradeOf(s, assess.SubmissionGraded))
				return err
			})...))
			const told = `event_deliveries e WHERE subject = ? AND type = 'notification.created'
				AND data LIKE '%assignment.graded%'`
			subject := "user:" + ada.UserID
			if n := w.Count(t, told, subject); n > 1 {
				t.Errorf("told %d times", n)
			}
			if n := w.Count(t, told+` AND EXISTS (SELECT 1 FROM event_deliveries x
				WHERE x.subject = e.subject AND x.type = 'enrollment.ended' AND x.seq < e.seq)`,
				subject); n != 0 {
				t.Error("told after the end")
			}
		}
		w.WantInvariants(t)
	})
}

// A file is deleted while a draft begins to use it: the draft has it, or it is gone.
func TestSaveDraft_BesideTheDeletionOfAFileAtOnce(t *testing.T) {
	roomtest.OnAllEngines(t, func(t *testing.T, database string) {
		w, _, course, ada := newEssayFixture(t, database, catalog.Assignment{})
		for round := range 6 {
			f := w.Hands(t, ada, "f.txt", fmt.Sprint("content ", round))
			errs := roomtest.Concurrently(2, func(i int) error {
				if i == 0 {
					return w.Platform.Files.DeleteFile(ctx(), ada, f.ID)
				}
				_, err := w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
					assess.Work{FileIDs: []string{f.ID}})
				return err
			})
			isDeleted, isUsed := errs[0] == nil, errs[1] == nil
			if isDeleted == isUsed || !isDeleted && !errors.Is(errs[0], file.ErrFileInUse) ||
				!isUsed && !errors.Is(errs[1], core.ErrInvalidRequest) {
				t.Errorf("the file is deleted: %v, used: %v", errs[0], errs[1])
			}
			w.WantInvariants(t)
		}
	})
}

// Of the work of a deleted student only the points that were given stay, with no file.
func TestAssignment_DeletedStudent(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, files, course, ada := newEssayFixture(t, database, catalog.Assignment{})
		chief := w.Person(t, "chief", core.Admin)
		f := w.Hands(t, ada, "f.txt", "work")
		remarks, err := w.Platform.Files.UploadFile(ctx(), chief, "r.txt",
			strings.NewReader("remarks"))
		roomtest.Must(t, err)
		w.Drafts(t, ada, course, "1", f.ID)
		decision := roomtest.GradeOf(w.SubmitsWork(t, ada, course), assess.SubmissionGraded)
		decision.FileIDs = []string{remarks.ID}
		list, err := w.Platform.Assess.Submissions(ctx(), chief,
			assess.SubmissionQuery{CourseID: course}, learning.PageRequest{Limit: 9})
		roomtest.Must(t, err)
		graded, err := w.Platform.Assess.Grade(ctx(), chief, list.Rows[0].ID, decision)
		roomtest.Must(t, err)
		w.Drafts(t, ada, course, "2", f.ID)
		waiting := w.SubmitsWork(t, ada, course)
		w.Drafts(t, ada, course, "3", f.ID)

		w.DeleteUser(t, "ada")
		_, err = w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
			assess.Work{Text: "4"})
		roomtest.WantFailure(t, err, core.ErrUnauthenticated, "save after the deletion")
		_, err = w.Platform.Assess.UploadSubmittedFile(ctx(), ada, "g.txt",
			strings.NewReader("more"))
		roomtest.WantFailure(t, err, core.ErrUnauthenticated, "upload after the deletion")
		left, err := w.Platform.Assess.Submission(ctx(), chief, graded.ID)
		if err != nil || left.Text != "" || left.Feedback != "" || len(left.Files) != 0 ||
			len(left.FeedbackFiles) != 0 || !slices.Equal(left.Points, []int{10, 5}) ||
			left.Student.Name != core.DeletedUser {
			t.Errorf("left: %+v (%v)", left, err)
		}
		_, err = w.Platform.Assess.Submission(ctx(), chief, waiting.ID)
		roomtest.WantFailure(t, err, assess.ErrSubmissionNotFound, "read one that waited")
		_, err = w.Platform.Assess.Grade(ctx(), chief, graded.ID, roomtest.GradeOf(left.AssignmentSubmission,
			assess.SubmissionGraded))
		roomtest.WantFailure(t, err, assess.ErrSubmissionNotFound, "grade again")
		if n := w.Count(t, "{submissions}"); n != 1 {
			t.Errorf("%d submissions", n)
		}
		w.Tidy(t)
		roomtest.WantFiles(t, w, files, "remarks")
	})
}

// zeros is a content that does not end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestUploadSubmittedFile_Bounds(t *testing.T) {
	w, files, _, ada := newEssayFixture(t, roomtest.SQLite(t), catalog.Assignment{})
	large := io.MultiReader(strings.NewReader("%PDF-"),
		io.LimitReader(zeros{}, file.MaxSubmittedFile-4))
	_, err := w.Platform.Assess.UploadSubmittedFile(ctx(), ada, "a.pdf", large)
	roomtest.WantFailure(t, err, file.ErrFileTooLarge, "a file of 50 MB and a byte")
	_, err = w.Platform.Assess.UploadSubmittedFile(ctx(), w.Person(t, "eve", core.Student), "a.txt",
		strings.NewReader("x"))
	roomtest.WantFailure(t, err, core.ErrForbidden, "a file of a student without an assignment")
	roomtest.WantFiles(t, w, files)
}

// Files may be handed in only where the assignment wants them, and only the student's own.
func TestSaveDraft_RefusesFiles(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, roomtest.SQLite(t), catalog.Assignment{})
	w.Publish(t, "texts", roomtest.Essay(catalog.Assignment{}))
	w.Enrolls(t, "ada", "texts")
	foreign := w.Hands(t, w.Enrolls(t, "eve", course), "f.txt", "foreign")
	own := make([]string, assess.MaxSubmissionFiles+1)
	for i := range own {
		own[i] = w.Hands(t, ada, "f.txt", fmt.Sprint("own ", i)).ID
	}
	for name, test := range map[string]struct {
		course string
		files  []string
	}{
		"foreign": {course, []string{own[0], foreign.ID}}, "unknown": {course, []string{"none"}},
		"too many": {course, own}, "not wanted": {"texts", own[:1]},
		"no id": {course, []string{""}}, "an impossible id": {course, []string{own[0] + " "}},
	} {
		_, err := w.Platform.Assess.SaveDraft(ctx(), ada, test.course, roomtest.TheEssay,
			assess.Work{Text: "Work", FileIDs: test.files})
		roomtest.WantFailure(t, err, core.ErrInvalidRequest, name)
	}
	if n := w.Count(t, "{submissions}"); n != 0 {
		t.Errorf("%d drafts", n)
	}

	// As many as may be, of which each counts once.
	w.Drafts(t, ada, course, "", append(own[1:], own[1:]...)...)
	if s := w.SubmitsWork(t, ada, course); len(s.Files) != assess.MaxSubmissionFiles {
		t.Errorf("the submission has the files %+v", s.Files)
	}
	w.WantInvariants(t)
}

// An assignment that wants no files any more does not lock a student out of a draft with files.
func TestSaveDraft_FilesThatAreNotWantedAnyMore(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, roomtest.SQLite(t), catalog.Assignment{})
	f, g := w.Hands(t, ada, "f.txt", "first"), w.Hands(t, ada, "g.txt", "second")
	w.Drafts(t, ada, course, "1", f.ID, g.ID)
	w.Edit(t, course, catalog.CourseEdit{Content: []catalog.Chapter{
		roomtest.Chapter("one", "a"), roomtest.Essay(catalog.Assignment{})}})
	w.Drafts(t, ada, course, "2", g.ID)
	_, err := w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
		assess.Work{Text: "3", FileIDs: []string{f.ID, g.ID}})
	roomtest.WantFailure(t, err, core.ErrInvalidRequest, "a file that the draft does not have")
	if s := w.SubmitsWork(t, ada, course); s.Text != "2" || len(s.Files) != 1 {
		t.Errorf("the submission is %+v", s)
	}
	w.WantInvariants(t)
}

// Each bound of a draft and of a grade holds up to its last value, and no further.
func TestAssignment_BoundsOfWorkAndGrades(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, roomtest.SQLite(t), catalog.Assignment{})
	chief := w.Person(t, "chief", core.Admin)
	_, err := w.Platform.Assess.SaveDraft(ctx(), ada, course, roomtest.TheEssay,
		assess.Work{Text: strings.Repeat("x", assess.MaxSubmissionText+1)})
	roomtest.WantFailure(t, err, core.ErrInvalidRequest, "a text that is too long")
	w.Drafts(t, ada, course, " \n")
	_, err = w.Platform.Assess.Submit(ctx(), ada, course, roomtest.TheEssay)
	roomtest.WantFailure(t, err, assess.ErrDraftEmpty, "a blank draft")
	w.Drafts(t, ada, course, strings.Repeat("ü", assess.MaxSubmissionText))
	s := w.SubmitsWork(t, ada, course)
	files := make([]string, assess.MaxSubmissionFiles+1)
	for i := range files {
		f, err := w.Platform.Files.UploadFile(ctx(), chief, "f.txt",
			strings.NewReader(fmt.Sprint(i)))
		roomtest.Must(t, err)
		files[i] = f.ID
	}
	good := roomtest.GradeOf(s, assess.SubmissionGraded)
	good.Points, good.Feedback = []int{0, 5}, strings.Repeat("ü", assess.MaxFeedback)
	good.FileIDs = append(files[1:], files[1:]...) // each counts once
	for name, change := range map[string]func(*assess.Grade){
		"no status":       func(g *assess.Grade) { g.Status = "" },
		"a draft":         func(g *assess.Grade) { g.Status = assess.SubmissionDraft },
		"waits":           func(g *assess.Grade) { g.Status = assess.SubmissionWaiting },
		"no points":       func(g *assess.Grade) { g.Points = nil },
		"too few points":  func(g *assess.Grade) { g.Points = []int{1} },
		"too many points": func(g *assess.Grade) { g.Points = []int{1, 1, 1} },
		"returned with too few points": func(g *assess.Grade) {
			g.Status, g.Points = assess.SubmissionReturned, []int{1}
		},
		"less than nothing": func(g *assess.Grade) { g.Points = []int{-1, 5} },
		"more than all":     func(g *assess.Grade) { g.Points = []int{0, 6} },
		"too long": func(g *assess.Grade) {
			g.Feedback = strings.Repeat("x", assess.MaxFeedback+1)
		},
		"too many files":   func(g *assess.Grade) { g.FileIDs = files },
		"an impossible id": func(g *assess.Grade) { g.FileIDs = []string{files[0] + " "} },
	} {
		bad := good
		change(&bad)
		_, err := w.Platform.Assess.Grade(ctx(), chief, s.ID, bad)
		roomtest.WantFailure(t, err, core.ErrInvalidRequest, name)
	}
	if s, err = w.Platform.Assess.Grade(ctx(), chief, s.ID, good); err != nil ||
		len(s.FeedbackFiles) != assess.MaxSubmissionFiles {
		t.Errorf("the grade is %+v (%v)", s, err)
	}
	w.WantInvariants(t)
}

// Every operation of assignments asks who calls.
func TestAssignment_RefusesCallers(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, roomtest.SQLite(t), catalog.Assignment{})
	w.Drafts(t, ada, course, "Work")
	s := w.SubmitsWork(t, ada, course)
	other := w.Person(t, "other", core.Educator)
	page := learning.PageRequest{Limit: 1}
	for name, call := range map[string]func(learning.Actor) error{
		"read": func(who learning.Actor) error {
			_, err := w.Platform.Assess.AssignmentWork(ctx(), who, course, roomtest.TheEssay)
			return err
		},
		"save": func(who learning.Actor) error {
			_, err := w.Platform.Assess.SaveDraft(ctx(), who, course, roomtest.TheEssay,
				assess.Work{})
			return err
		},
		"submit": func(who learning.Actor) error {
			_, err := w.Platform.Assess.Submit(ctx(), who, course, roomtest.TheEssay)
			return err
		},
		"upload": func(who learning.Actor) error {
			_, err := w.Platform.Assess.UploadSubmittedFile(ctx(), who, "f.txt",
				strings.NewReader("x"))
			return err
		},
		"list files": func(who learning.Actor) error {
			_, err := w.Platform.Files.List(ctx(), who, page)
			return err
		},
		"delete a file": func(who learning.Actor) error {
			return w.Platform.Files.DeleteFile(ctx(), who, "none")
		},
	} {
		roomtest.WantFailure(t, call(learning.Actor{}), core.ErrUnauthenticated, name)
	}
	for name, call := range map[string]func(learning.Actor) error{
		"list": func(who learning.Actor) error {
			_, err := w.Platform.Assess.Submissions(ctx(), who,
				assess.SubmissionQuery{CourseID: course}, page)
			return err
		},
		"show": func(who learning.Actor) error {
			_, err := w.Platform.Assess.Submission(ctx(), who, s.ID)
			return err
		},
		"grade": func(who learning.Actor) error {
			_, err := w.Platform.Assess.Grade(ctx(), who, s.ID,
				roomtest.GradeOf(s, assess.SubmissionGraded))
			return err
		},
	} {
		roomtest.WantFailure(t, call(learning.Actor{}), core.ErrUnauthenticated, name)
		roomtest.WantFailure(t, call(ada), core.ErrForbidden, name+" as the student")
		roomtest.WantFailure(t, call(other), core.ErrForbidden, name+" as another educator")
	}

	// Students are not told either what there is.
	_, err := w.Platform.Assess.Submissions(ctx(), ada, assess.SubmissionQuery{}, page)
	roomtest.WantFailure(t, err, core.ErrForbidden, "list all as a student")
	_, err = w.Platform.Assess.Submission(ctx(), ada, "none")
	roomtest.WantFailure(t, err, core.ErrForbidden, "show an unknown one as a student")
}

// The grade of an assignment completes the course only if all lectures are completed.
func TestGrade_CourseWithOtherLectures(t *testing.T) {
	w, _, course, ada := newEssayFixture(t, roomtest.SQLite(t), catalog.Assignment{},
		learning.WithEvents("test", &roomtest.Receiver{}))
	completions := func() int { return w.Count(t, "event_deliveries WHERE type = 'course.completed'") }
	w.GradesWork(t, ada, course, roomtest.TheEssay)
	if n := completions(); n != 0 {
		t.Errorf("%d events of the completion before the last lecture", n)
	}
	w.Learns(t, ada, course, true, "a")
	if n := completions(); n != 1 {
		t.Errorf("%d events of the completion", n)
	}
}

// A return takes no mark back that the student has set, because the lecture is of another kind now.
func TestGrade_LectureOfAnotherKind(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, _, course, ada := newEssayFixture(t, database, catalog.Assignment{})
		w.Drafts(t, ada, course, "Work")
		s := w.SubmitsWork(t, ada, course)
		text := roomtest.Chapter("essays", roomtest.TheEssay)
		text.Lectures[0].Kind = catalog.KindText
		w.Edit(t, course, catalog.CourseEdit{Content: []catalog.Chapter{roomtest.Chapter("one",
			"a"),
			text}})
		w.Learns(t, ada, course, false, roomtest.TheEssay)
		s = w.Grades(t, s, assess.SubmissionReturned)
		w.WantCompleted(t, ada, course, roomtest.TheEssay)
		w.Edit(t, course, catalog.CourseEdit{Content: []catalog.Chapter{roomtest.Chapter("one",
			"a")}})
		w.Grades(t, s, assess.SubmissionReturned) // a lecture that was removed
		w.Edit(t, course, catalog.CourseEdit{Content: []catalog.Chapter{roomtest.Chapter("one",
			"a"),
			roomtest.Essay(catalog.Assignment{})}})
		w.WantCompleted(t, ada, course)
	})
}

// An assignment is missing for a certificate until it is graded, also if it was completed as a
// lecture of another kind and the course asks assignments.
func TestCertificate_AsksAssignments(t *testing.T) {
	roomtest.WithCertificatesOnEngines(t, func(t *testing.T, w *roomtest.World,
		_ *roomtest.Renderer) {
		course := w.Publish(t, "go", roomtest.Chapter("one", roomtest.TheEssay), roomtest.Chapter("two",
			"a"))
		ada := w.Enrolls(t, "ada", course)
		w.Learns(t, ada, course, false, "a")
		w.Learns(t, ada, course, true, roomtest.TheEssay)
		missing := certify.MissingPart{Kind: certify.MissingAssignment,
			LectureID: roomtest.TheEssay,
			Title:     "Essay"}
		for _, asks := range []bool{false, true} {
			w.Edit(t, course, catalog.CourseEdit{
				Content: []catalog.Chapter{roomtest.Essay(catalog.Assignment{}),
					roomtest.Chapter("two",
						"a")},
				Terms: &catalog.Terms{
					Certificate: catalog.CertificateTerms{Assignments: asks}}})
			if got, err := w.Platform.Certify.CheckCertificate(ctx(), ada, course); err != nil ||
				got.Earned == asks {
				t.Errorf("the course asks %v: %+v (%v)", asks, got, err)
			}
		}
		w.WantMissing(t, ada, course, missing)
		w.GradesWork(t, ada, course, roomtest.TheEssay)
		w.WantMissing(t, ada, course)
	})
}
