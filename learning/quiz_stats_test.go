package learning_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/learningtest"
)

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
func (w *fixture) wantStats(t *testing.T, course string, all map[string]*seen) {
	t.Helper()
	stats, err := w.Platform.QuizStats(ctx(), teacher, course, theChapter)
	must(t, err)
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
func randomBank(course string, random *rand.Rand) learning.QuizEdit {
	e := learning.QuizEdit{CourseID: course, ChapterID: theChapter,
		Settings: learning.DefaultQuizSettings}
	for _, i := range random.Perm(7)[:1+random.IntN(7)] {
		e.Questions = append(e.Questions, learning.Question{ID: fmt.Sprint("q", i),
			Kind: learning.TrueFalse, Text: fmt.Sprint("Is it ", i, "?"), Points: 1 + i%3,
			Solution: &learning.Solution{Answer: i%2 == 0}})
	}
	e.Settings.Shuffle = random.IntN(2) == 0
	e.Settings.Draw = random.IntN(len(e.Questions) + 1)
	if random.IntN(3) == 0 {
		e.Settings.Minutes = 5
	}
	return e
}

// The kept figures are those of all attempts, after random submissions by students at the same
// time, edits of the quiz, ends of the time, and deletions of the quiz and of students. A recount
// finds nothing wrong, and corrects what is.
func TestQuizStats_AreThoseOfAllAttempts(t *testing.T) {
	onEnginesRepeatedly(t, func(t *testing.T, database string) {
		w := newFixture(t, database, learningtest.WithPlatform(learning.Without("WithAI")))
		for seed := range uint64(4) {
			course := w.Course(t, fmt.Sprint("course-", seed), 0)
			w.randomAttempts(t, course, rand.New(rand.NewPCG(seed, 26)))
		}
	})
}

func (w *fixture) randomAttempts(t *testing.T, course string, random *rand.Rand) {
	all := map[string]*seen{} // by the id of the attempt
	open := map[string]learning.QuizAttempt{}
	saved := map[string]time.Time{}
	var students []learning.Actor
	for i := range 6 {
		students = append(students, w.enrolls(t, fmt.Sprint(course, "-student-", i), course))
	}
	w.saves(t, randomBank(course, random))
	end := func(id string) { all[id].isOpen = false; delete(open, id) }
	// closeOver marks the attempts of the test whose time is over, as tidying does.
	closeOver := func() {
		must(t, w.Platform.System().Tidy(ctx()))
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
			w.saves(t, randomBank(course, random))
			continue
		case 1:
			if err := w.Platform.DeleteQuiz(ctx(), teacher, course, theChapter); err == nil {
				w.wantStats(t, course, all)
				w.saves(t, randomBank(course, random))
			}
			continue
		}
		a := w.starts(t, who, course)
		if all[a.ID] == nil {
			s := &seen{map[string]bool{}, map[string]int{}, map[string]float64{}, 0, true}
			for _, q := range a.Questions {
				s.right[q.ID], s.points[q.ID] = false, q.Points
			}
			all[a.ID], open[a.ID], saved[a.ID] = s, a, a.StartedAt
		}

		// Answer some questions, again or for the first time, and submit sometimes.
		given, first := map[string]learning.Answer{}, []string{}
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
			w.answersOf(t, who, a.ID, given)
			continue
		}
		_, err := w.Platform.SubmitAttempt(ctx(), who, a.ID, given)
		must(t, err)
		all[a.ID].total = now.Sub(a.StartedAt).Seconds()
		end(a.ID)
	}
	w.wantStats(t, course, all)
	w.wantRightTotals(t)

	// The figures stay when a student is deleted, whose open attempt goes.
	for id, a := range open {
		if a.UserID == students[0].UserID {
			delete(all, id)
		}
	}
	w.deleteUser(t, students[0].UserID)
	w.wantStats(t, course, all)

	// A recount corrects what is wrong or missing.
	for _, spoil := range []string{"UPDATE question_totals SET rest = rest + 7, given = given - 1",
		"DELETE FROM question_totals", "DELETE FROM totals WHERE kind = 'attempt time'"} {
		w.exec(t, spoil)
		w.recount(t)
		w.wantStats(t, course, all)
		w.wantRightTotals(t)
	}
	if got, err := w.Platform.System().RecountTotals(ctx()); err != nil || len(got) != 0 {
		t.Errorf("another recount has corrected %v (%v)", got, err)
	}
}

