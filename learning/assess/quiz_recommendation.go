package assess

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openlectern/openlectern/internal/plaintext"
	"github.com/openlectern/openlectern/learning/core"
)

// Recommendations tell a student what to study again. They contain no solution, because
// the student may take the quiz again. They are plain text: one recommendation a line,
// and each line begins with [recommendationMark].

// recommendationMark begins each recommendation (docs/api.md §12).
const recommendationMark = "• "

// forgottenRecommendations replace those of a deleted user, which may quote the answers.
const forgottenRecommendations = recommendationMark + "Go over the chapter again."

// defaultRecommendations returns recommendations that are made without the AI: the
// chapter, and the questions that were answered wrong. Each text is on one line, as oneLine
// returns it, and otherwise unchanged.
func (a QuizAttempt) defaultRecommendations(m markedQuiz) string {
	if m.Score == m.Total {
		return allRight
	}
	lines := []string{chapterAgain(a.ChapterTitle)}
	for _, w := range m.wrong[:min(len(m.wrong), maxWrongAnswers)] {
		lines = append(lines, "Think again about this question: "+oneLine(w.Question))
	}
	return joinRecommendations(lines)
}

// allRight is what a student reads who has all points.
const allRight = recommendationMark +
	"All answers are right. There is nothing that you need to go over again."

// chapterAgain recommends a chapter.
func chapterAgain(title string) string {
	return fmt.Sprintf("Go over the chapter “%s” again.", oneLine(title))
}

// oneLine returns s with one space in place of each sequence of spaces and line breaks, and with
// none at its ends.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// joinRecommendations returns the text of recommendations: each on a line with its mark. There must
// be at least one.
func joinRecommendations(lines []string) string {
	return recommendationMark + strings.Join(lines, "\n"+recommendationMark)
}

// parseRecommendations returns the recommendations in an answer of the AI as plain
// text. The answer may be Markdown. It returns "" if there are none.
func parseRecommendations(answer string) string {
	lines := plaintext.Lines(answer)
	if len(lines) == 0 {
		return ""
	}
	return joinRecommendations(lines)
}

// readableRecommendations returns the recommendations of a stored result as plain text.
// A host that has moved results here from another system may have stored Markdown.
func readableRecommendations(text string) string {
	// A text whose lines all have the mark was made here. Any other is parsed.
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, recommendationMark) {
			return cmp.Or(parseRecommendations(text), text) // unchanged if nothing would be left
		}
	}
	return text
}

// Limits of recommendations.
const (
	maxWrongAnswers    = MaxQuestions // that are named
	maxRecommendations = 8_000        // code points, several times the 200 words that are asked for
)

// A Recommender makes recommendations for students, such as by a language model.
type Recommender interface {
	// Recommend returns recommendations for the actor, one on each line, as plain text or Markdown.
	// An error of the kind [core.RateLimited] means that the actor has to do without them for now.
	Recommend(ctx context.Context, actor core.Actor, r RecommendationRequest) (string, error)
}

// RecommendationRequest is what a [Recommender] is told of a result.
type RecommendationRequest struct {
	CourseTitle  string
	ChapterTitle string
	Percentage   int
	Wrong        []WrongAnswer // nil if the student may not learn what is wrong
}

// WrongAnswer is a question that was answered wrong. It leaves the solution out, so that no
// recommendation can contain it.
type WrongAnswer struct {
	Question string
	Chosen   string // "" for no answer
}

// recommend stores the recommendations of the [Recommender] for a result that is stored, and
// returns them. It returns "" if there is none, if all answers are right, or if the recommender or
// the store fails: then the stored recommendations stay. It logs a failure, except that a limit is
// reached or that the caller has left.
func (s *Service) recommend(
	ctx context.Context, actor core.Actor, a QuizAttempt, m markedQuiz,
) string {
	if m.Score == m.Total || s.recommender == nil {
		return ""
	}
	text, err := s.askForRecommendations(ctx, actor, a, m)
	if err == nil {
		// The user may have been deleted while the AI wrote.
		err = s.base.ChangeOfUndeleted(ctx, m.UserID, func(tx Tx, _ *core.Changes) error {
			return tx.SetRecommendations(ctx, m.ID, text)
		})
	}
	if err != nil {
		// A limit that is reached and a caller who has left are no failures.
		if !core.IsRateLimited(err) && ctx.Err() == nil {
			s.base.Log.WarnContext(ctx, "recommendations were made without the AI",
				"result", m.ID, "error", err)
		}
		return ""
	}
	return text
}

// askForRecommendations returns the recommendations that the [Recommender] makes, as plain text:
// never "" or more than maxRecommendations without an error.
func (s *Service) askForRecommendations(
	ctx context.Context, actor core.Actor, a QuizAttempt, m markedQuiz,
) (string, error) {
	text, err := s.recommender.Recommend(ctx, actor, RecommendationRequest{
		CourseTitle:  a.CourseTitle,
		ChapterTitle: a.ChapterTitle,
		Percentage:   m.Percentage,
		Wrong:        m.wrong[:min(len(m.wrong), maxWrongAnswers)],
	})
	text = parseRecommendations(text)
	if err == nil && (text == "" || utf8.RuneCountInString(text) > maxRecommendations) {
		return "", fmt.Errorf("the AI recommends nothing, or too much: %d bytes", len(text))
	}
	return text, err
}
