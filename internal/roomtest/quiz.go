package roomtest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/invariants"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/exchange"
)

// Starts begins an attempt, or gets the open one, which must succeed.
func (w *World) Starts(t *testing.T, who core.Actor, courseID string) assess.QuizAttempt {
	t.Helper()
	a, err := w.Platform.Assess.StartAttempt(ctx(), who, courseID, TheChapter)
	Must(t, err)
	return a
}

// AnswersOf saves answers of an attempt, which must succeed.
func (w *World) AnswersOf(t *testing.T, who core.Actor, id string,
	answers map[string]assess.Answer) {
	t.Helper()
	Must(t, w.Platform.Assess.SaveAnswers(ctx(), who, id, answers))
}

// WantAttempts checks how many results there are, and that attempts, results and totals agree.
func (w *World) WantAttempts(t *testing.T, results int) {
	t.Helper()
	if n := w.Count(t, "quiz_results"); n != results {
		t.Errorf("%d results, want %d", n, results)
	}
	for _, name := range []string{"attempts without result", "two open attempts"} {
		if n := w.Count(t, invariants.Courses[name]); n != 0 {
			t.Errorf("%s: %d", name, n)
		}
	}
	w.WantRightTotals(t)
}

// WantFailure checks that what was done has failed with an error.
func WantFailure(t *testing.T, err, want error, what string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// Saves saves a quiz by hand, which must succeed.
func (w *World) Saves(t *testing.T, e assess.QuizEdit) assess.Quiz {
	t.Helper()
	q, err := w.Platform.Assess.SaveQuiz(ctx(), Teacher, e)
	Must(t, err)
	return q
}

// EnrollsAs publishes a free course and enrols a new student.
func (w FaultRun) EnrollsAs(t *testing.T, courseID string) string {
	t.Helper()
	w.Course(t, courseID, 0)
	w.Enrolls(t, "student-"+courseID, courseID)
	return courseID
}

// ImportsQuiz imports a file as the quiz of the first chapter of a course.
func (w *World) ImportsQuiz(
	course string, content []byte,
) (assess.Quiz, []exchange.SkippedPart, error) {
	return w.Platform.Exchange.ImportQuiz(ctx(), Teacher, exchange.QuizImport{CourseID: course,
		ChapterID: TheChapter, Content: content})
}

// Takes submits answers to a quiz.
func (w *World) Takes(t *testing.T, who core.Actor, courseID string,
	given []int) assess.QuizResult {
	t.Helper()
	r, err := w.Platform.Assess.SubmitQuiz(ctx(), who,
		assess.QuizAnswers{CourseID: courseID, ChapterID: TheChapter, Answers: given})
	if err != nil {
		t.Fatalf("submit: %v", err)
	}
	return r
}

// Quiz stores a quiz without the AI. All its questions have the same right option.
func (w *World) Quiz(t *testing.T, courseID string, questions, correct int) {
	t.Helper()
	q := assess.Quiz{ID: "quiz", CourseID: courseID, ChapterID: TheChapter,
		ChapterTitle: "Chapter", Version: 1, CreatedAt: w.Clock.Now(), UpdatedAt: w.Clock.Now()}
	for i := range questions {
		q.Questions = append(q.Questions,
			assess.NewQuestion(i, fmt.Sprint("Question ", i), []string{"A", "B", "C", "D"},
				correct, "The secret reason."))
	}
	if err := w.Store.InTx(ctx(),
		func(tx learning.Tx) error { return tx.InsertQuiz(ctx(), q) }); err != nil {
		t.Fatal(err)
	}
}

// WantConsistent checks each attempt against its version.
func (w *World) WantConsistent(t *testing.T, actors []core.Actor, courseID string) {
	t.Helper()
	n := 0
	for _, who := range actors {
		list, err := w.Platform.Assess.QuizResults(ctx(), who, courseID, TheChapter)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			n++
			right := 0
			for _, answer := range r.Answers {
				if answer == int(r.Version)%assess.QuestionOptions {
					right++
				}
			}
			if r.Score != right {
				t.Errorf("version %d with the answers %v has the score %d", r.Version, r.Answers,
					r.Score)
			}
		}
	}
	if n == 0 {
		t.Error("there were no attempts")
	}
}

// OnlyResult returns the only result of a user.
func (w *World) OnlyResult(t *testing.T, who core.Actor,
	courseID string) assess.QuizResult {
	t.Helper()
	list, err := w.Platform.Assess.QuizResults(ctx(), who, courseID, TheChapter)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d results (%v), want 1", len(list), err)
	}
	return list[0]
}

// PublishTyped publishes a course whose texts are all the given one.
func (w *World) PublishTyped(t *testing.T, text string) string {
	t.Helper()
	c := catalog.Course{ID: "typed", Title: text, Published: true,
		Educator: core.Person{ID: Teacher.UserID}, CreatedAt: w.Clock.Now(),
		UpdatedAt: w.Clock.Now()}
	content := []catalog.Chapter{{ID: TheChapter, Title: text,
		Lectures: []catalog.Lecture{{ID: "l", Title: text,
			URL: "https://videos.example.org/secret"}}}}
	if err := w.Store.InTx(ctx(),
		func(tx learning.Tx) error { return tx.InsertCourse(ctx(), c, content) }); err != nil {
		t.Fatal(err)
	}
	return c.ID
}

