package learning

import (
	"context"
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
)

// Limits of the request to the AI.
const (
	askedQuestions  = 10  // of the MaxQuestions that an answer may have
	maxQuizLectures = 100 // whose titles are in the prompt: they bound its length
)

// writtenQuiz is a quiz as the AI writes it.
type writtenQuiz struct {
	Questions []writtenQuestion `json:"questions" jsonschema:"minItems=1,maxItems=20"`
}

// writtenQuestion is a question with its solution. Its limits are those of a [Question].
type writtenQuestion struct {
	Question     string   `json:"question" jsonschema:"minLength=1,maxLength=1000"`
	Options      []string `json:"options" jsonschema:"minItems=4,maxItems=4"`
	CorrectIndex int      `json:"correctIndex" jsonschema:"minimum=0,maximum=3"`
	Explanation  string   `json:"explanation" jsonschema:"minLength=1,maxLength=2000"`
}

// quizFormat is the schema of the answer, with the rules of problems.
var quizFormat = newAIFormat("quiz", writtenQuiz.problems)

// problems returns the violations of rules that a schema cannot express, in words for the AI, which
// is asked once more to correct them. The schema limits the lengths of the question and the
// explanation, so the problem with these is that they are blank. It does not limit the options.
func (q writtenQuiz) problems() (all []string) {
	for i, w := range q.Questions {
		if !text.Is(w.Question, 1, MaxQuestionText) || !text.Is(w.Explanation, 1, MaxExplanation) {
			all = append(all, fmt.Sprintf("questions/%d: the question or the explanation is blank",
				i))
		}
		seen := map[string]bool{} // the options without spaces around them
		for _, option := range w.Options {
			if !text.Is(option, 1, MaxOptionText) {
				all = append(all,
					fmt.Sprintf("questions/%d: an option is blank, or longer than %d characters", i,
						MaxOptionText))
			}
			seen[strings.TrimSpace(option)] = true
		}
		if len(seen) != QuestionOptions { // there are that many by the schema, so some are equal
			all = append(all, fmt.Sprintf("questions/%d: the options are not all different", i))
		}
	}
	return all
}

// questions returns the questions as they are stored, with trimmed texts, and with ids that no
// other question of the chapter has had, because figures of questions are kept by their ids.
func (q writtenQuiz) questions() []Question {
	list := make([]Question, len(q.Questions))
	for i, w := range q.Questions {
		options := make([]string, len(w.Options))
		for j, option := range w.Options {
			options[j] = strings.TrimSpace(option)
		}
		q := NewQuestion(i, strings.TrimSpace(w.Question), options, w.CorrectIndex,
			strings.TrimSpace(w.Explanation))
		list[i] = q.withChanceIDs()
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
	askedQuestions, QuestionOptions, QuestionOptions-1)

// askForQuestions returns the questions that the AI writes for a chapter, with their solutions. The
// tokens are counted for the actor. Its errors are those of askJSON.
func (p *Platform) askForQuestions(ctx context.Context, actor core.Actor, course catalog.Course,
	chapter catalog.Chapter) ([]Question, error) {
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
	quiz, err := askJSON(ctx, p, actor, quizFormat,
		AIRequest{Messages: []AIMessage{{AISystem, quizInstructions}, {AIUser, data}}})
	if err != nil {
		return nil, err
	}
	return quiz.questions(), nil
}
