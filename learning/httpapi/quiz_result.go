package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

type submitQuizRequest struct {
	CourseID  string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	ChapterID string `json:"chapterId" jsonschema:"minLength=1,maxLength=100"`
	Answers   []int  `json:"answers" doc:"The index of each chosen option, from 0, in order."`
	Version   *int64 `json:"version,omitempty" doc:"'version' of the quiz that was answered. If the questions have changed since, the status is 409."`
}

type submitQuizAnswer struct {
	Result submittedQuizJSON `json:"result" doc:"The mark, with recommendations."`
}

type submittedQuizJSON struct {
	_ struct{} `doc:"The mark of a quiz."`

	quizMarkJSON
	Questions []answeredQuestionJSON `json:"questions,omitempty" doc:"The solutions, if the quiz shows them after this attempt: 'given' and 'answer' are the indexes of options, from 0."`
}

type quizMarkJSON struct {
	Score           int    `json:"score" doc:"The points of the correct answers."`
	Total           int    `json:"total" doc:"The points of all questions."`
	Percentage      int    `json:"percentage"`
	Group           string `json:"group" jsonschema:"enum=needs_review,enum=on_track,enum=mastered"`
	Recommendations string `json:"recommendations" doc:"What to learn next: plain text, one recommendation a line, each beginning with '• '."`
}

// submitQuiz marks the answers of the caller, and answers the mark with recommendations. If there
// is an error, the answer is not sent.
func (a *api) submitQuiz(c *call, in submitQuizRequest) (submitQuizAnswer, error) {
	r, err := a.platform.Assess.SubmitQuiz(c.Context(), c.actor, assess.QuizAnswers{
		CourseID: in.CourseID, ChapterID: in.ChapterID, Answers: in.Answers, Version: in.Version,
	})
	return submitQuizAnswer{submittedQuizJSON{quizMarkJSON: quizMarkOf(r),
		Questions: answeredOf(r.Questions, func(q assess.Question, a assess.Answer) any {
			return q.OptionIndex(a)
		})}}, err
}

func quizMarkOf(r assess.QuizResult) quizMarkJSON {
	return quizMarkJSON{
		Score:           r.Score,
		Total:           r.Total,
		Percentage:      r.Percentage,
		Group:           string(r.Mastery),
		Recommendations: r.Recommendations,
	}
}

type quizResultJSON struct {
	ID        string `json:"_id"`
	UserID    string `json:"userId"`
	CourseID  string `json:"courseId"`
	ChapterID string `json:"chapterId"`
	quizMarkJSON
	Answers   []int   `json:"answers" doc:"The index of each chosen option, from 0, in order. Empty for an attempt that was stored when it began: its '_id' is that of the attempt."`
	CreatedAt instant `json:"createdAt" doc:"When the answers were submitted."`
}

type quizResultsAnswer struct {
	Results []quizResultJSON `json:"results" doc:"The attempts, the newest first."`
}

// quizResults answers the caller's attempts at one quiz. If there is an error, the answer is not
// sent.
func (a *api) quizResults(c *call, _ none) (quizResultsAnswer, error) {
	list, err := a.platform.Assess.QuizResults(c.Context(), c.actor, c.Param("courseId"),
		c.Param("chapterId"))
	answer := quizResultsAnswer{make([]quizResultJSON, 0, len(list))}
	for _, r := range list {
		answer.Results = append(answer.Results, quizResultJSON{
			ID:           r.ID,
			UserID:       r.UserID,
			CourseID:     r.CourseID,
			ChapterID:    r.ChapterID,
			quizMarkJSON: quizMarkOf(r),
			Answers:      append([]int{}, r.Answers...), // [] and not null
			CreatedAt:    instant(r.CreatedAt),
		})
	}
	return answer, err
}

type courseQuizMarkJSON struct {
	ChapterID    string `json:"chapterId"`
	ChapterTitle string `json:"chapterTitle"`
	Percentage   int    `json:"percentage"`
	Group        string `json:"group" jsonschema:"enum=needs_review,enum=on_track,enum=mastered"`
}

type courseQuizMarksAnswer struct {
	Results []courseQuizMarkJSON `json:"results" doc:"The attempts, the newest first."`
}

