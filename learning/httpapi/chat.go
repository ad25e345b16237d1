package httpapi

import (
	"net/http"

	"github.com/openlectern/learning/learning"
)

type askRequest struct {
	Content   string `json:"content" jsonschema:"maxLength=4000"` // as typed: the platform refuses a blank one
	SessionID string `json:"sessionId,omitempty"`
}

type turnAnswer struct {
	ActiveSessionID     string        `json:"activeSessionId"`
	Response            string        `json:"response"`
	ConversationHistory []messageJSON `json:"conversationHistory"`
}

// messageJSON is a message of a chat (contract.md §13).
type messageJSON struct {
	Role      string  `json:"role"`
	Content   string  `json:"content"`
	CreatedAt instant `json:"createdAt"`
}

// turnEvents is what the API document says of an answer as it is written.
const turnEvents = "Server-sent events, for those who accept text/event-stream: delta events, {\"content\":\"…\"}, as the answer is written; " +
	"then one done event, whose data is the JSON answer. A failure after the first of them is one error event, whose data is the body of a failure."

// askTutor answers in one piece, or as the answer is written.
func (a *api) askTutor(w http.ResponseWriter, c *call, in askRequest) error {
	q := learning.ChatQuestion{ChatID: in.SessionID, Content: in.Content}
	if !prefersEvents(c.Header.Values("Accept")) {
		turn, err := a.platform.AskTutor(c.Context(), c.actor, q, nil)
		if err != nil {
			return err
		}
		return writeSuccess(w, turnOf(turn))
	}
	return writeEvents(w, c, func(delta func(string) error) (any, error) {
		turn, err := a.platform.AskTutor(c.Context(), c.actor, q, delta)
		return turnOf(turn), err
	})
}

func turnOf(t learning.ChatTurn) turnAnswer {
	return turnAnswer{t.ChatID, t.Answer, messagesOf(t.History)}
}

func messagesOf(list []learning.ChatMessage) []messageJSON {
	out := make([]messageJSON, len(list))
	for i, m := range list {
		out[i] = messageJSON{string(m.Role), m.Content, instant(m.CreatedAt)}
	}
	return out
}

type chatJSON struct {
	ID        string  `json:"_id"`
	SessionID string  `json:"sessionId"` // the same
	Messages  string  `json:"messages"`  // the first of them
	UpdatedAt instant `json:"updatedAt"`
}

type chatsAnswer struct {
	Chats []chatJSON `json:"chats"`
}

func (a *api) previousChats(c *call, _ none) (chatsAnswer, error) {
	list, err := a.platform.PreviousChats(c.Context(), c.actor)
	answer := chatsAnswer{make([]chatJSON, len(list))}
	for i, chat := range list {
		answer.Chats[i] = chatJSON{chat.ID, chat.ID, chat.Opening, instant(chat.UpdatedAt)}
	}
	return answer, err
}

type chatAnswer struct {
	ID       string        `json:"_id"`
	Messages []messageJSON `json:"messages"`
}

func (a *api) getChat(c *call, _ none) (chatAnswer, error) {
	id := c.param("sessionId")
	list, err := a.platform.ChatMessages(c.Context(), c.actor, id)
	return chatAnswer{id, messagesOf(list)}, err
}

type deleteChatAnswer struct {
	Message string `json:"message"`
}

func (a *api) deleteChat(c *call, _ none) (deleteChatAnswer, error) {
	err := a.platform.DeleteChat(c.Context(), c.actor, c.param("sessionId"))
	return deleteChatAnswer{"Chat deleted successfully"}, err
}
