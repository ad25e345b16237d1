package assess_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// capitals returns a quiz of which the answers to the questions are right: options of the first
// two, and a text.
func capitals(courseID string, first, second, third string, remark assess.Remark) assess.QuizEdit {
	options := []assess.Choice{{ID: "o1", Text: "A"}, {ID: "o2", Text: "B"}, {ID: "o3", Text: "C"}}
	return assess.QuizEdit{CourseID: courseID, ChapterID: roomtest.TheChapter, Remark: remark,
		Settings: assess.QuizSettings{PassPercent: 50, Review: assess.ReviewAlways, Shuffle: true},
		Questions: []assess.Question{
			{ID: "first", Kind: assess.SingleChoice, Text: "First?", Options: options,
				Solution: &assess.Solution{Answer: first}},
			{ID: "second", Kind: assess.SingleChoice, Text: "Second?", Options: options,
				Solution: &assess.Solution{Answer: second}},
			{ID: "third", Kind: assess.TextQuestion, Text: "Third?", Points: 2,
				Solution: &assess.Solution{Answer: []string{third}}},
		}}
}

// saves saves a quiz, which must succeed.
func saves(t *testing.T, w *roomtest.World, e assess.QuizEdit) {
	t.Helper()
	_, err := w.Platform.Assess.SaveQuiz(ctx(), roomtest.Teacher, e)
	roomtest.Must(t, err)
}

// remarks does the scheduled work once.
func remarks(t *testing.T, w *roomtest.World) {
	t.Helper()
	roomtest.Must(t, w.Platform.Assess.System().RemarkQuizzes(ctx()))
}

// answersTo returns answers by the texts of options, whose ids an attempt may have made anew.
func answersTo(a assess.QuizAttempt, texts map[string]string) map[string]assess.Answer {
	answers := map[string]assess.Answer{}
	for _, q := range a.Questions {
		if text, isGiven := texts[q.ID]; isGiven {
			answers[q.ID] = text
		}
		for _, o := range q.Options {
			if o.Text == texts[q.ID] {
				answers[q.ID] = o.ID
			}
		}
	}
	return answers
}

// takes submits an attempt with answers.
func takes(
	t *testing.T, w *roomtest.World, who learning.Actor, course string, first, second, third string,
) assess.QuizResult {
	t.Helper()
	a := w.Starts(t, who, course)
	r, err := w.Platform.Assess.SubmitAttempt(ctx(), who, a.ID, answersTo(a,
		map[string]string{"first": first, "second": second, "third": third}))
	roomtest.Must(t, err)
	return r
}

// wantPercent checks the percentage of an attempt and whether it is a pass.
func wantPercent(
	t *testing.T, w *roomtest.World, who learning.Actor, id string, percent int, passed bool,
) assess.QuizResult {
	t.Helper()
	a, err := w.Platform.Assess.Attempt(ctx(), who, id)
	roomtest.Must(t, err)
	if a.Result.Percentage != percent || a.Result.Passed != passed {
		t.Errorf("%s has %d %%, passed: %v, want %d %%, %v", who.UserID, a.Result.Percentage,
			a.Result.Passed, percent, passed)
	}
	return *a.Result
}

// A corrected key gives points to whoever answered right, takes none, and tells who has another
// percentage once.
func TestSaveQuiz_MarksAnew(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		w, course := roomtest.NewWithCourse(t, database)
		saves(t, w, capitals(course, "o1", "o1", "Rome", assess.RemarkNone))
		ada, bob := w.Enrolls(t, "ada", course), w.Enrolls(t, "bob", course)
		eve := w.Enrolls(t, "eve", course)
		gains := takes(t, w, ada, course, "B", "A", "nothing") // 25 %
		again := takes(t, w, ada, course, "B", "A", "Rome")    // 75 %
		loses := takes(t, w, bob, course, "A", "A", "nothing") // 50 %
		swaps := takes(t, w, eve, course, "B", "C", "Paris")   // 0 %
		open := w.Starts(t, eve, course)
		w.AnswersOf(t, eve, open.ID, answersTo(open, map[string]string{"first": "B"}))

		// The first key is another one, and the options of the second question are others.
		e := capitals(course, "o2", "o3", "Paris", assess.RemarkUp)
		e.Questions[1].Options = []assess.Choice{{ID: "o1", Text: "A"}, {ID: "o3", Text: "C"}}
		e.Settings.PassPercent = 100 // of later attempts
		w.Clock.Advance(time.Minute)
		saves(t, w, e)
		wantPercent(t, w, ada, gains.ID, 25, false)
		remarks(t, w)
		remarks(t, w)
		result := wantPercent(t, w, ada, gains.ID, 50, true)
		wantPercent(t, w, ada, again.ID, 75, true) // Rome is not right any more, and B is
		wantPercent(t, w, bob, loses.ID, 50, true)
		wantPercent(t, w, eve, swaps.ID, 75, true)
		for _, q := range result.Questions {
			if q.ID == "first" && (!q.IsRight || q.TextOf(q.Solution.Answer) != "B") {
				t.Errorf("the first question is %+v", q)
			}
		}
		if result.Recommendations != "• Go over the chapter “Chapter” again.\n"+
			"• Think again about this question: Third?" {
			t.Errorf("the recommendations are %q", result.Recommendations)
		}
		w.WantTold(t, "ada", assess.NotifyQuizRemarked)
		w.WantTold(t, "bob")
		w.WantTold(t, "eve", assess.NotifyQuizRemarked)

		// What was open is marked by the key that is right when it is submitted.
		r, err := w.Platform.Assess.SubmitAttempt(ctx(), eve, open.ID, nil)
		roomtest.Must(t, err)
		wantPercent(t, w, eve, r.ID, 25, false)
		w.WantRightTotals(t)
		remarks(t, w)
		w.WantTold(t, "eve", assess.NotifyQuizRemarked)
	})
}

