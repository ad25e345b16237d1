package tutor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Quiz returns the quiz of a chapter, for students enrolled in the course and for its
// owner. Only the owner sees the solutions. If there is no quiz, one call to the AI
// writes it; concurrent callers, also those of other instances, wait for that call.
// admit, if not nil, decides whether this caller may begin the call.
//
// Errors: [core.ErrUnauthenticated], [catalog.ErrCourseNotFound], [study.ErrNotPurchased],
// [assess.ErrChapterNotFound], [assess.ErrQuizNotFound] if the quiz was deleted by hand,
// [assess.ErrAttemptNeeded] for a quiz that can only be taken by [assess.Service.StartAttempt],
// those of admit, and those of the AI: [ErrAINotConfigured], [ErrAIBusy], [ErrAIBudget].
func (s *Service) Quiz(ctx context.Context, actor core.Actor, courseID, chapterID string,
	admit Admission) (assess.Quiz, error) {
	// The owner may see the quiz, or an enrolled user without the solutions. A public error says
	// that the actor is not the owner; any other is a failure.
	course, err := s.catalog.OwnCourse(ctx, actor, courseID)
	isOwner := err == nil
	if !isOwner && core.IsPublic(err) {
		var enrolled study.EnrolledCourse
		enrolled, err = s.study.EnrolledIn(ctx, actor, courseID)
		course = enrolled.Course
		if err == nil {
			err = s.study.RequireChapter(ctx, actor, courseID, chapterID)
		}
	}
	if err != nil {
		return assess.Quiz{}, err
	}

	// Read the quiz. If there is none, write it or wait for the caller that writes it.
	q, err := s.assess.QuizOf(ctx, courseID, chapterID)
	if errors.Is(err, core.ErrNoRecord) {
		var byHand bool
		byHand, err = s.assess.QuizByHand(ctx, courseID, chapterID)
		if err == nil && byHand {
			err = assess.ErrQuizNotFound
		}
		if err != nil {
			return assess.Quiz{}, err
		}
		const anyVersion = 0 // the first is 1
		q, err = s.findOrCreateQuiz(ctx, actor, course, chapterID, anyVersion, admit)
	}
	if err != nil {
		return assess.Quiz{}, core.Wrap("read a quiz", err)
	}
	if !q.IsSimple() {
		return assess.Quiz{}, assess.ErrAttemptNeeded
	}
	if !isOwner {
		q.Questions = assess.WithoutSolutions(q.Questions)
	}
	return q, nil
}

// RewriteQuiz replaces the quiz of a chapter by a new one, or writes the first one, for the owner
// of the course. Concurrent callers share one call to the AI. If the quiz was saved or deleted by
// hand, nothing is stored: the new questions are a draft, which the caller may save. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [catalog.ErrCourseNotFound],
// [assess.ErrChapterNotFound], and those of the AI as with [Service.Quiz].
func (s *Service) RewriteQuiz(ctx context.Context, actor core.Actor,
	courseID, chapterID string) (assess.Quiz, error) {
	course, err := s.catalog.OwnCourse(ctx, actor, courseID)
	if err != nil {
		return assess.Quiz{}, err
	}

	// Write a quiz with a later version than the present one, or the first if there is none. There
	// is no Admission: unlike with Quiz, each call needs an answer of the AI, its own or a shared
	// one, so a host can limit the calls before.
	old, err := s.assess.QuizOf(ctx, courseID, chapterID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return assess.Quiz{}, fmt.Errorf("read a quiz: %w", err)
	}
	byHand, err := s.assess.QuizByHand(ctx, courseID, chapterID)
	if err != nil {
		return assess.Quiz{}, err
	}
	if byHand {
		return s.draftQuiz(ctx, actor, course, chapterID, old)
	}
	var noAdmission Admission
	q, err := s.findOrCreateQuiz(ctx, actor, course, chapterID, old.Version, noAdmission)
	switch {
	case errors.Is(err, assess.ErrQuizNotFound): // deleted by hand meanwhile
		return s.draftQuiz(ctx, actor, course, chapterID, assess.Quiz{})
	case err == nil && q.ByHand: // saved by hand meanwhile
		return s.draftQuiz(ctx, actor, course, chapterID, q)
	}
	return q, core.Wrap("write a quiz anew", err)
}

