package learning

import (
	"context"
	"fmt"
	"time"
)

// Chat is a conversation of a person with the tutor. It is theirs alone: to everybody
// else it does not exist.
type Chat struct {
	ID        string
	UserID    string
	Opening   string // the first message
	CreatedAt time.Time
	UpdatedAt time.Time
}

// ChatMessage is what was said in a [Chat]: by the person, or by the tutor.
type ChatMessage struct {
	Role      AIRole // [AIUser] or [AIAssistant]
	Content   string // as it was typed, or written; who shows it makes it harmless
	CreatedAt time.Time
}

// Limits of a chat (docs/api.md §13).
const (
	MaxChatMessage  = 20_000 // of a message that is taken, in code points
	MaxChatMessages = 500    // of a chat
)

// PreviousChats lists the actor's chats, the newest first. A chat that is updated would
// move while the list is read, so the order is read first and the list is that of one
// moment. Error: [ErrUnauthenticated].
func (p *Platform) PreviousChats(ctx context.Context, actor Actor) (*List[Chat], error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	var ids idList
	err := p.store.EachChatID(ctx, actor.UserID, func(id string) error {
		ids.add(id)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the order of the chats: %w", err)
	}
	ids.compact()
	read := func(ctx context.Context, ids []string) ([]Chat, error) {
		return p.store.ChatsByID(ctx, actor.UserID, ids)
	}
	return orderedList("list the chats of a user", ids, read, func(c *Chat) string { return c.ID }), nil
}

// ChatMessages lists the messages of one of the actor's chats, the oldest first. Errors:
// [ErrUnauthenticated], [ErrChatNotFound].
func (p *Platform) ChatMessages(ctx context.Context, actor Actor, id string) (*List[ChatMessage], error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	if !validID(id, maxID) {
		return nil, ErrChatNotFound
	}
	length, err := p.store.ChatLength(ctx, actor.UserID, id)
	if err != nil {
		return nil, fmt.Errorf("read the length of a chat: %w", err)
	}
	if length == 0 { // every chat has a message
		return nil, ErrChatNotFound
	}
	return p.messageList(actor.UserID, id, length), nil
}

// messageList returns the first messages of a chat, as many as length says.
func (p *Platform) messageList(userID, chatID string, length int) *List[ChatMessage] {
	from := 0
	next := func(ctx context.Context, rows int, fn func(ChatMessage) error) (bool, error) {
		rows = min(rows, length-from)
		begun, stopped := from, error(nil)
		err := p.store.EachChatMessage(ctx, userID, chatID, from, rows, func(m ChatMessage) error {
			from++
			stopped = fn(m)
			return stopped
		})
		if stopped != nil {
			return true, stopped
		}
		return from-begun == rows && from < length, wrap("read a chat", err) // fewer if it was deleted
	}
	return &List[ChatMessage]{next: next}
}

// chatMessages reads the last messages of one of the actor's chats; none of one that
// there is not.
func (p *Platform) chatMessages(ctx context.Context, actor Actor, id string, last int) ([]ChatMessage, error) {
	if !validID(id, maxID) {
		return nil, nil
	}
	return p.store.ChatMessages(ctx, actor.UserID, id, last)
}

// DeleteChat removes one of the actor's chats. Errors: [ErrUnauthenticated],
// [ErrChatNotFound].
func (p *Platform) DeleteChat(ctx context.Context, actor Actor, id string) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if !validID(id, maxID) {
		return ErrChatNotFound
	}
	err := p.inTxConfirm(ctx, func(tx Tx) error {
		// The chat first, as a turn takes it: one that comes late finds none.
		found, err := tx.DeleteChat(ctx, actor.UserID, id)
		if err == nil && !found {
			err = ErrChatNotFound
		}
		if err != nil {
			return err
		}
		return tx.DeleteChatMessages(ctx, actor.UserID, id)
	}, func(ctx context.Context) bool {
		left, err := p.store.ChatMessages(ctx, actor.UserID, id, 1)
		return err == nil && len(left) == 0
	})
	return wrap("delete a chat", err)
}

// removeChats removes all chats of a person who is deleted.
func removeChats(ctx context.Context, tx Tx, userID string) error {
	if err := tx.DeleteChats(ctx, userID); err != nil {
		return err
	}
	return tx.DeleteAllChatMessages(ctx, userID)
}

// ChatReader reads conversations with the tutor, each for its owner.
type ChatReader interface {
	// EachChatID calls fn with the ids of a person's chats, the newest first, the greatest
	// id on a tie. It ends with the error of fn.
	EachChatID(ctx context.Context, userID string, fn func(id string) error) error
	// ChatsByID reads those of a person's chats that have one of the ids, with their first
	// message, in any order.
	ChatsByID(ctx context.Context, userID string, ids []string) ([]Chat, error)
	// ChatLength counts the messages of a person's chat.
	ChatLength(ctx context.Context, userID, chatID string) (int, error)
	// EachChatMessage calls fn with at most the given number of messages of a person's
	// chat, in their order, leaving out the first from. It ends with the error of fn.
	EachChatMessage(ctx context.Context, userID, chatID string, from, limit int, fn func(ChatMessage) error) error
	// ChatMessages lists the last messages of a person's chat, the oldest of them first.
	ChatMessages(ctx context.Context, userID, chatID string, last int) ([]ChatMessage, error)
}

// ChatWriter writes conversations with the tutor.
type ChatWriter interface {
	// InsertChat adds one without messages; [ErrDuplicate] when the person has one of
	// the id.
	InsertChat(ctx context.Context, c Chat) error
	// TouchChat writes when a chat was updated, and lets the transaction have it to
	// itself; it tells whether there is such a chat.
	TouchChat(ctx context.Context, c Chat) (bool, error)
	// InsertTurn adds a question and its answer behind so many messages of a chat;
	// [ErrDuplicate] when there are more already.
	InsertTurn(ctx context.Context, c Chat, behind int, question, answer ChatMessage) error
	// DeleteChat removes a person's chat alone; it tells whether there was one.
	DeleteChat(ctx context.Context, userID, id string) (bool, error)
	// DeleteChatMessages removes all messages of a person's chat.
	DeleteChatMessages(ctx context.Context, userID, chatID string) error
	// DeleteChats removes all of a person's chats alone.
	DeleteChats(ctx context.Context, userID string) error
	// DeleteAllChatMessages removes the messages of all of a person's chats.
	DeleteAllChatMessages(ctx context.Context, userID string) error
}
