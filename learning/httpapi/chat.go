package httpapi

import (
	"net/http"
	"strconv"

	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

type askRequest struct {
	// stored as sent; the platform refuses blanks
	Content   string `json:"content" jsonschema:"maxLength=20000" doc:"It must not be blank."`
	SessionID string `json:"sessionId,omitempty" doc:"The id of the chat to continue. Without it, or with an unknown one, a new chat begins."`
	// the place in a lecture; all optional
	CourseID  string `json:"courseId,omitempty" jsonschema:"maxLength=200" doc:"The course of 'lectureId'."`
	LectureID string `json:"lectureId,omitempty" jsonschema:"maxLength=100" doc:"The lecture at which the question is asked. The tutor is told of its text and captions."`
	Seconds   int    `json:"seconds,omitempty" jsonschema:"minimum=0,maximum=1000000" doc:"Where the caller is in the lecture, from its beginning."`
}

// place returns the place in a lecture at which a question is asked, or nil.
func (in askRequest) place() *tutor.LecturePlace {
	if in.CourseID == "" && in.LectureID == "" {
		return nil
	}
	return &tutor.LecturePlace{CourseID: in.CourseID, LectureID: in.LectureID,
		Seconds: in.Seconds}
}

type chatTurnAnswer struct {
	ActiveSessionID     string            `json:"activeSessionId" doc:"The id of the chat. Send it as 'sessionId' to continue."`
	Response            string            `json:"response" doc:"The reply, Markdown. Sanitise it before you put it into a page."`
	ConversationHistory []chatMessageJSON `json:"conversationHistory" doc:"All messages of the chat, the oldest first, with the reply as the last one."`
	Source              *sourceJSON       `json:"source,omitempty" doc:"The lecture of 'lectureId'. Absent if the question was not asked at a lecture."`
}

// sourceJSON is the lecture whose material the tutor had.
type sourceJSON struct {
	CourseID     string `json:"courseId"`
	LectureID    string `json:"lectureId"`
	LectureTitle string `json:"lectureTitle"`
	Seconds      *int   `json:"seconds" jsonschema:"nullable" doc:"When the caption begins that the reply names first, from the beginning of the lecture. Null if it names none."`
}

// sourceOf returns the wire shape of a source, or nil.
func sourceOf(s *tutor.LectureSource) *sourceJSON {
	if s == nil {
		return nil
	}
	return &sourceJSON{CourseID: s.CourseID, LectureID: s.LectureID, LectureTitle: s.LectureTitle,
		Seconds: s.Seconds}
}

// chatMessageJSON is a message of a chat (docs/api.md §13).
type chatMessageJSON struct {
	ID        string  `json:"_id"`
	Role      string  `json:"role" jsonschema:"enum=user,enum=assistant" doc:"Who wrote it: 'user', the caller, or 'assistant', the tutor."`
	Content   string  `json:"content" doc:"The text as it was written. That of the tutor is Markdown: sanitise it before you put it into a page."`
	CreatedAt instant `json:"createdAt"`
}

// turnEvents describes the event stream in the API document.
const turnEvents = "Server-sent events, for clients that accept text/event-stream: delta events, " +
	"{\"content\":\"…\"}, as the answer is written; " +
	"then one done event, whose data is the JSON answer. A failure after the first event is one " +
	"error event, whose data is the body of a failure."

// deltaJSON is the data of a delta event.
type deltaJSON struct {
	Content string `json:"content"`
}

// askTutor answers the tutor's reply to a question, with the whole chat. It answers JSON, or a
// stream of events if the caller prefers events: the parts of the reply as they are written, and
// then the same JSON as one event.
func (a *api) askTutor(w http.ResponseWriter, c *call, in askRequest) error {
	q := tutor.ChatQuestion{ChatID: in.SessionID, Content: in.Content, At: in.place()}
	if !web.PrefersEvents(c.Header.Values("Accept")) {
		// nil: no part of the reply is passed on before it is complete.
		turn, err := a.platform.Tutor.AskTutor(c.Context(), c.actor, q, nil)
		if err != nil {
			return err
		}
		return writeList(w, c, "conversationHistory", turn.History, nothingHeld,
			shapeMessage(turn.ChatID), restOf(turn))
	}
	return web.WriteEvents(w, &c.Call, func(out *web.EventWriter) error {
		turn, err := a.platform.Tutor.AskTutor(c.Context(), c.actor, q, func(part string) error {
			return out.Send("delta", deltaJSON{part})
		})
		if err != nil {
			return err
		}
		return out.SendParts("done", func(out *web.PartWriter) error {
			return encodeList(c, out, "conversationHistory", turn.History,
				shapeMessage(turn.ChatID), restOf(turn))
		})
	})
}

// turnRest is a [chatTurnAnswer] without its list.
type turnRest struct {
	ActiveSessionID string      `json:"activeSessionId"`
	Response        string      `json:"response"`
	Source          *sourceJSON `json:"source,omitempty"`
}

// restOf returns the function that [writeList] calls for the fields after the list. They do not
// depend on the number of its rows.
func restOf(t tutor.ChatTurn) func(int) any {
	return func(int) any { return turnRest{t.ChatID, t.Answer, sourceOf(t.Source)} }
}

// shapeMessage returns a function that makes the wire shape of the messages of a chat. It must be
// called once for each message, from the first one on, because it counts them: the id of a message
// is made of its position in the chat, which never changes.
func shapeMessage(chatID string) func(tutor.ChatMessage) any {
	next := 0
	return func(m tutor.ChatMessage) any {
		next++
		return chatMessageJSON{
			ID:        chatID + "-" + strconv.Itoa(next),
			Role:      string(m.Role),
			Content:   m.Content,
			CreatedAt: instant(m.CreatedAt),
		}
	}
}

type chatJSON struct {
	ID string `json:"_id"`
	// equals ID
	SessionID string `json:"sessionId" doc:"The id of the chat, equal to '_id'."`
	// the first message
	Messages  string  `json:"messages" doc:"The text of the first message, as a title."`
	UpdatedAt instant `json:"updatedAt" doc:"When the last message was written."`
}

type chatsAnswer struct {
	Chats []chatJSON `json:"chats" doc:"The chats; the one that was used last is first."`
	Next  nextCursor `json:"nextCursor,omitzero"`
}

// previousChats answers all chats of the caller, or one page of them if the query has a limit or a
// cursor.
func (a *api) previousChats(w http.ResponseWriter, c *call) error {
	return listing[tutor.Chat, chatJSON]{
		field: "chats",
		page: func(page core.PageRequest) (core.Page[tutor.Chat], error) {
			return a.platform.Tutor.Chats(c.Context(), c.actor, page)
		},
		// Pages are in the order in which the chats were begun, and the whole list in that of their
		// newest messages.
		all: func() (core.OrderedRows[tutor.Chat], error) {
			return a.platform.Tutor.AllChats(c.Context(), c.actor)
		},
		shape:  chatOf,
		answer: func(rows []chatJSON, next nextCursor) any { return chatsAnswer{rows, next} },
	}.write(w, c)
}

// chatOf returns the wire shape of a chat in the list of chats.
func chatOf(c tutor.Chat) chatJSON {
	return chatJSON{ID: c.ID, SessionID: c.ID, Messages: c.Opening, UpdatedAt: instant(c.UpdatedAt)}
}

type chatAnswer struct {
	ID       string            `json:"_id"`
	Messages []chatMessageJSON `json:"messages" doc:"All messages, the oldest first."`
}

// getChat answers the messages of one of the caller's chats, and its id after them.
func (a *api) getChat(w http.ResponseWriter, c *call) error {
	id := c.Param("sessionId")
	list, err := a.platform.Tutor.ChatMessages(c.Context(), c.actor, id)
	if err != nil {
		return err
	}
	return writeList(w, c, "messages", list, nothingHeld, shapeMessage(id),
		func(int) any { return chatRest{id} })
}

// chatRest is a [chatAnswer] without its list.
type chatRest struct {
	ID string `json:"_id"`
}

type deleteChatAnswer struct {
	Message string `json:"message"`
}

// deleteChat deletes one of the caller's chats. The message is answered if there is no error.
func (a *api) deleteChat(c *call, _ none) (deleteChatAnswer, error) {
	err := a.platform.Tutor.DeleteChat(c.Context(), c.actor, c.Param("sessionId"))
	return deleteChatAnswer{"Chat deleted successfully"}, err
}
