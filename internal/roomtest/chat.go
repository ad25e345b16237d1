package roomtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

// Prompt returns all messages of the last request.
func (s *Scripted) Prompt() string {
	var b strings.Builder
	for _, m := range s.Asked[len(s.Asked)-1].Messages {
		b.WriteString(string(m.Role) + ": " + m.Content + "\n")
	}
	return b.String()
}

// AsksAt asks the tutor at a place, whose model answers "Yes." or the given text.
func (w *World) AsksAt(
	model *Scripted, who core.Actor, at tutor.LecturePlace, answer ...string,
) (tutor.ChatTurn, error) {
	model.Answers = append(model.Answers[:len(model.Asked)],
		Writing(append(answer, "Yes.")...).Answers[0])
	return w.Platform.Tutor.AskTutor(ctx(), who, tutor.ChatQuestion{Content: "Why?", At: &at},
		Unheard)
}

// EchoOf is the answer to a message.
func EchoOf(content string) string { return "So you say: " + content }

// Unheard discards the parts of an answer.
var Unheard func(string) error

// Says sends a message that must be answered.
func (w *World) Says(t *testing.T, who core.Actor, chatID, content string) tutor.ChatTurn {
	t.Helper()
	turn, err := w.Platform.Tutor.AskTutor(ctx(), who,
		tutor.ChatQuestion{ChatID: chatID, Content: content}, Unheard)
	if err != nil {
		t.Fatalf("ask the tutor: %v", err)
	}
	return turn
}

// Told returns the messages of a turn's answer.
func Told(t *testing.T, turn tutor.ChatTurn) []tutor.ChatMessage {
	t.Helper()
	all, err := RowsOf(turn.History, nil)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Texts returns the contents of messages.
func Texts(list []tutor.ChatMessage) (all []string) {
	for _, m := range list {
		all = append(all, string(m.Role)+": "+m.Content)
	}
	return all
}

// ShownData returns the data in the prompt of the last AI call.
func (w *World) ShownData(t *testing.T) (data struct {
	Courses, LatestQuizResults []map[string]any
}, text string) {
	t.Helper()
	calls := w.Sandbox.AI().Calls()
	text = calls[len(calls)-1].Messages[1].Content
	inside, _ := strings.CutPrefix(text, "<data>\n")
	inside, ends := strings.CutSuffix(inside, "\n</data>")
	if err := json.Unmarshal([]byte(inside), &data); err != nil || !ends {
		t.Fatalf("no data: %v in %s", err, text)
	}
	return data, text
}

// Lengthen adds messages to a chat until it has so many.
func (w *World) Lengthen(t *testing.T, who core.Actor, chatID string, messages int) {
	t.Helper()
	for n := w.Count(t, "chat_messages WHERE chat_id = ?", chatID); n < messages; n++ {
		w.Exec(t,
			"INSERT INTO chat_messages (user_id, chat_id, number, role, created_at, content) "+
				"VALUES (?, ?, ?, ?, '2026-01-31 09:30:00.000000', ?)",
			who.UserID, chatID, n, []tutor.AIRole{tutor.AIUser, tutor.AIAssistant}[n%2],
			fmt.Sprint("message ", n))
	}
}

// WantBothTurns checks that a chat has both turns, each with its answer, and that the answer
// to each has the messages of that time.
func (w *World) WantBothTurns(t *testing.T, who core.Actor, id string, before int,
	turns []tutor.ChatTurn) {
	t.Helper()
	kept, err := RowsOf(w.Platform.Tutor.ChatMessages(ctx(), who, id))
	if err != nil || len(kept) != 2+4*(before+1) {
		t.Fatalf("%d messages (%v): %q", len(kept), err, Texts(kept))
	}
	for i := 0; i < len(kept); i += 2 {
		if kept[i].Role != tutor.AIUser || kept[i+1].Role != tutor.AIAssistant ||
			kept[i+1].Content != EchoOf(kept[i].Content) {
			t.Errorf("%q is answered with %q", kept[i].Content, kept[i+1].Content)
		}
	}
	lengths := map[int]bool{}
	for _, turn := range turns {
		history := Told(t, turn)
		lengths[len(history)] = true
		if len(history) > len(kept) || cmp.Diff(Texts(kept[:len(history)]), Texts(history)) != "" ||
			turn.ChatID != id {
			t.Errorf("the answer has the messages %q, stored are %q", Texts(history), Texts(kept))
		}
	}
	if !lengths[len(kept)] || !lengths[len(kept)-2] {
		t.Errorf("the answers have %v messages, stored are %d", lengths, len(kept))
	}
}
