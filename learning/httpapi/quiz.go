package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/assess"
)

// quizJSON is a quiz (docs/api.md §12).
type quizJSON struct {
	ID           string             `json:"_id"`
	CourseID     string             `json:"courseId"`
	ChapterID    string             `json:"chapterId"`
	ChapterTitle string             `json:"chapterTitle"`
	CourseTitle  string             `json:"courseTitle"`
	Version      int64              `json:"version" doc:"Send it back with the answers."`
	Questions    []quizQuestionJSON `json:"questions" doc:"The questions, in order."`
	CreatedAt    instant            `json:"createdAt"`
	UpdatedAt    instant            `json:"updatedAt"`

	Settings *quizSettingsJSON `json:"settings,omitempty" doc:"Only of a draft that is not stored: those of the present quiz."`
}

// quizQuestionJSON has CorrectIndex and Explanation for the owner of the course only.
type quizQuestionJSON struct {
	Question     string   `json:"question" doc:"The question, plain text."`
	Options      []string `json:"options" doc:"Four, plain text. An answer is the index of one."`
	CorrectIndex *int     `json:"correctIndex,omitempty" doc:"The index of the correct option, from 0. Only the owner of the course gets it."`
	Explanation  *string  `json:"explanation,omitempty" doc:"Why the option is correct. Only the owner of the course gets it."`

	Kind   string      `json:"kind,omitempty" jsonschema:"enum=single" doc:"Only of a draft that is not stored."`
	Answer *answerJSON `json:"answer,omitempty" doc:"Only of a draft that is not stored: the index of the correct option."`
	Points int         `json:"points,omitempty" doc:"Only of a draft that is not stored."`
}

type quizAnswer struct {
	Quiz quizJSON `json:"quiz" doc:"The quiz. Students get the questions without the solutions."`
}

type quizRequest struct {
	CourseID  string `json:"courseId" jsonschema:"minLength=1,maxLength=200"`
	ChapterID string `json:"chapterId" jsonschema:"minLength=1,maxLength=100"`
}

// getQuiz answers the quiz of a chapter, which the AI writes if there is none. Only then it takes a
// token of the limit: if several callers wait for the same quiz, the token of one of them.
func (a *api) getQuiz(w http.ResponseWriter, c *call) error {
	// The platform calls admit if this caller is the one who makes the AI write the quiz.
	quiz, err := a.platform.Tutor.Quiz(c.Context(), c.actor, c.Param("courseId"),
		c.Param("chapterId"),
		c.admit)
	c.writeQuota(w) // nothing if admit was not called
	if err != nil {
		return err
	}
	return c.writeSuccess(w, quizAnswer{quizOf(quiz)})
}

// generateQuiz lets the AI write the quiz of a chapter anew, and answers it. A draft, which is not
// stored, also has what saveQuiz needs, so that it can be sent back as it is. If there is an error,
// the answer is not sent.
func (a *api) generateQuiz(c *call, in quizRequest) (quizAnswer, error) {
	quiz, err := a.platform.Tutor.RewriteQuiz(c.Context(), c.actor, in.CourseID, in.ChapterID)
	out := quizOf(quiz)
	if err == nil && quiz.ByHand {
		out.Settings = new(quizSettingsOf(quiz.Settings))
		for i, q := range quiz.Questions {
			one := &out.Questions[i]
			one.Kind, one.Points = string(q.Kind), q.Points
			one.Answer = &answerJSON{float64(*one.CorrectIndex)}
		}
	}
	return quizAnswer{out}, err
}

// quizOf returns the wire shape of a quiz. A question has its solution only if the platform shows
// it to the caller.
func quizOf(q assess.Quiz) quizJSON {
	out := quizJSON{
		ID: q.ID, CourseID: q.CourseID, ChapterID: q.ChapterID, ChapterTitle: q.ChapterTitle,
		CourseTitle: q.CourseTitle,
		Version:     q.Version, Questions: make([]quizQuestionJSON, len(q.Questions)),
		CreatedAt: instant(q.CreatedAt), UpdatedAt: instant(q.UpdatedAt),
	}
	for i, question := range q.Questions {
		out.Questions[i] = quizQuestionJSON{Question: question.Text}
		for _, option := range question.Options {
			out.Questions[i].Options = append(out.Questions[i].Options, option.Text)
		}
		if s := question.Solution; s != nil {
			out.Questions[i].CorrectIndex = new(question.OptionIndex(s.Answer))
			out.Questions[i].Explanation = &s.Explanation
		}
	}
	return out
}