// seen is an attempt as the test has made it.
type seen struct {
	right  map[string]bool    // of each question that was given
	points map[string]int     // as right
	took   map[string]float64 // seconds, of the questions with an answer
	total  float64            // seconds
	isOpen bool
}

// percent returns the rounded percentage of an attempt without a question; "" for none.
func (s seen) percent(without string) (percent float64, ok bool) {
	var score, total float64
	for id, points := range s.points {
		if id == without {
			continue
		}
		total += float64(points)
		if s.right[id] {
			score += float64(points)
		}
	}
	return math.Floor(100*score/total + 0.5), total > 0
}

// meanOf returns the mean of some values, or false if there are none.
func meanOf(values []float64) (mean float64, ok bool) {
	for _, v := range values {
		mean += v / float64(len(values))
	}
	return mean, len(values) > 0
}

// correlation returns the correlation coefficient of Pearson, or false if it is not defined.
func correlation(x, y []float64) (r float64, ok bool) {
	mx, _ := meanOf(x)
	my, _ := meanOf(y)
	var xy, xx, yy float64
	for i := range x {
		xy += (x[i] - mx) * (y[i] - my)
		xx += (x[i] - mx) * (x[i] - mx)
		yy += (y[i] - my) * (y[i] - my)
	}
	if len(x) == 0 || slices.Min(x) == slices.Max(x) || slices.Min(y) == slices.Max(y) {
		return 0, false
	}
	return xy / math.Sqrt(xx*yy), true
}

// wantStats compares the figures of a quiz with those that follow from all its attempts.
func (w *World) wantStats(t *testing.T, course string, all map[string]*seen) {
	t.Helper()
	stats, err := w.Platform.Assess.QuizStats(ctx(), Teacher, course, TheChapter)
	Must(t, err)
	var percents, times []float64
	given := map[string]int{}
	for _, s := range all {
		if s.isOpen {
			continue
		}
		percent, _ := s.percent("")
		percents, times = append(percents, percent), append(times, s.total)
		for id := range s.right {
			given[id]++
		}
	}
	near := func(what string, got float64, gotOK bool, want float64, wantOK bool) {
		t.Helper()
		if gotOK != wantOK || gotOK && math.Abs(got-want) > 1e-6 {
			t.Errorf("%s is %v (%v), want %v (%v)", what, got, gotOK, want, wantOK)
		}
	}
	if stats.Attempts != len(percents) {
		t.Errorf("%d attempts, want %d", stats.Attempts, len(percents))
	}
	mean, ok := stats.AveragePercentage()
	want, wantOK := meanOf(percents)
	near("the mean percentage", mean, ok, want, wantOK)
	mean, ok = stats.AverageTime()
	want, wantOK = meanOf(times)
	near("the mean time", mean/1000, ok, want, wantOK)

	for _, q := range stats.Questions {
		var right, rest, took []float64
		correct := 0
		for _, s := range all {
			isRight, isGiven := s.right[q.QuestionID]
			if s.isOpen || !isGiven {
				continue
			}
			x := 0.0
			if isRight {
				x, correct = 1, correct+1
			}
			if y, hasRest := s.percent(q.QuestionID); hasRest {
				right, rest = append(right, x), append(rest, y)
			}
			if seconds, isTimed := s.took[q.QuestionID]; isTimed {
				took = append(took, seconds)
			}
		}
		if q.Given != given[q.QuestionID] || q.Right != correct {
			t.Errorf("%s: %d of %d are right, want %d of %d", q.QuestionID, q.Right, q.Given,
				correct, given[q.QuestionID])
		}
		delete(given, q.QuestionID)
		share, ok := q.Share()
		near("the share of "+q.QuestionID, share, ok, float64(correct)/float64(q.Given), q.Given > 0)
		r, ok := q.Discrimination()
		want, wantOK := correlation(right, rest)
		near("the discrimination of "+q.QuestionID, r, ok, want, wantOK)
		mean, ok := q.AverageTime()
		want, wantOK = meanOf(took)
		near("the time of "+q.QuestionID, mean/1000, ok, want, wantOK)
	}
	if len(given) > 0 {
		t.Errorf("questions with attempts are left out: %v", given)
	}
}

// randomBank returns a quiz of some of seven questions, which sometimes draws some of them.
func randomBank(course string, random *rand.Rand) assess.QuizEdit {
	e := assess.QuizEdit{CourseID: course, ChapterID: TheChapter,
		Settings: assess.DefaultQuizSettings}
	for _, i := range random.Perm(7)[:1+random.IntN(7)] {
		e.Questions = append(e.Questions, assess.Question{ID: fmt.Sprint("q", i),
			Kind: assess.TrueFalse, Text: fmt.Sprint("Is it ", i, "?"), Points: 1 + i%3,
			Solution: &assess.Solution{Answer: i%2 == 0}})
	}
	e.Settings.Shuffle = random.IntN(2) == 0
	e.Settings.Draw = random.IntN(len(e.Questions) + 1)
	if random.IntN(3) == 0 {
		e.Settings.Minutes = 5
	}
	return e
}

