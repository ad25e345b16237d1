package storetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

var quizResultTests = []test{
	{"a user's attempts at a quiz are read as they were stored, the newest first", quizResultList},
	{"the longest attempt fits", quizResultLimits},
	{"recommendations of one attempt are replaced", quizResultRecommendations},
	{"a user's marks are listed with titles, the newest first, of all courses or of one",
		quizMarks},
	{"the quizzes by hand that a user has not passed are listed", unpassedQuizzes},
	{"an educator's quizzes are summed, those with the most attempts first", quizInsights},
}

// attempt returns an attempt of "student" at the quiz of a chapter of "course", with a value
// in every field.
func attempt(id, chapterID string, after time.Duration) assess.QuizResult {
	return assess.QuizResult{ID: id, UserID: "student", CourseID: "course", ChapterID: chapterID,
		Version: 3, Answers: []int{0, 3, 1}, Score: 2, Total: 3,
		Percentage: 67, Mastery: assess.OnTrack, Passed: true,
		Recommendations: "**Read** <b>\u2028 “it” 🎓 of " + id, CreatedAt: noon.Add(after),
		StartedAt: noon.Add(after - time.Minute), Took: 59_999}
}

// hasResults checks the attempts of a user at a quiz, the newest first.
func (f *fixture) hasResults(userID, courseID, chapterID string, want ...assess.QuizResult) {
	f.t.Helper()
	got, err := f.QuizResults(f.t.Context(), userID, courseID, chapterID)
	equal(f.t, got, err, want)
}

func quizResultList(t *testing.T, f *fixture) {
	f.hasResults("student", "course", "chapter")
	a := attempt("a", "chapter", 0)
	b := attempt("b", "chapter", 0)
	newest := attempt("0", "chapter", time.Microsecond)
	b.Answers, b.StartedAt, b.Took = nil, time.Time{}, 0
	another := attempt("c", "chapter", 0)
	otherChapter := attempt("d", "other", 0)
	otherCourse := attempt("e", "chapter", 0)
	another.UserID, otherCourse.CourseID = "Student", "other"
	f.add(newest, b, a, another, otherChapter, otherCourse)
	f.hasResults("student", "course", "chapter", newest, b, a)
	latest, err := f.LatestQuizResult(t.Context(), "student", "course", "chapter")
	equal(t, latest, err, newest)
	latest, err = f.LatestQuizResult(t.Context(), "student", "course", "none")
	missing(t, latest, err)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.QuizResults(ctx, "student", "course", "other")
		equal(t, got, err, []assess.QuizResult{otherChapter})
		return nil
	})
	for _, id := range []string{"", "student ", "chapter ", "\xff", "' OR 1 = 1 --"} {
		f.hasResults(id, "course", "chapter")
		f.hasResults("student", id, "chapter")
		f.hasResults("student", "course", id)
	}
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertQuizResult(ctx, a) })
}

func unpassedQuizzes(t *testing.T, f *fixture) {
	ofAI, elsewhere, removed := quiz("ai"), quiz("none"), quiz("removed")
	ofAI.ByHand, elsewhere.CourseID, elsewhere.ID = false, "other", "elsewhere"
	f.add(course("course"), course("other"), quiz("b"), quiz("a"), quiz("passed"), ofAI, elsewhere,
		removed)
	failed, another, otherCourse := attempt("1", "a", 0), attempt("2", "b", 0), attempt("3", "b", 0)
	failed.Passed, another.UserID, otherCourse.CourseID = false, "another", "other"
	f.add(failed, another, otherCourse, attempt("4", "passed", 0))
	f.do(func(ctx context.Context, tx learning.Tx) error {
		_, err := tx.RemoveQuiz(ctx, "course", "removed", true)
		return err
	})
	got, err := f.UnpassedQuizzes(t.Context(), "student", "course")
	equal(t, got, err, []string{"a", "b"})
	for _, id := range []string{"", "course ", "\xff"} {
		got, err := f.UnpassedQuizzes(t.Context(), "student", id)
		equal(t, got, err, nil)
	}
}

// quizResultLimits stores an attempt whose texts fill their columns, of 64 characters for most ids,
// with characters of four bytes where the learning platform allows them. Version and
// recommendations have no limit of their own: their values are only very large.
func quizResultLimits(t *testing.T, f *fixture) {
	r := attempt(long(10), long(catalog.MaxContentID), 0)
	r.UserID = long(47) + "abc"
	r.CourseID = strings.Repeat("c", 64)
	r.Version = 1 << 62
	r.Recommendations = long(100_000)
	r.Answers = nil
	for range assess.MaxQuestions {
		r.Answers = append(r.Answers, assess.QuestionOptions-1)
	}
	f.add(r)
	f.hasResults(r.UserID, r.CourseID, r.ChapterID, r)
}

