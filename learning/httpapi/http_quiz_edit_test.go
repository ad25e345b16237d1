package httpapi_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What quiz/generate answers of a quiz by hand can be saved as it is: it has the questions of the
// AI, and keeps the settings that fit them.
func TestDraft_CanBeSavedUnchanged(t *testing.T) {
	s := fixtureSite(t)
	header := append(s.as("educator"), "Content-Type", "application/json")
	const path = "/api/educator/courses/course_old/quizzes/chapter_1"
	type quiz struct {
		Version   int64
		Settings  map[string]any
		Questions []map[string]any
	}
	send := func(method, path, body string) (raw json.RawMessage, q quiz) {
		t.Helper()
		w := s.do(method, path, body, header...)
		var answer struct{ Quiz json.RawMessage }
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		check(t, json.Unmarshal(answer.Quiz, &q))
		return answer.Quiz, q
	}
	const question = `{"kind":"number","question":"?","answer":1}`
	send(http.MethodPut, path, `{"questions":[`+strings.Repeat(question+",", 11)+question+
		`],"settings":{"draw":12,"shuffle":true,"passPercent":0,"review":"passed"}}`)
	raw, draft := send(http.MethodPost, "/api/quiz/generate",
		`{"courseId":"course_old","chapterId":"chapter_1"}`)
	if _, stored := send(http.MethodGet, path, ""); len(stored.Questions) != 12 {
		t.Errorf("the draft has replaced the quiz: %+v", stored)
	}
	_, saved := send(http.MethodPut, path, string(raw))
	want := map[string]any{"draw": 10.0, "shuffle": true, "passPercent": 0.0, "review": "passed"}
	if d := cmp.Diff(want, saved.Settings); d != "" || saved.Version != draft.Version+1 ||
		len(saved.Questions) != 10 {
		t.Fatalf("saved %d questions as version %d; settings: -want +got\n%s", len(saved.Questions),
			saved.Version, d)
	}
	for i, q := range saved.Questions {
		drafted := draft.Questions[i]
		options, right := q["options"].([]any), int(drafted["correctIndex"].(float64))
		option := options[right].(map[string]any)
		if q["question"] != drafted["question"] || q["explanation"] != drafted["explanation"] ||
			len(options) != 4 || option["text"] != drafted["options"].([]any)[right] ||
			q["answer"] != option["optionId"] || q["points"] != 1.0 {
			t.Errorf("%+v was saved as %+v", drafted, q)
		}
	}
}