// RandomAttempts makes users take a quiz with random answers.
func (w *World) RandomAttempts(t *testing.T, course string, random *rand.Rand) {
	all := map[string]*seen{} // by the id of the attempt
	open := map[string]assess.QuizAttempt{}
	saved := map[string]time.Time{}
	var students []core.Actor
	for i := range 6 {
		students = append(students, w.Enrolls(t, fmt.Sprint(course, "-student-", i), course))
	}
	w.Saves(t, randomBank(course, random))
	end := func(id string) { all[id].isOpen = false; delete(open, id) }
	// closeOver marks the attempts of the test whose time is over, as tidying does.
	closeOver := func() {
		Must(t, w.Platform.System().Tidy(ctx()))
		for id, a := range open {
			if !a.EndsAt.IsZero() && !w.Clock.Now().Before(a.EndsAt) {
				all[id].total = a.EndsAt.Sub(a.StartedAt).Seconds()
				end(id)
			}
		}
	}
	for range 60 {
		w.Clock.Advance(time.Duration(random.IntN(60_000)) * time.Millisecond)
		closeOver()
		who := students[random.IntN(len(students))]
		switch random.IntN(12) {
		case 0:
			w.Saves(t, randomBank(course, random))
			continue
		case 1:
			if err := w.Platform.Assess.DeleteQuiz(ctx(), Teacher, course, TheChapter); err == nil {
				w.wantStats(t, course, all)
				w.Saves(t, randomBank(course, random))
			}
			continue
		}
		a := w.Starts(t, who, course)
		if all[a.ID] == nil {
			s := &seen{map[string]bool{}, map[string]int{}, map[string]float64{}, 0, true}
			for _, q := range a.Questions {
				s.right[q.ID], s.points[q.ID] = false, q.Points
			}
			all[a.ID], open[a.ID], saved[a.ID] = s, a, a.StartedAt
		}

		// Answer some questions, again or for the first time, and submit sometimes.
		given, first := map[string]assess.Answer{}, []string{}
		for _, q := range a.Questions[:random.IntN(len(a.Questions)+1)] {
			var i int
			fmt.Sscanf(q.ID, "q%d", &i)
			answer := random.IntN(3) > 0
			given[q.ID] = answer
			all[a.ID].right[q.ID] = answer == (i%2 == 0)
			if _, isTimed := all[a.ID].took[q.ID]; !isTimed {
				first = append(first, q.ID)
			}
		}
		now := w.Clock.Now()
		for _, id := range first {
			took := now.Sub(saved[a.ID]).Milliseconds() / int64(len(first))
			all[a.ID].took[id] = float64(took) / 1000
		}
		saved[a.ID] = now
		if random.IntN(3) > 0 {
			w.AnswersOf(t, who, a.ID, given)
			continue
		}
		_, err := w.Platform.Assess.SubmitAttempt(ctx(), who, a.ID, given)
		Must(t, err)
		all[a.ID].total = now.Sub(a.StartedAt).Seconds()
		end(a.ID)
	}
	w.wantStats(t, course, all)
	w.WantRightTotals(t)

	// The figures stay when a student is deleted, whose open attempt goes.
	for id, a := range open {
		if a.UserID == students[0].UserID {
			delete(all, id)
		}
	}
	w.DeleteUser(t, students[0].UserID)
	w.wantStats(t, course, all)

	// A recount corrects what is wrong or missing.
	for _, spoil := range []string{"UPDATE question_totals SET rest = rest + 7, given = given - 1",
		"DELETE FROM question_totals", "DELETE FROM totals WHERE kind = 'attempt time'"} {
		w.Exec(t, spoil)
		w.Recount(t)
		w.wantStats(t, course, all)
		w.WantRightTotals(t)
	}
	if got, err := w.Platform.System().RecountTotals(ctx()); err != nil || len(got) != 0 {
		t.Errorf("another recount has corrected %v (%v)", got, err)
	}
}

// TheChapter is the chapter of a course of a kit.
const TheChapter = "chapter"

// Rewrites rewrites a quiz and fails the test on an error.
func (w *World) Rewrites(t *testing.T, courseID string) assess.Quiz {
	t.Helper()
	q, err := w.Platform.Tutor.RewriteQuiz(ctx(), Teacher, courseID, TheChapter)
	if err != nil {
		t.Fatalf("write a quiz: %v", err)
	}
	return q
}

// SomeRight returns answers of which so many are right, for a quiz whose right option is always
// the same.
func SomeRight(total, right, correct int) []int {
	list := make([]int, total)
	for i := range list {
		list[i] = correct
		if i >= right {
			list[i] = (correct + 1) % assess.QuestionOptions
		}
	}
	return list
}