// courseQuizMarks answers the marks of the caller's attempts at the quizzes of a course. If there
// is an error, the answer is not sent.
func (a *api) courseQuizMarks(c *call, _ none) (courseQuizMarksAnswer, error) {
	list, err := a.platform.Assess.CourseQuizMarks(c.Context(), c.actor, c.Param("courseId"))
	answer := courseQuizMarksAnswer{make([]courseQuizMarkJSON, 0, len(list))}
	for _, m := range list {
		answer.Results = append(answer.Results, courseQuizMarkJSON{
			ChapterID:    m.ChapterID,
			ChapterTitle: m.ChapterTitle,
			Percentage:   m.Percentage,
			Group:        string(m.Mastery),
		})
	}
	return answer, err
}

type ownQuizMarkJSON struct {
	ChapterTitle string  `json:"chapterTitle"`
	CourseTitle  string  `json:"courseTitle"`
	Percentage   int     `json:"percentage"`
	Group        string  `json:"group" jsonschema:"enum=needs_review,enum=on_track,enum=mastered"`
	CreatedAt    instant `json:"createdAt" doc:"When the answers were submitted."`
	CourseID     string  `json:"courseId"`
	ChapterID    string  `json:"chapterId"`
	AttemptID    *string `json:"attemptId" jsonschema:"nullable" doc:"The id of the attempt. Null for answers to 'submit'."`
	Passed       *bool   `json:"passed" jsonschema:"nullable" doc:"Whether the percentage reached the pass mark. Null for a quiz that was not saved by hand."`
}

type quizMarksAnswer struct {
	Results []ownQuizMarkJSON `json:"results" doc:"The attempts, the newest first."`
	Next    nextCursor        `json:"nextCursor,omitzero"`
}

// quizMarks answers the marks of all attempts of the caller, or one page of them if the query has a
// limit or a cursor.
func (a *api) quizMarks(w http.ResponseWriter, c *call) error {
	return listing[assess.QuizMark, ownQuizMarkJSON]{
		field: "results",
		page: func(page core.PageRequest) (core.Page[assess.QuizMark], error) {
			return a.platform.Assess.QuizMarks(c.Context(), c.actor, page)
		},
		shape: ownQuizMarkOf,
		answer: func(rows []ownQuizMarkJSON, next nextCursor) any {
			return quizMarksAnswer{rows, next}
		},
	}.write(w, c)
}

// ownQuizMarkOf returns the wire shape of a mark of the caller.
func ownQuizMarkOf(m assess.QuizMark) ownQuizMarkJSON {
	mark := ownQuizMarkJSON{
		ChapterTitle: m.ChapterTitle,
		CourseTitle:  m.CourseTitle,
		Percentage:   m.Percentage,
		Group:        string(m.Mastery),
		CreatedAt:    instant(m.CreatedAt),
		CourseID:     m.CourseID,
		ChapterID:    m.ChapterID,
		Passed:       m.Passed,
	}
	if m.IsAttempt {
		mark.AttemptID = &m.ID
	}
	return mark
}

type quizInsightJSON struct {
	CourseID     string `json:"courseId"`
	ChapterID    string `json:"chapterId"`
	CourseTitle  string `json:"courseTitle"`
	ChapterTitle string `json:"chapterTitle"`
	Attempts     int    `json:"attempts"`
	AvgPct       int    `json:"avgPct" doc:"The mean percentage, rounded."`
	NeedsReview  int    `json:"needs_review" doc:"The number of attempts up to 40 per cent."`
	OnTrack      int    `json:"on_track" doc:"Attempts above 40 and up to 75 per cent."`
	Mastered     int    `json:"mastered" doc:"The number of attempts above 75 per cent."`
}

type quizInsightsAnswer struct {
	Insights []quizInsightJSON `json:"insights" doc:"The quizzes with the most attempts first."`
}

// quizInsights answers the totals of each quiz of the caller's own courses. If there is an error,
// the answer is not sent.
func (a *api) quizInsights(c *call, _ none) (quizInsightsAnswer, error) {
	list, err := a.platform.Assess.QuizInsights(c.Context(), c.actor)
	answer := quizInsightsAnswer{make([]quizInsightJSON, 0, len(list))}
	for _, i := range list {
		answer.Insights = append(answer.Insights, quizInsightJSON{
			CourseID:     i.CourseID,
			ChapterID:    i.ChapterID,
			CourseTitle:  i.CourseTitle,
			ChapterTitle: i.ChapterTitle,
			Attempts:     i.Attempts,
			AvgPct:       i.AveragePercentage(),
			NeedsReview:  i.NeedsReview,
			OnTrack:      i.OnTrack,
			Mastered:     i.Mastered,
		})
	}
	return answer, err
}
