package httpapi

import "github.com/openlectern/openlectern/learning"

// quizJSON is a quiz (docs/api.md §12).
type quizJSON struct {
	ID           string         `json:"_id"`
	CourseID     string         `json:"courseId"`
	ChapterID    string         `json:"chapterId"`
	ChapterTitle string         `json:"chapterTitle"`
	CourseTitle  string         `json:"courseTitle"`
	Version      int64          `json:"version"`
	Questions    []questionJSON `json:"questions"`
	CreatedAt    instant        `json:"createdAt"`
	UpdatedAt    instant        `json:"updatedAt"`
}

type questionJSON struct {
	Question string   `json:"question"`
	Options  []string `json:"options"`
	*solutionJSON
}

// solutionJSON is the solution of a question. Only the owner of the course gets it.
type solutionJSON struct {
	CorrectIndex int    `json:"correctIndex"`
	Explanation  string `json:"explanation"`
}

type quizAnswer struct {
	Quiz quizJSON `json:"quiz"`
}

type quizRequest struct {
	CourseID  string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	ChapterID string `json:"chapterId" jsonschema:"minLength=1,maxLength=100"`
}

func (a *api) getQuiz(c *call, _ none) (quizAnswer, error) {
	quiz, err := a.platform.Quiz(c.Context(), c.actor, c.param("courseId"), c.param("chapterId"), c.takeLimit)
	return quizAnswer{quizOf(quiz)}, err
}

func (a *api) generateQuiz(c *call, in quizRequest) (quizAnswer, error) {
	quiz, err := a.platform.RewriteQuiz(c.Context(), c.actor, in.CourseID, in.ChapterID)
	return quizAnswer{quizOf(quiz)}, err
}

func quizOf(q learning.Quiz) quizJSON {
	out := quizJSON{
		ID: q.ID, CourseID: q.CourseID, ChapterID: q.ChapterID, ChapterTitle: q.ChapterTitle, CourseTitle: q.CourseTitle,
		Version: q.Version, Questions: make([]questionJSON, len(q.Questions)), CreatedAt: instant(q.CreatedAt), UpdatedAt: instant(q.UpdatedAt),
	}
	for i, question := range q.Questions {
		out.Questions[i] = questionJSON{question.Text, question.Options, nil}
		if s := question.Solution; s != nil {
			out.Questions[i].solutionJSON = &solutionJSON{s.Correct, s.Explanation}
		}
	}
	return out
}
