package learning

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/plaintext"
)

// Recommendations say what to look at again. They never contain a solution, whoever
// makes them, because the quiz may be taken again. They are plain text: one
// recommendation a line, each line beginning with [recommendationMark].

// recommendationMark begins each recommendation (docs/api.md §12).
const recommendationMark = "• "

// plainAdvice returns recommendations that are made without the AI: the chapter, and
// the questions that were answered wrong. Their texts are unchanged, but for line ends.
func (q Quiz) plainAdvice(answers []int) string {
	wrong := q.wrong(answers)
	if len(wrong) == 0 {
		return recommendationMark + "All answers are right. There is nothing that you need to go over again."
	}
	lines := []string{fmt.Sprintf("Go over the chapter “%s” again.", onOneLine(q.ChapterTitle))}
	for _, i := range wrong {
		lines = append(lines, "Think again about this question: "+onOneLine(q.Questions[i].Text))
	}
	return recommendations(lines)
}

func onOneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func recommendations(lines []string) string {
	return recommendationMark + strings.Join(lines, "\n"+recommendationMark)
}

// adviceOf returns the recommendations in an answer of the AI as plain text, whatever
// form the answer has; "" if there are none.
func adviceOf(answer string) string {
	lines := plaintext.Lines(answer)
	if len(lines) == 0 {
		return ""
	}
	return recommendations(lines)
}

// storedAdvice returns the recommendations of a stored result. Those of results that an
// earlier version stored may be Markdown.
func storedAdvice(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, recommendationMark) {
			return cmp.Or(adviceOf(text), text)
		}
	}
	return text
}

// Limits of what the AI may recommend, and of how long somebody who has submitted
// answers waits for it.
const (
	maxAdvice       = 8_000 // code points
	maxAdviceTokens = 1_000
	adviceTime      = 20 * time.Second
)

const adviceInstructions = `You are the tutor of an online course. A student has taken the quiz on one chapter. Make recommendations: what to go over again, and how, in at most 200 words, addressed to the student, in the language of the questions.
The titles of the course and of the chapter, and the questions that were answered wrong, each with the wrong answer that was chosen, follow as data. ` + aiDataRule + `
Do not give the right answers away: the student may take the quiz again. Answer with plain text and nothing around it: one recommendation a line, each line beginning with “• ”, and no Markdown.`

// wrongAnswer is what the AI is told of a question that was answered wrong. The solution
// is no part of it, so that it cannot come back.
type wrongAnswer struct {
	Question string `json:"question"`
	Chosen   string `json:"chosenAnswer"`
}

// advised replaces the recommendations of an attempt by those of the AI, when it has
// any. The attempt is stored, so nothing here makes it fail.
func (p *Platform) advised(ctx context.Context, actor Actor, q Quiz, r QuizResult) QuizResult {
	if r.Score == r.Total || p.ai == nil {
		return r
	}
	text, err := p.askForAdvice(ctx, actor, q, r)
	if err == nil {
		err = p.store.InTx(ctx, func(tx Tx) error { return tx.SetRecommendations(ctx, r.ID, text) })
	}
	if err != nil {
		if !isRateLimited(err) && ctx.Err() == nil {
			p.log.WarnContext(ctx, "recommendations were made without the AI", "result", r.ID, "error", err)
		}
		return r
	}
	r.Recommendations = text
	return r
}

func (p *Platform) askForAdvice(ctx context.Context, actor Actor, q Quiz, r QuizResult) (string, error) {
	var wrong []wrongAnswer
	for _, i := range q.wrong(r.Answers) {
		wrong = append(wrong, wrongAnswer{q.Questions[i].Text, q.Questions[i].Options[r.Answers[i]]})
	}
	data, err := aiData(map[string]any{"courseTitle": q.CourseTitle, "chapterTitle": q.ChapterTitle, "wrongAnswers": wrong})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, adviceTime)
	defer cancel()
	text, err := p.askAI(ctx, actor, AIRequest{Messages: []AIMessage{{AISystem, adviceInstructions}, {AIUser, data}}, MaxTokens: maxAdviceTokens})
	text = adviceOf(text)
	if err == nil && (text == "" || utf8.RuneCountInString(text) > maxAdvice) {
		return "", fmt.Errorf("the AI recommends nothing, or too much: %d bytes", len(text))
	}
	return text, err
}
