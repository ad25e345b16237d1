package assess

import (
	"fmt"
	"strings"

	"github.com/openlectern/openlectern/internal/text"
)

// WrittenProblems returns what makes questions unusable that the AI has written, in words for the
// AI, which is asked once more to correct them. The questions must be as [NewQuestion] returns
// them, with [QuestionOptions] options each. What the AI is told of the form of its answer limits
// the lengths of the question and the explanation, so the problem with these is that they are
// blank. It does not limit the options.
func WrittenProblems(questions []Question) (all []string) {
	for i, q := range questions {
		if !text.Is(q.Text, 1, MaxQuestionText) ||
			!text.Is(q.Solution.Explanation, 1, MaxExplanation) {
			all = append(all, fmt.Sprintf("questions/%d: the question or the explanation is blank",
				i))
		}
		seen := map[string]bool{} // the options without spaces around them
		for _, option := range q.Options {
			if !text.Is(option.Text, 1, MaxOptionText) {
				all = append(all,
					fmt.Sprintf("questions/%d: an option is blank, or longer than %d characters", i,
						MaxOptionText))
			}
			seen[strings.TrimSpace(option.Text)] = true
		}
		if len(seen) != QuestionOptions { // there are that many, so some are equal
			all = append(all, fmt.Sprintf("questions/%d: the options are not all different", i))
		}
	}
	return all
}
