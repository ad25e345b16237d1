package contracttest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// fixtureQuizzes holds quiz_go, which most cases use. quiz_gone is of a chapter that was removed.
// The text of a solution is nowhere else in the fixture, so that a test can find it in an answer
// that must not have it.
var fixtureQuizzes = []assess.Quiz{
	{ID: "quiz_go", CourseID: "course_go", ChapterID: "chapter_1", ChapterTitle: "First steps",
		Version: 3, Questions: fixtureQuestions([]int{2, 0, 3}, "What does <Go> *compile* to?",
			"Who is “the gopher”?", "Why? 🎓")},
	{ID: "quiz_gone", CourseID: "course_go", ChapterID: "chapter_0", ChapterTitle: "Left out since",
		Version: 1, Questions: fixtureQuestions([]int{1}, "Gone?")},
	{ID: "quiz_older", CourseID: "course_older", ChapterID: "chapter_1",
		ChapterTitle: "First steps", Version: 1, Questions: fixtureQuestions([]int{1, 1}, "Older?",
			"And wiser?")},
	{ID: "quiz_old", CourseID: "course_old", ChapterID: "chapter_2", ChapterTitle: "Nothing yet",
		Version: 7, Questions: fixtureQuestions([]int{3}, "Old?")},
	{ID: "quiz_bank", CourseID: "course_old", ChapterID: "chapter_1", ChapterTitle: "First steps",
		Version: 2, Questions: bankQuestions, ByHand: true,
		Settings: assess.QuizSettings{Attempts: 2, PassPercent: 60, Review: assess.ReviewNever}},
}

// bankQuestions are those of quiz_bank, which is by hand and needs an attempt. Its solutions are
// hidden, also those of the attempts.
var bankQuestions = []assess.Question{
	{ID: "capital", Kind: assess.TextQuestion, Text: "What is its capital?", Points: 2,
		Solution: &assess.Solution{Answer: []string{SecretSolution + " Paris"},
			Explanation: "Here " + SecretSolution + "."}},
	{ID: "pair", Kind: assess.MultipleChoice, Text: "Which?", Points: 1,
		Options: []assess.Choice{{ID: "a", Text: "A"}, {ID: "b", Text: "B"}},
		Solution: &assess.Solution{Answer: []string{"a", "b"},
			Explanation: "Here " + SecretSolution + "."}},
}

// fixtureAttempts are of questions that the quizzes had before. Only attempt_open shows its
// solutions after its end. The time of attempt_over is over.
var fixtureAttempts = []assess.QuizAttempt{
	{ID: "attempt_open", UserID: "traveller", CourseID: "course_old", ChapterID: "chapter_1",
		Number: 1, Version: 1, PassPercent: 50, Review: assess.ReviewPassed, Left: new(1),
		Answers: map[string]assess.Answer{"sum": 4.0}, StartedAt: day(29),
		Questions: []assess.Question{
			{ID: "sum", Kind: assess.NumberQuestion, Text: "2 + 2?", Points: 3,
				Solution: &assess.Solution{Answer: 4.0, Explanation: "Count <it>."}},
			{ID: "even", Kind: assess.TrueFalse, Text: "Is 3 even?", Points: 1,
				Solution: &assess.Solution{Answer: false, Explanation: "It is odd."}}}},
	{ID: "attempt_over", UserID: "collector", CourseID: "course_go", ChapterID: "chapter_0",
		Number: 1, Version: 1, PassPercent: 50, Review: assess.ReviewPassed,
		Answers:   map[string]assess.Answer{"pair": []string{"b", "a"}},
		StartedAt: day(29), EndsAt: day(30), Questions: bankQuestions},
	{ID: "attempt_secret", UserID: "collector", CourseID: "course_go", ChapterID: "chapter_1",
		Number: 1, Version: 1, PassPercent: 50, Review: assess.ReviewNever,
		StartedAt: day(29), Questions: bankQuestions},
}

// fixtureQuestions returns questions whose options are "Option A" and so on. right has the index of
// the right option of each.
func fixtureQuestions(right []int, texts ...string) (list []assess.Question) {
	options := []string{"Option A", "Option B", "Option C", "Option D"}
	for i, text := range texts {
		list = append(list, assess.NewQuestion(i, text, options, right[i],
			fmt.Sprintf("Here %s %c.", SecretSolution, 'A'+right[i])))
	}
	return list
}

