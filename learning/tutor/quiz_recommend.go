package tutor

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/core"
)

// Limits of a call that makes recommendations, which a student waits for.
const (
	maxRecommendationTokens = 1_000
	recommendationTimeout   = 20 * time.Second
)

const recommendationInstructions = `You are the tutor of an online course. A student has taken the quiz on one chapter. Make recommendations: what to go over again, and how, in at most 200 words, addressed to the student, in the language of the questions.
The titles of the course and of the chapter, the percentage of the points, and, if the student may know them, the questions that were answered wrong, each with the wrong answer that was chosen, follow as data. ` + aiDataRule + `
Do not give the right answers away: the student may take the quiz again. Answer with plain text and nothing around it: one recommendation a line, each line beginning with “• ”, and no Markdown.`

// wrongAnswer is a question that was answered wrong, as the AI is told of it.
type wrongAnswer struct {
	Question string `json:"question"`
	Chosen   string `json:"chosenAnswer"`
}

// Recommend returns the answer of the AI, as an [assess.Recommender] does. Its errors are those of
// askAI.
func (s *ForRooms) Recommend(
	ctx context.Context, actor core.Actor, q assess.RecommendationRequest,
) (string, error) {
	known := map[string]any{"courseTitle": q.CourseTitle, "chapterTitle": q.ChapterTitle,
		"percentage": q.Percentage}
	if q.Wrong != nil {
		wrong := make([]wrongAnswer, len(q.Wrong))
		for i, w := range q.Wrong {
			wrong[i] = wrongAnswer(w)
		}
		known["wrongAnswers"] = wrong
	}
	data, err := aiData(known)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, recommendationTimeout)
	defer cancel()
	return (*Service)(s).askAI(ctx, actor, AIRequest{
		Messages:  []AIMessage{{AISystem, recommendationInstructions}, {AIUser, data}},
		MaxTokens: maxRecommendationTokens,
	})
}
