package learning

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// Recommendations say what to look at again. They never hold a solution, whoever makes
// them: the quiz may be taken again.

// plainAdvice is recommendations that need nobody: the questions that were answered
// wrong, in Markdown.
func (q Quiz) plainAdvice(answers []int) string {
	wrong := q.wrong(answers)
	if len(wrong) == 0 {
		return "All answers are right. There is nothing that you need to go over again."
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Go over the chapter “%s” again, with these questions in mind:\n", inMarkdown(q.ChapterTitle))
	for _, i := range wrong {
		b.WriteString("\n- " + inMarkdown(q.Questions[i].Text))
	}
	return b.String()
}

// inMarkdown is a text that a reader of Markdown shows as it is, on one line.
func inMarkdown(s string) string {
	return markdown.Replace(strings.Join(strings.Fields(s), " "))
}

// markdown escapes what would begin something inside a line, HTML too.
var markdown = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "[", `\[`, "]", `\]`, "<", `\<`, ">", `\>`, "&", `\&`,
	"#", `\#`, "|", `\|`, "~", `\~`, "!", `\!`, "$", `\$`)

// Limits of what the AI may recommend, and of how long somebody who has submitted
// answers waits for it.
const (
	maxAdvice       = 8_000 // code points
	maxAdviceTokens = 1_000
	adviceTime      = 20 * time.Second
)

const adviceInstructions = `You are the tutor of an online course. A student has taken the quiz on one chapter. Make recommendations: what to go over again, and how, in at most 200 words of Markdown, addressed to the student, in the language of the questions.
The titles of the course and of the chapter, and the questions that were answered wrong, each with the wrong answer that was chosen, follow as data. ` + aiDataRule + `
Do not give the right answers away: the student may take the quiz again. Answer with the recommendations and nothing around them.`

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
	text = strings.TrimSpace(text)
	if err == nil && (text == "" || utf8.RuneCountInString(text) > maxAdvice) {
		return "", fmt.Errorf("the AI recommends nothing, or too much: %d bytes", len(text))
	}
	return text, err
}