// fixtureResults are attempts, each an hour after the previous one; the last two have the same
// time. One is of an earlier version, one of a deleted user.
var fixtureResults = []assess.QuizResult{
	{ID: "result_1", UserID: "collector", CourseID: "course_go", ChapterID: "chapter_1", Version: 2,
		Answers: []int{0, 1}, Score: 0, Total: 2},
	{ID: "result_2", UserID: "buyer_twice", CourseID: "course_go", ChapterID: "chapter_1",
		Version: 3, Answers: []int{2, 0, 3}, Score: 3, Total: 3},
	{ID: "result_3", UserID: "collector", CourseID: "course_go", ChapterID: "chapter_0", Version: 1,
		Answers: []int{1}, Score: 1, Total: 1},
	{ID: "result_4", UserID: "left_student", CourseID: "course_old", ChapterID: "chapter_2",
		Version: 7, Answers: []int{3}, Score: 1, Total: 1},
	{ID: "result_5", UserID: "collector", CourseID: "course_older", ChapterID: "chapter_1",
		Version: 1, Answers: []int{1, 0}, Score: 1, Total: 2},
	{ID: "result_6", UserID: "collector", CourseID: "course_go", ChapterID: "chapter_1", Version: 3,
		Answers: []int{2, 0, 0}, Score: 2, Total: 3},
	{ID: "result_7", UserID: "collector", CourseID: "course_go", ChapterID: "chapter_1", Version: 3,
		Answers: []int{2, 1, 0}, Score: 1, Total: 3},
}

