package httpapi_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/tutor"
)

// longChatOf stores a chat of 498 messages, of which most are long: about 5 MB.
func longChatOf(t *testing.T, c chatServer) tutor.Chat {
	t.Helper()
	chat := tutor.Chat{ID: "long", UserID: "ada", CreatedAt: c.Clock.Now(),
		UpdatedAt: c.Clock.Now()}
	check(t, c.Store.InTx(t.Context(), func(tx learning.Tx) error {
		if err := tx.InsertChat(t.Context(), chat); err != nil {
			return err
		}
		question := tutor.ChatMessage{Role: tutor.AIUser,
			Content: strings.Repeat("a\n", tutor.MaxChatMessage/2), CreatedAt: c.Clock.Now()}
		answer := tutor.ChatMessage{Role: tutor.AIAssistant, Content: "Yes.\n",
			CreatedAt: c.Clock.Now()}
		for n := 0; n < maxChatMessages-2; n += 2 {
			if err := tx.InsertTurn(t.Context(), chat, n, question, answer); err != nil {
				return err
			}
		}
		return nil
	}))
	return chat
}

// maxChatMessages is the largest number of messages of a chat (docs/api.md §13).
const maxChatMessages = 500

type chatMessages []struct {
	ID      string `json:"_id"`
	Content string `json:"content"`
}

// wantWhole checks that messages has all messages of the chat.
func wantWhole(t *testing.T, messages chatMessages, want int) {
	t.Helper()
	ids := map[string]bool{}
	for i, m := range messages {
		ids[m.ID] = true
		if i%2 == 0 && i < maxChatMessages-2 && len(m.Content) != tutor.MaxChatMessage {
			t.Fatalf("message %d has %d bytes", i, len(m.Content))
		}
	}
	if len(messages) != want || len(ids) != want {
		t.Errorf("%d messages with %d ids, want %d", len(messages), len(ids), want)
	}
}

func TestChat_LongChatIsAnsweredWhole(t *testing.T) {
	t.Parallel()
	c := newChatServer(t)
	chat := longChatOf(t, c)
	body := c.do(http.MethodGet, "/api/user/chat/"+chat.ID, "", c.as("ada")...).Body
	var got struct {
		Success  bool
		Messages chatMessages
	}
	if err := json.Unmarshal(body.Bytes(), &got); err != nil || !got.Success {
		t.Fatalf("%v: %d bytes", err, body.Len())
	}
	wantWhole(t, got.Messages, maxChatMessages-2)

	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.url+"/api/user/ai-chat",
		strings.NewReader(`{"content":"Why?","sessionId":"long"}`))
	check(t, err)
	r.Header.Set("Authorization", "Bearer "+c.Token(t, "ada"))
	r.Header.Set("Accept", asEvents)
	answer, err := c.client.Do(r)
	check(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(t, err)
	_, done, found := strings.Cut(string(text), "event: done\ndata: ")
	data, rest, ends := strings.Cut(done, "\n\n")
	var turn struct {
		Success             bool
		ActiveSessionID     string
		ConversationHistory chatMessages
	}
	if err := json.Unmarshal([]byte(data), &turn); err != nil || !found || !ends || rest != "" ||
		strings.Contains(data, "\n") || !turn.Success || turn.ActiveSessionID != "long" {
		t.Fatalf("the stream does not end with one line of JSON: %v", err)
	}
	wantWhole(t, turn.ConversationHistory, maxChatMessages)
}
