package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning"
)

type submitQuizRequest struct {
	CourseID  string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	ChapterID string `json:"chapterId" jsonschema:"minLength=1,maxLength=100"`
	Answers   []int  `json:"answers"`
	Version   *int64 `json:"version,omitempty"`
}

type submitQuizAnswer struct {
	Result quizMarkJSON `json:"result"`
}

type quizMarkJSON struct {
	Score           int    `json:"score"`
	Total           int    `json:"total"`
	Percentage      int    `json:"percentage"`
	Group           string `json:"group" jsonschema:"enum=needs_review,enum=on_track,enum=mastered"`
	Recommendations string `json:"recommendations"`
}

func (a *api) submitQuiz(c *call, in submitQuizRequest) (submitQuizAnswer, error) {
	r, err := a.platform.SubmitQuiz(c.Context(), c.actor, learning.QuizAnswers{
		CourseID: in.CourseID, ChapterID: in.ChapterID, Answers: in.Answers, Version: in.Version,
	})
	return submitQuizAnswer{quizMarkJSON{r.Score, r.Total, r.Percentage, string(r.Mastery), r.Recommendations}}, err
}

type quizResultJSON struct {
	ID        string `json:"_id"`
	UserID    string `json:"userId"`
	CourseID  string `json:"courseId"`
	ChapterID string `json:"chapterId"`
	quizMarkJSON
	Answers   []int   `json:"answers"`
	CreatedAt instant `json:"createdAt"`
}

type quizResultsAnswer struct {
	Results []quizResultJSON `json:"results"`
}

func (a *api) quizResults(c *call, _ none) (quizResultsAnswer, error) {
	list, err := a.platform.QuizResults(c.Context(), c.actor, c.param("courseId"), c.param("chapterId"))
	answer := quizResultsAnswer{make([]quizResultJSON, 0, len(list))}
	for _, r := range list {
		answer.Results = append(answer.Results, quizResultJSON{r.ID, r.UserID, r.CourseID, r.ChapterID,
			quizMarkJSON{r.Score, r.Total, r.Percentage, string(r.Mastery), r.Recommendations}, r.Answers, instant(r.CreatedAt)})
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
	Results []courseQuizMarkJSON `json:"results"`
}

func (a *api) courseQuizMarks(c *call, _ none) (courseQuizMarksAnswer, error) {
	list, err := a.platform.CourseQuizMarks(c.Context(), c.actor, c.param("courseId"))
	answer := courseQuizMarksAnswer{make([]courseQuizMarkJSON, 0, len(list))}
	for _, m := range list {
		answer.Results = append(answer.Results, courseQuizMarkJSON{m.ChapterID, m.ChapterTitle, m.Percentage, string(m.Mastery)})
	}
	return answer, err
}

type ownQuizMarkJSON struct {
	ChapterTitle string  `json:"chapterTitle"`
	CourseTitle  string  `json:"courseTitle"`
	Percentage   int     `json:"percentage"`
	Group        string  `json:"group" jsonschema:"enum=needs_review,enum=on_track,enum=mastered"`
	CreatedAt    instant `json:"createdAt"`
}

type quizMarksAnswer struct {
	Results []ownQuizMarkJSON `json:"results"`
	Next    nextCursor        `json:"nextCursor,omitzero"`
}

func (a *api) quizMarks(w http.ResponseWriter, c *call) error {
	return listing[learning.QuizMark, ownQuizMarkJSON]{
		field: "results",
		all:   func() (*learning.List[learning.QuizMark], error) { return a.platform.QuizMarks(c.actor) },
		page: func(page learning.Page) ([]learning.QuizMark, learning.Position, error) {
			return a.platform.QuizMarksPage(c.Context(), c.actor, page)
		},
		shape: func(m learning.QuizMark) ownQuizMarkJSON {
			return ownQuizMarkJSON{
				m.ChapterTitle, m.CourseTitle, m.Percentage, string(m.Mastery), instant(m.CreatedAt)}
		},
		answer: func(rows []ownQuizMarkJSON, next nextCursor) any { return quizMarksAnswer{rows, next} },
	}.write(w, c)
}

type quizInsightJSON struct {
	CourseID     string `json:"courseId"`
	ChapterID    string `json:"chapterId"`
	CourseTitle  string `json:"courseTitle"`
	ChapterTitle string `json:"chapterTitle"`
	Attempts     int    `json:"attempts"`
	AvgPct       int    `json:"avgPct"`
	NeedsReview  int    `json:"needs_review"`
	OnTrack      int    `json:"on_track"`
	Mastered     int    `json:"mastered"`
}

type quizInsightsAnswer struct {
	Insights []quizInsightJSON `json:"insights"`
}

func (a *api) quizInsights(c *call, _ none) (quizInsightsAnswer, error) {
	list, err := a.platform.QuizInsights(c.Context(), c.actor)
	answer := quizInsightsAnswer{make([]quizInsightJSON, 0, len(list))}
	for _, i := range list {
		answer.Insights = append(answer.Insights, quizInsightJSON{i.CourseID, i.ChapterID, i.CourseTitle, i.ChapterTitle,
			i.Attempts, i.AveragePercentage(), i.NeedsReview, i.OnTrack, i.Mastered})
	}
	return answer, err
}
