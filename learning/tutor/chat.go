package tutor

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/openlectern/openlectern/internal/paging"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of chats.
var (
	ErrChatNotFound = &core.Error{Kind: core.NotFound, Code: "chat_not_found",
		Message: "Chat session not found"}
	ErrChatFull = &core.Error{Kind: core.Conflict, Code: "chat_full",
		Message: "This chat is full. Please start a new one."}
)

// Chat is a conversation of a user with the tutor. Only its user can see it.
type Chat struct {
	ID        string
	UserID    string
	Opening   string // the first message
	CreatedAt time.Time
	UpdatedAt time.Time
}

// ChatMessage is a message of a [Chat], written by the user or by the tutor.
type ChatMessage struct {
	Role      AIRole // [AIUser] or [AIAssistant]
	Content   string // unchanged, with any markup; a front end must escape it
	CreatedAt time.Time
}

// Limits of a chat (docs/api.md §13).
const (
	MaxChatMessage  = 20_000 // of a message of the user, in code points
	maxChatMessages = 500    // of a chat
)

// AllChats lists the actor's chats, those with the newest messages first. The caller reads them,
// and may get an error, while it ranges over the result. Error: [core.ErrUnauthenticated].
func (s *Service) AllChats(ctx context.Context, actor core.Actor) (core.OrderedRows[Chat],
	error) {
	if err := actor.Require(); err != nil {
		return core.OrderedRows[Chat]{}, err
	}

	// The order changes with each message. So the ids of all chats are read now, in their order,
	// and the rows by their ids, a part at a time.
	var ids paging.IDList
	err := s.store.EachChatID(ctx, actor.UserID, ids.Add)
	if err != nil {
		return core.OrderedRows[Chat]{}, fmt.Errorf("read the order of the chats: %w", err)
	}
	read := func(ctx context.Context, ids []string) ([]Chat, error) {
		return s.store.ChatsByID(ctx, actor.UserID, ids)
	}
	return paging.InOrder(ctx, "list the chats of a user", ids, read,
		func(c *Chat) string { return c.ID }), nil
}

// Chats returns a page of the actor's chats, in the order of their creation, the newest first.
// Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest] if page has no valid limit.
func (s *Service) Chats(ctx context.Context, actor core.Actor,
	page core.PageRequest) (core.Page[Chat], error) {
	if err := actor.Require(); err != nil {
		return core.Page[Chat]{}, err
	}
	read := func(ctx context.Context, page core.PageRequest) ([]Chat, error) {
		return s.store.Chats(ctx, actor.UserID, page)
	}
	// The next page begins after the position of the last row.
	return paging.ReadPage(ctx, "list the chats of a user", page, read,
		func(c Chat) core.Position { return core.Position{At: c.CreatedAt, ID: c.ID} })
}

// ChatMessages returns the messages of one of the actor's chats, the oldest first, without those
// that are added later. Errors: [core.ErrUnauthenticated], [ErrChatNotFound].
func (s *Service) ChatMessages(
	ctx context.Context, actor core.Actor, id string,
) (iter.Seq2[ChatMessage, error], error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	if !text.ValidID(id, text.MaxID) { // no chat has such an id
		return nil, ErrChatNotFound
	}
	length, err := s.store.ChatLength(ctx, actor.UserID, id)
	if err != nil {
		return nil, fmt.Errorf("read the length of a chat: %w", err)
	}
	if length == 0 { // every chat has a message
		return nil, ErrChatNotFound
	}
	return s.messages(ctx, actor.UserID, id, length), nil
}

