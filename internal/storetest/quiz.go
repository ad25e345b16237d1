package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

var quizTests = []test{
	{"a quiz is read as it was stored, with the title of its course", quizRoundTrip},
	{"the longest quiz fits", quizLimits},
	{"a quiz that does not exist is ErrNoRecord", quizMissing},
	{"there is one quiz for a course and chapter", quizUnique},
	{"replacing the questions increments the version", quizReplace},
	{"a removed quiz is gone, its results keep their titles, and the next quiz has a later version",
		quizRemove},
}

// quiz returns a quiz for a chapter of "course", with a value in every field.
func quiz(chapterID string) assess.Quiz {
	return assess.Quiz{ID: "quiz on " + chapterID, CourseID: "course", ChapterID: chapterID,
		CourseTitle: "Course course", ChapterTitle: "Title of " + chapterID,
		Version: 1, Questions: questions("<b>&\u2028 \"x\" \\ 🎓?"), CreatedAt: noon,
		UpdatedAt: noon.Add(time.Microsecond), ByHand: true,
		Settings: assess.QuizSettings{Draw: 1, Shuffle: true, Minutes: 2, Attempts: 3,
			PassPercent: 4, Review: assess.ReviewPassed}}
}

// questions returns questions of all kinds, and one as it was stored in the first version, with a
// value in every field.
func questions(text string) []assess.Question {
	options := []assess.Choice{{ID: "o2", Text: "a"}, {ID: "<b>", Text: "A"}, {ID: "c", Text: "ä"}}
	list := []assess.Question{assess.NewQuestion(0, text, []string{"a", "A", "ä", "<i>"}, 3,
		"Because of "+text)}
	for kind, right := range map[assess.QuestionKind]assess.Answer{
		assess.SingleChoice: "<b>", assess.MultipleChoice: []string{"c", "o2"},
		assess.TrueFalse: false, assess.NumberQuestion: -0.1,
		assess.TextQuestion: []string{"ä", "<\u2028>"},
	} {
		q := assess.Question{ID: string(kind), Kind: kind, Text: text, Points: 7,
			Solution: &assess.Solution{Answer: right, Explanation: "Because"}}
		switch kind {
		case assess.SingleChoice, assess.MultipleChoice:
			q.Options = options
		case assess.NumberQuestion:
			q.Solution.Tolerance = 0.25
		}
		list = append(list, q)
	}
	slices.SortFunc(list[1:],
		func(a, b assess.Question) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// keptQuiz checks a stored quiz.
func (f *fixture) keptQuiz(want assess.Quiz) {
	f.t.Helper()
	got, err := f.Quiz(f.t.Context(), want.CourseID, want.ChapterID)
	equal(f.t, got, err, want)
}

func quizRoundTrip(t *testing.T, f *fixture) {
	f.add(course("course"), quiz("one"), quiz("two"))
	f.keptQuiz(quiz("one"))
	all, err := f.Quizzes(t.Context(), "course")
	slices.SortFunc(all, func(a, b assess.Quiz) int { return strings.Compare(b.ID, a.ID) })
	equal(t, all, err, []assess.Quiz{quiz("two"), quiz("one")})
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.Quiz(ctx, "course", "two")
		equal(t, got, err, quiz("two"))
		return nil
	})
}

func quizLimits(t *testing.T, f *fixture) {
	c := course(strings.Repeat("c", 64))
	c.Title = long(catalog.MaxCourseTitle)
	q := quiz("chapter")
	q.ID = long(10)
	q.CourseID = c.ID
	q.ChapterID = long(catalog.MaxContentID)
	q.CourseTitle = c.Title
	q.ChapterTitle = long(catalog.MaxCourseTitle)
	q.Version, q.Questions = 1<<62, nil
	for i := range assess.MaxQuestions {
		options := make([]string, assess.QuestionOptions)
		for j := range options {
			options[j] = long(assess.MaxOptionText-1) + fmt.Sprint(j)
		}
		q.Questions = append(q.Questions, assess.NewQuestion(i, long(assess.MaxQuestionText),
			options, 0, long(assess.MaxExplanation)))
	}
	f.add(c, q)
	f.keptQuiz(q)
}

func quizMissing(t *testing.T, f *fixture) {
	f.add(course("course"), quiz("chapter"))
	for _, id := range []string{"", "Chapter", "chapter ", "two", "\xff", "' OR 1 = 1 --",
		strings.Repeat("a", 100_000)} {
		got, err := f.Quiz(t.Context(), "course", id)
		missing(t, got, err)
		got, err = f.Quiz(t.Context(), id, "chapter")
		missing(t, got, err)
	}
	f.fails(core.ErrNoRecord,
		func(ctx context.Context, tx learning.Tx) error {
			return tx.ReplaceQuestions(ctx,
				quiz("two"))
		})
}

