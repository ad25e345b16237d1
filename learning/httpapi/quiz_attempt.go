package httpapi

import (
	"errors"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

// attemptJSON is an attempt at a quiz (docs/api.md §12).
type attemptJSON struct {
	_ struct{} `doc:"An attempt at a quiz, with the questions that were given."`

	ID          string              `json:"_id"`
	CourseID    string              `json:"courseId"`
	ChapterID   string              `json:"chapterId"`
	Questions   []askedQuestionJSON `json:"questions" doc:"In the order in which they are to be shown."`
	Answers     answersJSON         `json:"answers" doc:"The saved answers, by the id of the question."`
	StartedAt   instant             `json:"startedAt" doc:"When it began."`
	EndsAt      *instant            `json:"endsAt" jsonschema:"nullable" doc:"From then on answers do not count. Null if there is no end."`
	Left        *int                `json:"attemptsLeft" jsonschema:"nullable" doc:"How many attempts the caller has after this one. Null if there is no limit."`
	SubmittedAt *instant            `json:"submittedAt" jsonschema:"nullable" doc:"When it was marked. Null while it is open."`
}

func attemptOf(a assess.QuizAttempt) attemptJSON {
	out := attemptJSON{
		ID: a.ID, CourseID: a.CourseID, ChapterID: a.ChapterID,
		Questions: make([]askedQuestionJSON, len(a.Questions)), Answers: a.Answers,
		StartedAt: instant(a.StartedAt), EndsAt: nullableTime(a.EndsAt), Left: a.Left,
		SubmittedAt: nullableTime(a.SubmittedAt),
	}
	for i, q := range a.Questions {
		out.Questions[i] = askedOf(q)
	}
	return out
}

// attemptResultJSON is the result of an attempt.
type attemptResultJSON struct {
	_ struct{} `doc:"The result of an attempt."`

	quizMarkJSON
	Passed    bool                   `json:"passed" doc:"Whether the percentage reached that of the quiz."`
	Questions []answeredQuestionJSON `json:"questions,omitempty" doc:"The solutions, if the quiz shows them after this attempt."`
}

// answeredQuestionJSON is a question with its solution after an attempt.
type answeredQuestionJSON struct {
	_ struct{} `doc:"A question after an attempt, with its solution."`

	ID          string     `json:"questionId" doc:"Unique within the quiz."`
	Given       answerJSON `json:"given" doc:"What was answered, or null."`
	Answer      answerJSON `json:"answer" doc:"What is right."`
	IsCorrect   bool       `json:"isCorrect" doc:"Whether the answer was right. No answer is not."`
	Points      int        `json:"points" doc:"For the right answer."`
	Explanation string     `json:"explanation" doc:"Why it is right, plain text."`
}

// answeredOf returns the wire shape of the questions of a result, or nil if it has none. shape
// returns an answer as the route writes it.
func answeredOf(list []assess.AnsweredQuestion,
	shape func(assess.Question, assess.Answer) any) (out []answeredQuestionJSON) {
	for _, q := range list {
		out = append(out, answeredQuestionJSON{
			ID:          q.ID,
			Given:       answerJSON{shape(q.Question, q.Given)},
			Answer:      answerJSON{shape(q.Question, q.Solution.Answer)},
			IsCorrect:   q.IsRight,
			Points:      q.Points,
			Explanation: q.Solution.Explanation,
		})
	}
	return out
}

func attemptResultOf(r assess.QuizResult) attemptResultJSON {
	return attemptResultJSON{quizMarkJSON: quizMarkOf(r), Passed: r.Passed,
		Questions: answeredOf(r.Questions,
			func(_ assess.Question, a assess.Answer) any { return a })}
}

type attemptAnswer struct {
	Attempt attemptJSON `json:"attempt"`
}

// startAttempt begins an attempt, or answers the open one of the caller.
func (a *api) startAttempt(c *call, in quizRequest) (attemptAnswer, error) {
	attempt, err := a.platform.Assess.StartAttempt(c.Context(), c.actor, in.CourseID, in.ChapterID)
	return attemptAnswer{attemptOf(attempt)}, err
}

// listedAttemptJSON is an attempt in the list of those of the caller.
type listedAttemptJSON struct {
	_ struct{} `doc:"An attempt at a quiz. While it is open it has no result."`

	ID          string   `json:"_id"`
	StartedAt   *instant `json:"startedAt" jsonschema:"nullable" doc:"When it began. Null if it was not stored then; it cannot be read on its own."`
	EndsAt      *instant `json:"endsAt" jsonschema:"nullable" doc:"From then on answers do not count. Null if there is no end."`
	SubmittedAt *instant `json:"submittedAt" jsonschema:"nullable" doc:"When it was marked. Null while it is open."`
	Score       *int     `json:"score,omitempty" doc:"The points of the correct answers."`
	Total       *int     `json:"total,omitempty" doc:"The points of all questions."`
	Percentage  *int     `json:"percentage,omitempty"`
	Passed      *bool    `json:"passed,omitempty" doc:"Whether the percentage reached that of the quiz."`
}

func listedAttemptOf(a assess.AttemptState) listedAttemptJSON {
	out := listedAttemptJSON{ID: a.ID, StartedAt: nullableTime(a.StartedAt),
		EndsAt: nullableTime(a.EndsAt), SubmittedAt: nullableTime(a.SubmittedAt)}
	if r := a.Result; r != nil {
		out.Score, out.Total = &r.Score, &r.Total
		out.Percentage, out.Passed = &r.Percentage, &r.Passed
	}
	return out
}

// quizOutlineJSON is what a student may know of a quiz before an attempt.
type quizOutlineJSON struct {
	_ struct{} `doc:"What the next attempt at a quiz will be."`

	ChapterTitle string `json:"chapterTitle"`
	Questions    int    `json:"questions" doc:"How many questions an attempt has."`
	Points       int    `json:"points,omitempty" doc:"The points of all questions of an attempt. Missing if they depend on the questions that are drawn."`
	Minutes      int    `json:"minutes,omitempty" doc:"The time of an attempt. Missing if there is no limit."`
	Attempts     int    `json:"attempts,omitempty" doc:"How many attempts a student has. Missing if there is no limit."`
	PassPercent  int    `json:"passPercent" doc:"The least rounded percentage that is a pass."`
	Review       string `json:"review" jsonschema:"enum=always,enum=passed,enum=never" doc:"When students see the solutions after an attempt."`
	NeedsAttempt bool   `json:"needsAttempt" doc:"Whether the quiz can only be taken by an attempt: 'GET /api/quiz/:courseId/:chapterId' is 409 then."`
}

func quizOutlineOf(q *assess.QuizOutline) *quizOutlineJSON {
	if q == nil {
		return nil
	}
	s := q.Settings
	return &quizOutlineJSON{ChapterTitle: q.ChapterTitle, Questions: q.Questions, Points: q.Points,
		Minutes: s.Minutes, Attempts: s.Attempts, PassPercent: s.PassPercent,
		Review: string(s.Review), NeedsAttempt: q.NeedsAttempt}
}

type attemptsAnswer struct {
	Quiz     *quizOutlineJSON    `json:"quiz" jsonschema:"nullable" doc:"Null if the chapter has no quiz, and if the caller is not enrolled any more."`
	Left     *int                `json:"attemptsLeft" jsonschema:"nullable" doc:"How many attempts the caller can still begin. Null if there is no limit or no quiz."`
	Attempts []listedAttemptJSON `json:"attempts" doc:"The open attempt, and then the others, the newest first."`
	Next     *string             `json:"nextCursor" jsonschema:"nullable"`
}

// listAttempts answers what a quiz is, and a page of the caller's attempts at it.
func (a *api) listAttempts(c *call, _ none) (attemptsAnswer, error) {
	page, err := pageOf(c, maxPageRows)
	if err != nil {
		return attemptsAnswer{}, err
	}
	query := c.URL.Query()
	found, err := a.platform.Assess.QuizAttempts(c.Context(), c.actor, query.Get("courseId"),
		query.Get("chapterId"), page)
	return attemptsAnswer{
		Quiz:     quizOutlineOf(found.Quiz),
		Left:     found.Left,
		Attempts: shaped(found.List.Rows, listedAttemptOf),
		Next:     cursorOf(c, found.List.Next),
	}, err
}

type attemptStateAnswer struct {
	Attempt attemptJSON        `json:"attempt"`
	Result  *attemptResultJSON `json:"result" jsonschema:"nullable" doc:"Null while the attempt is open."`
}

// getAttempt answers an attempt of the caller, with its result if it is marked.
func (a *api) getAttempt(c *call, _ none) (attemptStateAnswer, error) {
	state, err := a.platform.Assess.Attempt(c.Context(), c.actor, c.Param("attemptId"))
	answer := attemptStateAnswer{Attempt: attemptOf(state.QuizAttempt)}
	if state.Result != nil {
		answer.Result = new(attemptResultOf(*state.Result))
	}
	return answer, err
}

// studentAttemptJSON is a submitted attempt as the educator of the course sees it.
type studentAttemptJSON struct {
	attemptJSON
	StudentID string `json:"studentId"`
}

type studentAttemptAnswer struct {
	Attempt studentAttemptJSON `json:"attempt"`
	Result  attemptResultJSON  `json:"result" doc:"With the solutions, and what the student has given."`
}

// studentAttempt answers a submitted attempt of a student with its solutions.
func (a *api) studentAttempt(c *call, _ none) (studentAttemptAnswer, error) {
	state, err := a.platform.Assess.StudentAttempt(c.Context(), c.actor, c.Param("attemptId"))
	if err != nil {
		return studentAttemptAnswer{}, err
	}
	return studentAttemptAnswer{
		Attempt: studentAttemptJSON{attemptOf(state.QuizAttempt), state.UserID},
		Result:  attemptResultOf(*state.Result),
	}, nil
}

type saveAnswersRequest struct {
	Answers answersJSON `json:"answers" doc:"By the id of the question: the id of an option, a list of them, a boolean, a number or a text. Null removes one, and those that are not sent stay."`
}

// saveAnswers saves answers of an attempt of the caller. The answer has no fields.
func (a *api) saveAnswers(c *call, in saveAnswersRequest) (none, error) {
	return none{}, c.judged(a.platform.Assess.SaveAnswers(c.Context(), c.actor,
		c.Param("attemptId"),
		c.judgedAnswers(in.Answers)))
}

// invalidAnswers are answers that no attempt takes while answers count: no question has this id.
var invalidAnswers = map[string]assess.Answer{"": false}

// judgedAnswers returns the answers of a body. Those of one that is not valid are invalid answers,
// so that the platform decides, by the state of the attempt that it has locked, whether they count.
func (c *call) judgedAnswers(in answersJSON) map[string]assess.Answer {
	if c.bodyErr != nil {
		return invalidAnswers
	}
	return in
}

// judged returns the error of an operation, or why the body is not valid if the operation has
// refused invalidAnswers.
func (c *call) judged(err error) error {
	if c.bodyErr != nil && errors.Is(err, core.ErrInvalidRequest) {
		return c.bodyErr
	}
	return err
}

type submitAttemptRequest struct {
	Answers answersJSON `json:"answers,omitempty" doc:"As for saving. They are ignored after the end."`
}

type attemptResultAnswer struct {
	Result attemptResultJSON `json:"result"`
}

// submitAttempt marks an attempt of the caller, once, and answers the result.
func (a *api) submitAttempt(c *call, in submitAttemptRequest) (attemptResultAnswer, error) {
	r, err := a.platform.Assess.SubmitAttempt(c.Context(), c.actor, c.Param("attemptId"),
		c.judgedAnswers(in.Answers))
	return attemptResultAnswer{attemptResultOf(r)}, c.judged(err)
}