func quizResultRecommendations(t *testing.T, f *fixture) {
	a, b := attempt("a", "chapter", 0), attempt("b", "chapter", 0)
	f.add(a, b)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.SetRecommendations(ctx, "a",
			"new")
	})
	a.Recommendations = "new"
	f.hasResults("student", "course", "chapter", b, a)
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.SetRecommendations(ctx, "A",
				"new")
		})

	// Those of a user are replaced, without the answers.
	c := attempt("c", "chapter", 0)
	c.UserID = "other"
	f.add(c)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.ForgetQuizAnswers(ctx, "student", "none")
	})
	for _, r := range []*assess.QuizResult{&a, &b} {
		r.Recommendations, r.Answers = "none", []int{}
	}
	f.hasResults("student", "course", "chapter", b, a)
	f.hasResults("other", "course", "chapter", c)
}

// mark returns how lists show an attempt at a quiz of [quiz].
func mark(r assess.QuizResult) assess.QuizMark {
	return assess.QuizMark{ID: r.ID, CourseID: r.CourseID, ChapterID: r.ChapterID,
		CourseTitle: "Course " + r.CourseID, ChapterTitle: "Title of " + r.ChapterID,
		Percentage: r.Percentage, Mastery: r.Mastery, Passed: &r.Passed, CreatedAt: r.CreatedAt,
		IsAttempt: !r.StartedAt.IsZero()}
}

func quizMarks(t *testing.T, f *fixture) {
	got, err := f.QuizMarks(t.Context(), "student", core.PageRequest{})
	equal(t, got, err, nil)
	elsewhere := quiz("one")
	elsewhere.ID, elsewhere.CourseID = "elsewhere", "other"
	f.add(course("course"), course("other"), quiz("one"), quiz("two"), elsewhere)
	old := attempt("z", "one", -time.Hour)
	a := attempt("a", "two", 0)
	b := attempt("b", "one", 0)
	far := attempt("c", "one", time.Hour)
	others := attempt("d", "one", 0)
	far.CourseID = "other"
	others.UserID = "Student"
	old.Percentage = 100
	old.Mastery = assess.Mastered
	f.add(a, far, old, b, others)
	got, err = f.QuizMarks(t.Context(), "student", core.PageRequest{})
	equal(t, got, err, []assess.QuizMark{mark(far), mark(b), mark(a), mark(old)})
	pages := paged(t,
		func(ctx context.Context, page core.PageRequest) ([]assess.QuizMark, error) {
			return f.QuizMarks(ctx, "student", page)
		},
		func(m assess.QuizMark) core.Position {
			return core.Position{At: m.CreatedAt,
				ID: m.ID}
		})
	equal(t, pages, nil, got)
	got, err = f.CourseQuizMarks(t.Context(), "student", "course")
	equal(t, got, err, []assess.QuizMark{mark(b), mark(a), mark(old)})
	for _, id := range []string{"", "student ", "\xff", "' OR 1 = 1 --"} {
		got, err = f.QuizMarks(t.Context(), id, core.PageRequest{})
		equal(t, got, err, nil)
		got, err = f.CourseQuizMarks(t.Context(), "student", id)
		equal(t, got, err, nil)
	}
}

func quizInsights(t *testing.T, f *fixture) {
	got, err := f.QuizInsights(t.Context(), "ada")
	equal(t, got, err, nil)
	f.add(taught("go", "ada", noon), taught("sql", "ada", noon), taught("other", "eve", noon))
	for _, id := range [][2]string{{"go", "one"}, {"go", "two"}, {"go", "none"}, {"sql", "one"},
		{"other", "one"}} {
		q := quiz(id[1])
		q.ID, q.CourseID = id[0]+id[1], id[0]
		f.add(q)
	}
	attempts := 0
	try := func(courseID, chapterID string, percentages ...int) { // each by another student
		for _, percentage := range percentages {
			suffix := strings.Repeat("x", attempts)
			attempts++
			r := attempt("r"+suffix, chapterID, 0)
			r.UserID = "student " + suffix + "!"
			r.CourseID = courseID
			r.Percentage = percentage
			r.Mastery = assess.MasteryOf(percentage)
			f.add(r)
		}
	}
	try("go", "two", 40, 41, 75, 76)
	try("go", "one", 0, 100)
	try("sql", "one", 50, 50)
	try("other", "one", 1, 2, 3, 4, 5)
	f.recount()
	want := []assess.QuizInsight{
		{CourseID: "go", ChapterID: "two", CourseTitle: "Course go", ChapterTitle: "Title of two",
			Attempts: 4, Percentages: 232, NeedsReview: 1, OnTrack: 2, Mastered: 1},
		{CourseID: "go", ChapterID: "one", CourseTitle: "Course go", ChapterTitle: "Title of one",
			Attempts: 2, Percentages: 100, NeedsReview: 1, Mastered: 1},
		{CourseID: "sql", ChapterID: "one", CourseTitle: "Course sql", ChapterTitle: "Title of one",
			Attempts: 2, Percentages: 100, OnTrack: 2},
	}
	got, err = f.QuizInsights(t.Context(), "ada")
	equal(t, got, err, want)
	for _, id := range []string{"", "Ada", "ada ", "\xff", "%"} {
		got, err = f.QuizInsights(t.Context(), id)
		equal(t, got, err, nil)
	}
}
