package httpapi

import (
	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/learning/assess"
)

// maxQuiz is the largest JSON body with a quiz or with answers, in bytes.
const maxQuiz = 1 << 20

// saveQuizRequest is a quiz that is written by hand (docs/api.md §12).
type saveQuizRequest struct {
	_ struct{} `doc:"A quiz that is written by hand."`

	Version   *int64           `json:"version,omitempty" doc:"The version of the quiz that the caller has read, 0 for none. Without it the quiz replaces any."`
	Questions []newQuestion    `json:"questions" jsonschema:"minItems=1,maxItems=500" doc:"The questions, in order."`
	Settings  quizSettingsJSON `json:"settings,omitempty" doc:"How the quiz is taken."`
	Remark    remarkJSON       `json:"remark,omitempty" doc:"Whether the attempts of before are marked anew, by scheduled work: true so that no percentage falls, or 'all'."`
}

// remarkJSON says whether attempts are marked anew: a boolean, or "all".
type remarkJSON assess.Remark

// Fill implements [schemas.Filler].
func (r *remarkJSON) Fill(tree any) error {
	switch tree {
	case true:
		*r = remarkJSON(assess.RemarkUp)
	case "all":
		*r = remarkJSON(assess.RemarkAll)
	}
	return nil
}

// JSONSchema lists the values.
func (remarkJSON) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "boolean"},
		{Type: "string", Enum: []any{string(assess.RemarkAll)}}}}
}

type quizSettingsJSON struct {
	_ struct{} `doc:"How a quiz is taken. What is missing does not apply."`

	Draw        int    `json:"draw,omitempty" jsonschema:"minimum=1,maximum=500" doc:"How many of the questions an attempt has, drawn by chance."`
	Shuffle     bool   `json:"shuffle,omitempty" doc:"Whether each attempt shows questions and options in another order."`
	Minutes     int    `json:"minutes,omitempty" jsonschema:"minimum=1,maximum=10000" doc:"The time of an attempt."`
	Attempts    int    `json:"attempts,omitempty" jsonschema:"minimum=1,maximum=1000" doc:"How many attempts a student has."`
	PassPercent *int   `json:"passPercent,omitempty" jsonschema:"minimum=0,maximum=100" doc:"The least rounded percentage that is a pass. 50 if missing."`
	Review      string `json:"review,omitempty" jsonschema:"enum=always,enum=passed,enum=never" doc:"When students see the solutions after an attempt. 'never' if missing."`
}

// editableQuizJSON is a quiz as its editors see it.
type editableQuizJSON struct {
	_ struct{} `doc:"A quiz as the educator of the course and admins see it."`

	ID           string               `json:"_id"`
	CourseID     string               `json:"courseId"`
	ChapterID    string               `json:"chapterId"`
	ChapterTitle string               `json:"chapterTitle"`
	CourseTitle  string               `json:"courseTitle"`
	Version      int64                `json:"version" doc:"It grows with each change."`
	Questions    []solvedQuestionJSON `json:"questions" doc:"The questions, in order."`
	Settings     quizSettingsJSON     `json:"settings" doc:"How the quiz is taken."`
	CreatedAt    instant              `json:"createdAt"`
	UpdatedAt    instant              `json:"updatedAt"`
}

// solvedQuestionJSON is a question with its solution.
type solvedQuestionJSON struct {
	_ struct{} `doc:"A question with its solution."`

	askedQuestionJSON
	Answer      answerJSON `json:"answer" doc:"What is right: the id of an option for 'single', a list of them for 'multiple', a boolean for 'true-false', a number for 'number', a list of texts for 'text'."`
	Tolerance   float64    `json:"tolerance,omitempty" doc:"How far a right number may be from 'answer'."`
	Points      int        `json:"points" doc:"For the right answer."`
	Explanation string     `json:"explanation" doc:"Why it is right, plain text."`
}

type editableQuizAnswer struct {
	Quiz editableQuizJSON `json:"quiz"`
}

// editableQuiz answers the quiz of a chapter with its solutions.
func (a *api) editableQuiz(c *call, _ none) (editableQuizAnswer, error) {
	q, err := a.platform.Assess.EditableQuiz(c.Context(), c.actor, c.Param("courseId"),
		c.Param("chapterId"))
	return editableQuizOf(q, err)
}

// saveQuiz stores a quiz that is written by hand, and answers it.
func (a *api) saveQuiz(c *call, in saveQuizRequest) (editableQuizAnswer, error) {
	s := in.Settings
	e := assess.QuizEdit{CourseID: c.Param("courseId"), ChapterID: c.Param("chapterId"),
		Version: in.Version, Remark: assess.Remark(in.Remark), Settings: assess.QuizSettings{
			Draw: s.Draw, Shuffle: s.Shuffle, Minutes: s.Minutes, Attempts: s.Attempts,
			PassPercent: assess.DefaultQuizSettings.PassPercent,
			Review:      assess.DefaultQuizSettings.Review,
		}}
	if s.PassPercent != nil {
		e.Settings.PassPercent = *s.PassPercent
	}
	if s.Review != "" {
		e.Settings.Review = assess.QuizReview(s.Review)
	}
	for _, q := range in.Questions {
		e.Questions = append(e.Questions, questionOf(q))
	}
	return editableQuizOf(a.platform.Assess.SaveQuiz(c.Context(), c.actor, e))
}

// deleteQuiz deletes the quiz of a chapter.
func (a *api) deleteQuiz(c *call, _ none) (none, error) {
	return none{}, a.platform.Assess.DeleteQuiz(c.Context(), c.actor, c.Param("courseId"),
		c.Param("chapterId"))
}

// editableQuizOf returns the answer with a quiz, unless there is an error.
func editableQuizOf(q assess.Quiz, err error) (editableQuizAnswer, error) {
	if err != nil {
		return editableQuizAnswer{}, err
	}
	out := editableQuizJSON{
		ID: q.ID, CourseID: q.CourseID, ChapterID: q.ChapterID, ChapterTitle: q.ChapterTitle,
		CourseTitle: q.CourseTitle, Version: q.Version,
		Settings:  quizSettingsOf(q.Settings),
		CreatedAt: instant(q.CreatedAt), UpdatedAt: instant(q.UpdatedAt),
	}
	for _, question := range q.Questions {
		out.Questions = append(out.Questions, solvedQuestionJSON{
			askedQuestionJSON: askedOf(question),
			Answer:            answerJSON{question.Solution.Answer},
			Tolerance:         question.Solution.Tolerance,
			Points:            question.Points,
			Explanation:       question.Solution.Explanation,
		})
	}
	return editableQuizAnswer{out}, nil
}

// quizSettingsOf returns the wire shape of settings.
func quizSettingsOf(s assess.QuizSettings) quizSettingsJSON {
	return quizSettingsJSON{Draw: s.Draw, Shuffle: s.Shuffle, Minutes: s.Minutes,
		Attempts: s.Attempts, PassPercent: &s.PassPercent, Review: string(s.Review)}
}