// With "all" percentages fall too, the latest save wins, and one without remark goes on with it.
func TestSaveQuiz_MarksAllAnew(t *testing.T) {
	t.Parallel()
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	saves(t, w, capitals(course, "o1", "o1", "Rome", assess.RemarkNone))
	ada := w.Enrolls(t, "ada", course)
	r := takes(t, w, ada, course, "A", "A", "Rome")
	saves(t, w, capitals(course, "o2", "o2", "Rome", assess.RemarkAll))
	saves(t, w, capitals(course, "o3", "o1", "Rome", assess.RemarkNone))
	remarks(t, w)
	wantPercent(t, w, ada, r.ID, 75, true)
	saves(t, w, capitals(course, "o3", "o3", "Oslo", assess.RemarkNone)) // nothing waits
	remarks(t, w)
	wantPercent(t, w, ada, r.ID, 75, true)
	saves(t, w, capitals(course, "o3", "o3", "Oslo", assess.RemarkAll))
	remarks(t, w)
	wantPercent(t, w, ada, r.ID, 0, false)
	w.WantTold(t, "ada", assess.NotifyQuizRemarked)
	w.WantRightTotals(t)

	// A quiz that was deleted meanwhile has no key.
	saves(t, w, capitals(course, "o1", "o1", "Rome", assess.RemarkAll))
	roomtest.Must(t, w.Platform.Assess.DeleteQuiz(ctx(), roomtest.Teacher, course,
		roomtest.TheChapter))
	remarks(t, w)
	wantPercent(t, w, ada, r.ID, 0, false)
	if n := w.Count(t, "quiz_remarks WHERE is_waiting = 1"); n != 0 {
		t.Errorf("%d still wait", n)
	}
}

// Whatever fails and whoever submits meanwhile, each attempt is marked anew once, each student is
// told once, and the totals agree with the results.
func TestRemarkQuizzes_CrashesBesideSubmissions(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		faults, events := &roomtest.FaultyStore{}, &roomtest.Receiver{}
		w := roomtest.New(t, database, roomtest.WithFaultyStore(faults),
			learningtest.WithPlatform(learning.WithEvents("test", events)))
		course := w.Course(t, "go", 0)
		saves(t, w, capitals(course, "o1", "o1", "Rome", assess.RemarkNone))
		const students = 9
		var who [students]learning.Actor
		var open [students]assess.QuizAttempt
		for i := range who {
			who[i] = w.Enrolls(t, fmt.Sprint("student-", i), course)
			takes(t, w, who[i], course, "B", "A", "Rome")
			open[i] = w.Starts(t, who[i], course)
		}
		saves(t, w, capitals(course, "o2", "o1", "Rome", assess.RemarkUp))
		for _, step := range []string{"go on with marking a quiz anew", "mark a result anew",
			"give an attempt another key", "add to the totals of questions", "COMMIT"} {
			faults.FailOn(step)
			if err := w.Platform.Assess.System().RemarkQuizzes(ctx()); err == nil {
				t.Fatalf("no error at %q", step)
			}
			faults.Disarm()
		}
		for _, err := range roomtest.Concurrently(students+3, func(i int) error {
			if i >= students {
				return w.Platform.Assess.System().RemarkQuizzes(ctx())
			}
			_, err := w.Platform.Assess.SubmitAttempt(ctx(), who[i], open[i].ID,
				answersTo(open[i], map[string]string{"first": "B"}))
			return err
		}) {
			roomtest.Must(t, err)
		}
		remarks(t, w)
		for i := range who {
			wantPercent(t, w, who[i], open[i].ID, 25, false)
			w.WantTold(t, who[i].UserID, assess.NotifyQuizRemarked)
		}
		if n := w.Count(t, "quiz_results WHERE percentage = 100"); n != students {
			t.Errorf("%d have all points, want %d", n, students)
		}
		if n := w.Count(t, "event_deliveries WHERE type = 'notification.created'"); n != students {
			t.Errorf("%d are told, want %d", n, students)
		}
		w.WantRightTotals(t)
	})
}

// Students who were deleted are told nothing, and their results stay as they are.
func TestRemarkQuizzes_BesideADeletion(t *testing.T) {
	t.Parallel()
	w, course := roomtest.NewWithCourse(t, roomtest.SQLite(t))
	saves(t, w, capitals(course, "o1", "o1", "Rome", assess.RemarkNone))
	ada := w.Enrolls(t, "ada", course)
	takes(t, w, ada, course, "B", "A", "Rome")
	saves(t, w, capitals(course, "o2", "o1", "Rome", assess.RemarkUp))
	w.DeleteUser(t, "ada")
	remarks(t, w)
	if n := w.Count(t, "notifications"); n != 0 {
		t.Errorf("%d notifications", n)
	}
	w.WantRightTotals(t)
}