// messages returns the first length messages of a chat, or fewer if it is deleted meanwhile. They
// are read while the caller ranges over them, a part at a time. After an error there are no more.
func (s *Service) messages(
	ctx context.Context, userID, chatID string, length int,
) iter.Seq2[ChatMessage, error] {
	return func(yield func(ChatMessage, error) bool) {
		for from := 0; from < length; from += paging.PartRows {
			part := min(paging.PartRows, length-from)
			list, err := s.store.ChatMessagesFrom(ctx, userID, chatID, from, part)
			// paging.YieldRows is false after an error, or if the caller wants no more.
			wantsMore := paging.YieldRows(list, core.Wrap("read a chat", err), yield)
			isDeleted := len(list) < part
			if !wantsMore || isDeleted {
				return
			}
		}
	}
}

// chatMessages reads the last messages of one of the actor's chats, at most as many as last says,
// the oldest first. It returns no messages if there is no such chat.
func (s *Service) chatMessages(ctx context.Context, actor core.Actor, id string,
	last int) ([]ChatMessage, error) {
	if !text.ValidID(id, text.MaxID) { // no chat has such an id, such as ""
		return nil, nil
	}
	return s.store.ChatMessages(ctx, actor.UserID, id, last)
}

// DeleteChat removes one of the actor's chats. Errors: [core.ErrUnauthenticated],
// [ErrChatNotFound].
func (s *Service) DeleteChat(ctx context.Context, actor core.Actor, id string) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if !text.ValidID(id, text.MaxID) { // no chat has such an id
		return ErrChatNotFound
	}
	err := s.base.InTx(ctx, func(tx Tx) error {
		// The chat is deleted before its messages, because a turn (AskTutor) locks the chat before
		// it adds messages. So a concurrent turn either has added them before they are deleted, or
		// finds no chat.
		found, err := tx.DeleteChat(ctx, actor.UserID, id)
		if err == nil && !found {
			err = ErrChatNotFound
		}
		if err != nil {
			return err
		}
		return tx.DeleteChatMessages(ctx, actor.UserID, id)
	})
	return core.Wrap("delete a chat", err)
}

// chatReader reads chats. Each method reads only chats of the given user.
type chatReader interface {
	// EachChatID calls fn with the ids of a user's chats: the one that was updated last first, the
	// greatest id first on a tie. It stops at the first error of fn and returns it.
	EachChatID(ctx context.Context, userID string, fn func(id string) error) error
	// ChatsByID reads those of a user's chats that have one of the ids, with their
	// first messages, in any order.
	ChatsByID(ctx context.Context, userID string, ids []string) ([]Chat, error)
	// Chats lists a page of a user's chats with their first messages, in the order of their
	// creation: the newest first, the greatest id first on a tie.
	Chats(ctx context.Context, userID string, page core.PageRequest) ([]Chat, error)
	// ChatLength counts the messages of a user's chat.
	ChatLength(ctx context.Context, userID, chatID string) (int, error)
	// ChatMessagesFrom lists at most limit messages of a user's chat, in order, without the first
	// from messages.
	ChatMessagesFrom(ctx context.Context, userID, chatID string,
		from, limit int) ([]ChatMessage, error)
	// ChatMessages lists the last messages of a user's chat, in order.
	ChatMessages(ctx context.Context, userID, chatID string, last int) ([]ChatMessage, error)
}

// chatWriter writes chats.
type chatWriter interface {
	// InsertChat adds a chat without messages. It returns [core.ErrDuplicate] if the user
	// has a chat with the id.
	InsertChat(ctx context.Context, c Chat) error
	// UpdateChat stores the update time of a chat, and locks the chat until the end of
	// the transaction. It reports whether there is such a chat.
	UpdateChat(ctx context.Context, c Chat) (bool, error)
	// InsertTurn adds a question and its answer to a chat of length messages. It
	// returns [core.ErrDuplicate] if the chat has more messages.
	InsertTurn(ctx context.Context, c Chat, length int, question, answer ChatMessage) error
	// DeleteChat removes a user's chat without its messages. It reports whether there
	// was one.
	DeleteChat(ctx context.Context, userID, id string) (bool, error)
	// DeleteChatMessages removes all messages of a user's chat.
	DeleteChatMessages(ctx context.Context, userID, chatID string) error
}
