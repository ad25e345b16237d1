package roomtest

import (
	"encoding/json"
	"fmt"
)

// WrittenQuiz returns a quiz in the AI's format, with so many questions that all have the same
// right option.
func WrittenQuiz(questions, correct int) string {
	var list []map[string]any
	for i := range questions {
		list = append(list, map[string]any{"question": fmt.Sprint("Question ", i),
			"options":      []string{"A", "B", "C", "D"},
			"correctIndex": correct, "explanation": "Because."})
	}
	text, _ := json.Marshal(map[string]any{"questions": list}) // maps of such values always encode
	return string(text)
}
