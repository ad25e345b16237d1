package tutor

import (
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/assess"
)

// Limits of what the tutor is told of a quiz.
const (
	tutorWrong    = 20  // questions that were wrong
	tutorQuestion = 300 // code points of a question, an answer and an explanation each
)

// tutorQuizInstructions are added to the system message if the data has a result of a quiz.
const tutorQuizInstructions = `
The data has the student's latest result of the quiz of this chapter, and, if the student may see them, questions that were answered wrong. Explain what belongs to them where the question of the student is about it. Tell no right answer that the data does not have, because the student may be asked the same question again.`

// quizData returns a result as data for the prompt.
func quizData(r *assess.ReviewedResult) map[string]any {
	data := map[string]any{"percentage": r.Percentage, "passed": r.Passed,
		"takenAt": r.CreatedAt}
	var wrong []map[string]any
	for _, q := range r.Wrong[:min(len(r.Wrong), tutorWrong)] {
		one := map[string]any{"question": text.Truncate(q.Text, tutorQuestion)}
		if s := q.Solution; s != nil {
			one["rightAnswer"] = text.Truncate(q.TextOf(s.Answer), tutorQuestion)
			one["explanation"] = text.Truncate(s.Explanation, tutorQuestion)
		}
		wrong = append(wrong, one)
	}
	if wrong != nil {
		data["wrongQuestions"] = wrong
	}
	return data
}