// A quiz that is submitted without an attempt counts too, without a time. The AI gives its
// questions new ids, so that those of a new version do not get the figures of the old ones.
func TestQuizStats_OfAQuizOfTheAI(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, course := newQuizFixture(t, database)
		ada := w.enrolls(t, "ada", course)
		w.rewrites(t, course)
		w.takes(t, ada, course, answers(10, 4, 0))
		w.rewrites(t, course)
		w.takes(t, ada, course, answers(10, 10, 0))
		w.takes(t, ada, course, answers(10, 0, 0))
		stats, err := w.Platform.QuizStats(ctx(), teacher, course, theChapter)
		if err != nil || stats.Attempts != 3 || stats.Timed != 0 || len(stats.Questions) != 20 {
			t.Fatalf("the figures are %+v (%v)", stats, err)
		}
		for i, q := range stats.Questions {
			wantGiven := 2
			if i >= 10 { // those of the first version, by their ids
				wantGiven = 1
			}
			if q.Given != wantGiven || q.Timed != 0 || q.Kind != learning.SingleChoice || q.Text == "" {
				t.Errorf("question %d: %+v", i, q)
			}
		}
		w.wantRightTotals(t)

		// Only the educator of the course and admins see it, and results have no answers.
		for _, who := range []learning.Actor{ada, w.Person(t, "other", learning.Educator)} {
			_, err := w.Platform.QuizStats(ctx(), who, course, theChapter)
			wantFailure(t, err, learning.ErrForbidden, "the figures")
			_, err = w.Platform.StudentResults(ctx(), who, course, theChapter,
				learning.PageRequest{Limit: 1})
			wantFailure(t, err, learning.ErrForbidden, "the results")
		}
	})
}

func TestStudentResults_PagesOfTheNewestFirst(t *testing.T) {
	onEngines(t, func(t *testing.T, database string) {
		w, course := newQuizFixture(t, database, learning.Without("WithAI"))
		e := bank(course)
		e.Settings.Minutes = 10
		w.saves(t, e)
		want := []string{}
		for i := range 3 {
			who := w.enrolls(t, fmt.Sprint("student-", i), course)
			a := w.starts(t, who, course)
			w.Clock.Advance(90 * time.Second)
			if i == 1 { // its time ends
				w.Clock.Advance(time.Hour)
				must(t, w.Platform.System().Tidy(ctx()))
			} else {
				_, err := w.Platform.SubmitAttempt(ctx(), who, a.ID, rightAnswers())
				must(t, err)
			}
			want = slices.Insert(want, 0, a.ID)
		}
		w.deleteUser(t, "student-0")
		var got []string
		page := learning.PageRequest{Limit: 2}
		for {
			list, err := w.Platform.StudentResults(ctx(), teacher, course, theChapter, page)
			must(t, err)
			for _, r := range list.Rows {
				got = append(got, r.ID)
				took, name := learning.Milliseconds(90_000), "student-2"
				switch r.UserID {
				case "student-0":
					name = learning.DeletedUser
				case "student-1":
					took, name = 600_000, "student-1"
				}
				if r.Took != took || r.Student.Name != name || r.Student.ID != r.UserID ||
					r.Passed != (took == 90_000) || r.Marked != nil || r.Answers != nil {
					t.Errorf("a result is %+v", r)
				}
			}
			if list.Next.IsZero() {
				break
			}
			page.After = list.Next
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		_, err := w.Platform.StudentResults(ctx(), teacher, "none", theChapter, page)
		if !errors.Is(err, learning.ErrCourseNotFound) {
			t.Error(err)
		}
	})
}