// insertQuizzes stores the quizzes and the attempts of the fixture.
func insertQuizzes(ctx context.Context, tx learning.Tx) error {
	for _, q := range fixtureQuizzes {
		q.CreatedAt, q.UpdatedAt = day(5), day(6)
		if err := tx.InsertQuiz(ctx, q); err != nil {
			return err
		}
	}
	for _, a := range fixtureAttempts {
		if err := tx.InsertQuizAttempt(ctx, a); err != nil {
			return err
		}
	}
	for i, r := range fixtureResults {
		r.Percentage = (200*r.Score + r.Total) / (2 * r.Total) // 100*score/total, rounded
		r.Mastery = assess.MasteryOf(r.Percentage)
		r.Recommendations = "Look at **" + r.ChapterID + "** again."
		// The last two have the same time.
		r.CreatedAt = day(23).Add(time.Duration(min(i, len(fixtureResults)-2)) * time.Hour)
		if err := tx.InsertQuizResult(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// fixtureAI returns the option for an AI that does not retry, so that no case waits.
func fixtureAI(t *testing.T, sb *sandbox.Sandbox) learning.Option {
	t.Helper()
	model, err := ai.New(sb.Config().URL+"/v1", AIAPIKey, sandbox.AIModel, ai.WithRetries(0))
	check(t, err)
	return learning.WithAI(model)
}

// aiAnswers are the answers that a case can make the AI give, by name.
var aiAnswers = map[string]string{
	"prose":   "Certainly! Here is your quiz.",
	"a blank": " \n ",
	"lines":   "One\nTwo\r\n\r\nevent: done\rdata: {}\n\n Three \u2028\u2029<b>&",
	"Markdown": "## Advice\n\nHere is what helps:\n\n1. **Read** [the " +
		"chapter](https://example.org) & `go doc`.\n2. Try \\*again\\*.",
	"a list in JSON": "```json\n[\"Read the chapter.\",\"Try again.\"]\n```",
	"a short quiz": `{"questions":[{"question":" What is it? ","options":["This"," That ","Neither","Both"],"correctIndex":1,"explanation":"It is ` +
		SecretSolution + ` B."}]}`,
	"a quiz in a fence": "```json\n" +
		`{"questions":[{"question":"What?","options":["1","2","3","4"],"correctIndex":0,"explanation":"As ` + SecretSolution + `."}]}` + "\n```",
}

// sqlGiven returns a precondition that is a statement.
func sqlGiven(statement string) func(*Setup, *Case, []string) {
	return func(s *Setup, _ *Case, _ []string) { s.SQL = append(s.SQL, statement) }
}

// aiGivens are the preconditions about the AI.
var aiGivens = []given{
	{exactly(`a quiz taken by (\w+) with ([\d,]+)`), func(s *Setup, _ *Case, args []string) {
		s.earlier = append(s.earlier,
			"POST /api/quiz/submit\nAuthorization: Bearer {{token "+args[0]+"}}\n\n"+
				`{"courseId":"course_go","chapterId":"chapter_1","answers":[`+args[1]+`]}`)
	}},
	{exactly(`a quiz taken by (\w+)`), func(s *Setup, _ *Case, args []string) {
		s.earlier = append(s.earlier,
			"POST /api/quiz/submit\nAuthorization: Bearer {{token "+args[0]+"}}\n\n"+
				`{"courseId":"course_go","chapterId":"chapter_1","answers":[2,0,0]}`)
	}},
	{exactly(`the name of (\w+) is a formula`), func(s *Setup, _ *Case, args []string) {
		s.SQL = append(s.SQL, "UPDATE {users} SET name = '=HYPERLINK(\"https://evil.example\",1)' "+
			"WHERE id = '"+args[0]+"'")
	}},
	{exactly(`quiz_bank was deleted by hand`), sqlGiven(
		"UPDATE {quizzes} SET is_removed = 1, version = 3, questions = '[]' WHERE id = 'quiz_bank'")},
	{exactly(`quiz_go shows its solutions`), sqlGiven(`UPDATE {quizzes}
		SET settings = '{"passPercent":60,"review":"passed"}',
			questions = REPLACE(questions, '` + SecretSolution + `', 'it is') WHERE id = 'quiz_go'`)},
	{exactly(`the certificate of (\w+) asks its (quizzes|assignments)`),
		func(s *Setup, _ *Case, args []string) {
			s.SQL = append(s.SQL,
				"UPDATE {courses} SET certificate_"+args[1]+" = 1 WHERE id = '"+args[0]+"'")
		}},
	{exactly(`quiz_go has one attempt`), sqlGiven(`UPDATE {quizzes}
		SET settings = '{"attempts":1,"passPercent":60,"review":"never"}' WHERE id = 'quiz_go'`)},
	{exactly(`attempt_open was submitted`), func(s *Setup, _ *Case, _ []string) {
		s.earlier = append(s.earlier, "POST /api/quiz/attempts/attempt_open/submit\n"+
			"Authorization: Bearer {{token traveller}}\n\n{}")
	}},
	{exactly(`the time of the assignment is over`), sqlGiven(`UPDATE {enrollments}
		SET created_at = '2016-01-21 09:30:00.000000' WHERE user_id = 'collector'`)},
	{exactly(`(\w+) has lost (\w+)`), func(s *Setup, _ *Case, args []string) {
		s.earlier = append(s.earlier, "DELETE /api/admin/enrollments/"+args[0]+"/"+args[1]+
			"\nAuthorization: Bearer {{token admin}}\n\n")
	}},
	{exactly(`AI fails`),
		fault((*sandbox.Sandbox).AI, sandbox.Fault{Kind: sandbox.FaultStatus, Status: 500})},
	{exactly(`AI answers HTML`),
		fault((*sandbox.Sandbox).AI, sandbox.Fault{Kind: sandbox.FaultNonsense})},
	{exactly(`AI breaks the connection`),
		fault((*sandbox.Sandbox).AI, sandbox.Fault{Kind: sandbox.FaultDrop})},
	{exactly(`AI does not answer in time`), tooLate((*sandbox.Sandbox).AI, sandbox.OpComplete)},
	{exactly(`AI is not configured`), unconfigured("WithAI")},
	{exactly(`AI answers (.+)`), func(s *Setup, _ *Case, args []string) {
		text, known := aiAnswers[args[0]]
		if !known {
			panic("unknown answer of the AI: " + args[0])
		}
		s.providers = append(s.providers, func(sb *sandbox.Sandbox) { sb.AI().Answer(text) })
	}},
	{exactly(`two calls of (\w+) to the AI are under way`), func(s *Setup, _ *Case, args []string) {
		for slot := range 2 {
			s.SQL = append(s.SQL,
				fmt.Sprintf(
					"INSERT INTO {leases} (name, holder, expires_at) VALUES "+
						"('ai:%s:%d', 'holder', '2100-01-01 00:00:00.000000')", args[0], slot))
		}
	}},
	// of the day of the fixed clock
	{exactly(`AI budget of (\w+) is used up`), func(s *Setup, _ *Case, args []string) {
		s.option(learning.WithAIBudget(100, 0))
		s.SQL = append(s.SQL,
			"INSERT INTO {ai_usage} (day, user_id, prompt_tokens, completion_tokens) VALUES "+
				"('2026-01-31', '"+args[0]+"', 99, 1)")
	}},
}