func quizUnique(t *testing.T, f *fixture) {
	f.add(course("course"), course("Course"), quiz("chapter"))
	sameID, sameChapter := quiz("chapter"), quiz("chapter")
	sameID.ChapterID, sameChapter.ID = "another", "another"
	for _, q := range []assess.Quiz{sameID, sameChapter} {
		f.fails(core.ErrDuplicate,
			func(ctx context.Context, tx learning.Tx) error { return tx.InsertQuiz(ctx, q) })
	}
	otherCase, otherCourse := quiz("Chapter"), quiz("chapter")
	otherCourse.ID = "third"
	otherCourse.CourseID = "Course"
	otherCourse.CourseTitle = "Course Course"
	f.add(otherCase, otherCourse)
	for _, q := range []assess.Quiz{quiz("chapter"), otherCase, otherCourse} {
		f.keptQuiz(q)
	}
}

func quizReplace(t *testing.T, f *fixture) {
	other := quiz("other")
	f.add(course("course"), quiz("chapter"), other)
	for step := range 3 {
		next := quiz("chapter")
		next.ID = "ignored"
		next.Version = 99
		next.CreatedAt = noon.Add(time.Hour)
		next.Questions = questions(fmt.Sprint(step))
		next.ChapterTitle = "Renamed"
		next.UpdatedAt = noon.Add(time.Hour)
		f.do(func(ctx context.Context, tx learning.Tx) error {
			return tx.ReplaceQuestions(ctx,
				next)
		})
		next.ID = quiz("chapter").ID
		next.Version = int64(2 + step)
		next.CreatedAt = noon
		f.keptQuiz(next)
	}
	f.keptQuiz(other)
}

// raceQuiz inserts the quiz of a chapter concurrently: one insert succeeds. Then it replaces
// the questions concurrently: each replacement increments the version.
func raceQuiz(t *testing.T, f *fixture) {
	f.add(course("course"))
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		mine := quiz("chapter")
		mine.ID = fmt.Sprint(i)
		return true, tx.InsertQuiz(ctx, mine)
	})
	steps := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		return true, tx.ReplaceQuestions(ctx, quiz("chapter"))
	})
	got, err := f.Quiz(t.Context(), "course", "chapter")
	if err != nil || wins != 1 || steps != 20 || got.Version != 21 {
		t.Errorf("%d inserts and %d replacements succeeded, and the version is %d (%v)", wins,
			steps, got.Version, err)
	}
}

func quizRemove(t *testing.T, f *fixture) {
	f.add(course("course"), quiz("one"), quiz("two"), attempt("a", "one", 0))
	chapters := func(want ...string) {
		t.Helper()
		ids, err := f.QuizChapters(t.Context(), "course")
		equal(t, ids, err, want)
	}
	chapters("one", "two")
	remove := func(want bool, courseID, chapterID string) {
		t.Helper()
		f.reports(want, func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.RemoveQuiz(ctx, courseID, chapterID, false)
		})
	}
	remove(false, "course", "three")
	remove(false, "other", "one")
	byHand := func(want bool) {
		t.Helper()
		got, err := f.QuizByHand(t.Context(), "course", "one")
		equal(t, got, err, want)
	}
	byHand(true)
	plain := quiz("one")
	plain.ByHand, plain.Settings = false, assess.DefaultQuizSettings
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.ReplaceQuestions(ctx, plain)
	})
	byHand(false)
	plain.Version = 2
	f.keptQuiz(plain)
	remove(true, "course", "one")
	remove(false, "course", "one")
	byHand(false)
	chapters("two")
	got, err := f.Quiz(t.Context(), "course", "one")
	missing(t, got, err)
	f.keptQuiz(quiz("two"))
	left, err := f.Quizzes(t.Context(), "course")
	equal(t, left, err, []assess.Quiz{quiz("two")})
	marks, err := f.QuizMarks(t.Context(), "student", core.PageRequest{})
	if err != nil || len(marks) != 1 || marks[0].ChapterTitle != "Title of one" {
		t.Errorf("the marks are %+v (%v)", marks, err)
	}
	f.recount()
	insights, err := f.QuizInsights(t.Context(), "educator")
	if err != nil || len(insights) != 1 || insights[0].Attempts != 1 ||
		insights[0].ChapterTitle != "Title of one" {
		t.Errorf("the insights are %+v (%v)", insights, err)
	}

	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertQuiz(ctx, quiz("one")) })
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.ReplaceQuestions(ctx,
			quiz("one"))
	})
	again := quiz("one")
	again.Version = 4
	f.keptQuiz(again)
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		return tx.RemoveQuiz(ctx, "course", "one", true)
	})
	byHand(true)
	f.do(func(ctx context.Context, tx learning.Tx) error {
		return tx.ReplaceQuestions(ctx, quiz("one"))
	})
	chapters("one", "two")
}