// draftQuiz returns the quiz of a chapter with new questions of the AI and the present settings,
// and stores nothing. old is the present quiz, or zero.
func (s *Service) draftQuiz(ctx context.Context, actor core.Actor, course catalog.Course,
	chapterID string,
	old assess.Quiz) (assess.Quiz, error) {
	chapter, err := s.assess.Chapter(ctx, course.ID, chapterID)
	if err != nil {
		return assess.Quiz{}, err
	}
	if s.ai == nil {
		return assess.Quiz{}, ErrAINotConfigured
	}
	draft := assess.Quiz{ID: old.ID, CourseID: course.ID, ChapterID: chapterID,
		CourseTitle: course.Title, ChapterTitle: chapter.Title, Version: old.Version,
		Settings: old.Settings, ByHand: true, CreatedAt: s.base.Now(), UpdatedAt: s.base.Now()}
	if old.ID == "" { // it was deleted, with its settings
		draft.Settings = assess.DefaultQuizSettings
	}
	draft.Questions, err = s.askForQuestions(ctx, actor, course, chapter)
	// The draft can be saved as it is: no more questions can be drawn than it has.
	draft.Settings.Draw = min(draft.Settings.Draw, len(draft.Questions))
	return draft, core.Wrap("draft a quiz", err)
}

// findOrCreateQuiz returns the quiz of a chapter with a version after the given one. If
// there is none, it writes the quiz or waits for a concurrent call, of any instance, that does.
// admit is asked before this caller writes it; nil admits everybody. Errors:
// [catalog.ErrCourseNotFound], [assess.ErrChapterNotFound], those of admit, and those of the AI.
func (s *Service) findOrCreateQuiz(ctx context.Context, actor core.Actor, course catalog.Course,
	chapterID string, after int64, admit Admission) (assess.Quiz, error) {
	chapter, err := s.assess.Chapter(ctx, course.ID, chapterID)
	if err != nil {
		return assess.Quiz{}, err
	}
	if s.ai == nil { // before admit is asked, which may count the call
		return assess.Quiz{}, ErrAINotConfigured
	}
	return findOrCreate(ctx, s, "quiz:"+course.ID+":"+chapterID, recordSource[assess.Quiz]{
		find: func(ctx context.Context) (assess.Quiz, error) {
			return s.newerQuiz(ctx, course.ID, chapterID, after)
		},
		admit: admit,
		create: func(ctx context.Context) error {
			return s.createQuiz(ctx, actor, course, chapter)
		},
	})
}

// newerQuiz reads the quiz of a chapter. It returns [core.ErrNoRecord] unless its version is
// after the given one.
func (s *Service) newerQuiz(ctx context.Context, courseID, chapterID string,
	after int64) (assess.Quiz, error) {
	q, err := s.assess.QuizOf(ctx, courseID, chapterID)
	if err == nil && q.Version <= after {
		err = core.ErrNoRecord
	}
	return q, err
}

// createQuiz lets the AI write the quiz of a chapter in the name of actor, whose tokens are spent,
// and stores it.
func (s *Service) createQuiz(ctx context.Context, actor core.Actor, course catalog.Course,
	chapter catalog.Chapter) error {
	questions, err := s.askForQuestions(ctx, actor, course, chapter)
	if err != nil {
		return err
	}
	err = s.assess.StoreQuestions(ctx,
		assess.Quiz{CourseID: course.ID, ChapterID: chapter.ID, ChapterTitle: chapter.Title,
			Questions: questions})
	if !errors.Is(err, assess.ErrQuizNotFound) {
		return err
	}
	// One that was saved by hand meanwhile is what the callers get.
	_, readErr := s.assess.QuizOf(ctx, course.ID, chapter.ID)
	if errors.Is(readErr, core.ErrNoRecord) {
		return err
	}
	return core.Wrap("read a quiz", readErr)
}

