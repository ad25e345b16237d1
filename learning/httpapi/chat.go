package httpapi

import (
	"net/http"
	"strconv"

	"github.com/openlectern/openlectern/learning"
)

type askRequest struct {
	Content   string `json:"content" jsonschema:"maxLength=20000"` // stored as sent; the platform refuses blanks
	SessionID string `json:"sessionId,omitempty"`
}

type chatTurnAnswer struct {
	ActiveSessionID     string            `json:"activeSessionId"`
	Response            string            `json:"response"`
	ConversationHistory []chatMessageJSON `json:"conversationHistory"`
}

// chatMessageJSON is a message of a chat (docs/api.md §13).
type chatMessageJSON struct {
	ID        string  `json:"_id"`
	Role      string  `json:"role" jsonschema:"enum=user,enum=assistant"`
	Content   string  `json:"content"`
	CreatedAt instant `json:"createdAt"`
}

// turnEvents describes the event stream in the API document.
const turnEvents = "Server-sent events, for clients that accept text/event-stream: delta events, {\"content\":\"…\"}, as the answer is written; " +
	"then one done event, whose data is the JSON answer. A failure after the first event is one error event, whose data is the body of a failure."

// askTutor answers JSON, or a stream of events if the caller prefers events.
func (a *api) askTutor(w http.ResponseWriter, c *call, in askRequest) error {
	q := learning.ChatQuestion{ChatID: in.SessionID, Content: in.Content}
	if !prefersEvents(c.Header.Values("Accept")) {
		turn, err := a.platform.AskTutor(c.Context(), c.actor, q, nil)
		if err != nil {
			return err
		}
		return writeList(w, c, "conversationHistory", turn.History, shapeMessage(turn.ChatID), restOf(turn))
	}
	return writeEvents(w, c, func(out *eventWriter) error {
		turn, err := a.platform.AskTutor(c.Context(), c.actor, q, out.delta)
		if err != nil {
			return err
		}
		return sendList(out, c, "done", "conversationHistory", turn.History, shapeMessage(turn.ChatID), restOf(turn))
	})
}

// turnRest is a [chatTurnAnswer] without its list.
type turnRest struct {
	ActiveSessionID string `json:"activeSessionId"`
	Response        string `json:"response"`
}

func restOf(t learning.ChatTurn) func(int) any {
	return func(int) any { return turnRest{t.ChatID, t.Answer} }
}

// shapeMessage returns a function that makes the wire shape of the messages of a chat,
// from the first one on. The id of a message is made of its position in the chat, which
// never changes.
func shapeMessage(chatID string) func(learning.ChatMessage) any {
	next := 0
	return func(m learning.ChatMessage) any {
		next++
		return chatMessageJSON{chatID + "-" + strconv.Itoa(next), string(m.Role), m.Content, instant(m.CreatedAt)}
	}
}

type chatJSON struct {
	ID        string  `json:"_id"`
	SessionID string  `json:"sessionId"` // equals ID
	Messages  string  `json:"messages"`  // the first message
	UpdatedAt instant `json:"updatedAt"`
}

type chatsAnswer struct {
	Chats []chatJSON `json:"chats"`
	Next  nextCursor `json:"nextCursor,omitzero"`
}

func (a *api) previousChats(w http.ResponseWriter, c *call) error {
	return listing[learning.Chat, chatJSON]{
		field: "chats",
		all: func() (*learning.List[learning.Chat], error) {
			return a.platform.PreviousChats(c.Context(), c.actor)
		},
		page: func(page learning.Page) ([]learning.Chat, learning.Position, error) {
			return a.platform.PreviousChatsPage(c.Context(), c.actor, page)
		},
		shape:  chatOf,
		answer: func(rows []chatJSON, next nextCursor) any { return chatsAnswer{rows, next} },
	}.write(w, c)
}

func chatOf(c learning.Chat) chatJSON {
	return chatJSON{c.ID, c.ID, c.Opening, instant(c.UpdatedAt)}
}

type chatAnswer struct {
	ID       string            `json:"_id"`
	Messages []chatMessageJSON `json:"messages"`
}

func (a *api) getChat(w http.ResponseWriter, c *call) error {
	id := c.param("sessionId")
	list, err := a.platform.ChatMessages(c.Context(), c.actor, id)
	if err != nil {
		return err
	}
	return writeList(w, c, "messages", list, shapeMessage(id), func(int) any { return chatRest{id} })
}

// chatRest is a [chatAnswer] without its list.
type chatRest struct {
	ID string `json:"_id"`
}

type deleteChatAnswer struct {
	Message string `json:"message"`
}

func (a *api) deleteChat(c *call, _ none) (deleteChatAnswer, error) {
	err := a.platform.DeleteChat(c.Context(), c.actor, c.param("sessionId"))
	return deleteChatAnswer{"Chat deleted successfully"}, err
}
