package assess

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/google/uuid"

	"github.com/openlectern/openlectern/learning/core"
)

// ImportedResult is the result of a quiz that was taken in another system.
type ImportedResult struct {
	UserID    string
	CourseID  string
	ChapterID string
	Score     int  // at most Total
	Total     int  // at least 1
	Passed    bool // by the rules of the other system
	At        time.Time

	CourseTitle  string
	ChapterTitle string
}

// id returns the id of the result. It never changes, so that a repetition is recognized. The parts
// are quoted, so that two results never give the same text.
func (r ImportedResult) id() string {
	text := "result of"
	for _, part := range []string{r.UserID, r.CourseID, r.ChapterID, r.At.UTC().String()} {
		text += " " + strconv.Quote(part)
	}
	return uuid.NewSHA1(uuid.NameSpaceOID, []byte(text)).String()
}

// ImportResult stores a result, in a transaction that has locked the user, and reports whether it
// did: the same result again, by user, chapter and time, is not stored twice. It has no answers,
// and counts as an attempt.
func (s *ForRooms) ImportResult(
	ctx context.Context, tx Tx, changes *core.Changes, r ImportedResult,
) (bool, error) {
	id := r.id()
	if _, err := tx.QuizResult(ctx, id); !errors.Is(err, core.ErrNoRecord) {
		return false, err
	}
	percentage := core.Ratio(100*r.Score, r.Total)
	result := QuizResult{ID: id, UserID: r.UserID, CourseID: r.CourseID, ChapterID: r.ChapterID,
		Score: r.Score, Total: r.Total, Percentage: percentage, Mastery: MasteryOf(percentage),
		Passed: r.Passed, CreatedAt: r.At, Answers: []int{}}
	result.Recommendations = joinRecommendations([]string{chapterAgain(r.ChapterTitle)})
	if r.Score == r.Total {
		result.Recommendations = allRight
	}
	countResult(changes, tx, result)
	addQuizSubmittedEvent(changes, result, r.CourseTitle)
	return true, tx.InsertQuizResult(ctx, result)
}