// Limits of the request to the AI.
const (
	askedQuestions  = 10  // of the MaxQuestions that an answer may have
	maxQuizLectures = 100 // whose titles are in the prompt: they bound its length
)

// writtenQuiz is a quiz as the AI writes it.
type writtenQuiz struct {
	Questions []writtenQuestion `json:"questions" jsonschema:"minItems=1,maxItems=20"`
}

// writtenQuestion is a question with its solution. Its limits are those of a [assess.Question].
type writtenQuestion struct {
	Question     string   `json:"question" jsonschema:"minLength=1,maxLength=1000"`
	Options      []string `json:"options" jsonschema:"minItems=4,maxItems=4"`
	CorrectIndex int      `json:"correctIndex" jsonschema:"minimum=0,maximum=3"`
	Explanation  string   `json:"explanation" jsonschema:"minLength=1,maxLength=2000"`
}

// quizFormat is the schema of the answer, with the rules of problems.
var quizFormat = newAIFormat("quiz", writtenQuiz.problems)

// problems returns the violations of rules that a schema cannot express, in words for the AI, which
// is asked once more to correct them.
func (q writtenQuiz) problems() []string {
	list := make([]assess.Question, len(q.Questions))
	for i, w := range q.Questions {
		list[i] = assess.NewQuestion(i, w.Question, w.Options, w.CorrectIndex, w.Explanation)
	}
	return assess.WrittenProblems(list)
}

// questions returns the questions as they are stored, with trimmed texts, and with ids that no
// other question of the chapter has had, because figures of questions are kept by their ids.
func (q writtenQuiz) questions() []assess.Question {
	list := make([]assess.Question, len(q.Questions))
	for i, w := range q.Questions {
		options := make([]string, len(w.Options))
		for j, option := range w.Options {
			options[j] = strings.TrimSpace(option)
		}
		q := assess.NewQuestion(i, strings.TrimSpace(w.Question), options, w.CorrectIndex,
			strings.TrimSpace(w.Explanation))
		list[i] = q.WithChanceIDs()
	}
	return list
}

// quizInstructions is the system message. It contains no text of users.
var quizInstructions = fmt.Sprintf(
	`You write the quiz on one chapter of an online course, for students who have just worked through it.
The titles of the course, of the chapter and of its lectures follow as data. `+aiDataRule+`
Write %d questions on the subject of the chapter, in the language of the titles, from easy to hard. Each has %d options that are all different, of which exactly one is right. Vary the place of the right one.
Answer with one JSON object and nothing around it:
{"questions":[{"question":"…","options":["…","…","…","…"],"correctIndex":0,"explanation":"…"}]}
correctIndex is the index of the right option, an integer from 0 to %d. explanation says in one or two sentences why it is right.`,
	askedQuestions, assess.QuestionOptions, assess.QuestionOptions-1)

// askForQuestions returns the questions that the AI writes for a chapter, with their solutions. The
// tokens are counted for the actor. Its errors are those of askJSON.
func (s *Service) askForQuestions(ctx context.Context, actor core.Actor, course catalog.Course,
	chapter catalog.Chapter) ([]assess.Question, error) {
	titles := []string{} // not nil, which would be null in the prompt
	for _, l := range chapter.Lectures[:min(len(chapter.Lectures), maxQuizLectures)] {
		titles = append(titles, l.Title)
	}
	// Texts of users are data in the prompt, marked so that the AI does not obey them.
	data, err := aiData(map[string]any{"courseTitle": course.Title, "chapterTitle": chapter.Title,
		"lectureTitles": titles})
	if err != nil {
		return nil, err
	}

	// An answer that has passed the checks of quizFormat is usable as it is.
	quiz, err := askJSON(ctx, s, actor, quizFormat,
		AIRequest{Messages: []AIMessage{{AISystem, quizInstructions}, {AIUser, data}}})
	if err != nil {
		return nil, err
	}
	return quiz.questions(), nil
}
