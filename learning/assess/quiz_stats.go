package assess

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/learning/core"
)

// StudentResult is a result with its student. It has neither answers nor recommendations.
type StudentResult struct {
	QuizResult
	Student core.Person
}

// StudentResults returns a page of the results of the quiz of a chapter, the newest first, for the
// educator of the course and admins. Results stay when the quiz or the chapter is removed. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [catalog.ErrCourseNotFound],
// [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) StudentResults(
	ctx context.Context, actor core.Actor, courseID, chapterID string, page core.PageRequest,
) (core.Page[StudentResult], error) {
	if _, err := s.catalog.Editable(ctx, actor, courseID); err != nil {
		return core.Page[StudentResult]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]StudentResult, error) {
		return s.store.StudentResults(ctx, courseID, chapterID, page)
	}
	return paging.ReadPage(ctx, "list the results of students", page, read,
		func(r StudentResult) core.Position { return core.Position{At: r.CreatedAt, ID: r.ID} })
}

// QuizStats sums up the attempts at the quiz of a chapter and those that had each question.
type QuizStats struct {
	QuizSums
	// Questions are those of the quiz in its order, and then those that it had before, by their
	// ids. The latter have the text with which they were marked first.
	Questions []QuestionTotal
}

// QuizSums are sums over the attempts at a quiz.
type QuizSums struct {
	Attempts    int
	Percentages int               // the sum of those of all attempts
	Timed       int               // attempts that were stored when they began
	Time        core.Milliseconds // that these took
}

// AveragePercentage returns the mean of all attempts, or false if there are none.
func (s QuizSums) AveragePercentage() (mean float64, ok bool) {
	return float64(s.Percentages) / float64(s.Attempts), s.Attempts > 0
}

// AverageTime returns the mean time of the attempts, or false if none is known.
func (s QuizSums) AverageTime() (mean float64, ok bool) {
	return float64(s.Time) / float64(s.Timed), s.Timed > 0
}

// QuizStats sums up the attempts at the quiz of a chapter, for the educator of the course and
// admins. Questions count since the version that has this method: results of before count in
// QuizSums only. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [catalog.ErrCourseNotFound].
func (s *Service) QuizStats(ctx context.Context, actor core.Actor,
	courseID, chapterID string) (stats QuizStats, err error) {
	if _, err := s.catalog.Editable(ctx, actor, courseID); err != nil {
		return QuizStats{}, err
	}
	if stats.QuizSums, err = s.store.QuizSums(ctx, courseID, chapterID); err != nil {
		return QuizStats{}, fmt.Errorf("sum up a quiz: %w", err)
	}
	totals, err := s.store.QuestionTotals(ctx, courseID, chapterID)
	if err != nil {
		return QuizStats{}, fmt.Errorf("sum up the questions of a quiz: %w", err)
	}
	quiz, err := s.store.Quiz(ctx, courseID, chapterID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) { // a quiz that was removed has no questions
		return QuizStats{}, fmt.Errorf("read a quiz: %w", err)
	}

	// The questions of the quiz come first, also those that no attempt has had yet.
	byID := map[string]QuestionTotal{}
	for _, t := range totals {
		byID[t.QuestionID] = t
	}
	for _, q := range quiz.Questions {
		t := byID[q.ID]
		delete(byID, q.ID)
		t.CourseID, t.ChapterID, t.QuestionID = courseID, chapterID, q.ID
		t.Kind, t.Text = q.Kind, q.Text
		stats.Questions = append(stats.Questions, t)
	}
	for _, t := range totals {
		if _, isLeft := byID[t.QuestionID]; isLeft && t.Given > 0 {
			stats.Questions = append(stats.Questions, t)
		}
	}
	return stats, nil
}
