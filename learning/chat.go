package learning

import (
	"context"
	"math"
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

// MaxChatMessage is the length of the longest message that is taken, in code points
// (contract.md §13).
const MaxChatMessage = 4_000

// wholeChat is as many messages as there are.
const wholeChat = math.MaxInt32

// PreviousChats lists the actor's chats, the newest first. Error: [ErrUnauthenticated].
func (p *Platform) PreviousChats(ctx context.Context, actor Actor) ([]Chat, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	list, err := p.store.Chats(ctx, actor.UserID)
	return list, said("list somebody's chats", err)
}

// ChatMessages reads one of the actor's chats, the oldest message first. Errors:
// [ErrUnauthenticated], [ErrChatNotFound].
func (p *Platform) ChatMessages(ctx context.Context, actor Actor, id string) ([]ChatMessage, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	list, err := p.chatMessages(ctx, actor, id, wholeChat)
	if err == nil && len(list) == 0 { // none is without a message
		err = ErrChatNotFound
	}
	return list, said("read a chat", err)
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
	err := p.inTxCertain(ctx, func(tx Tx) error {
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
	return said("delete a chat", err)
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
	// Chats lists a person's chats with their first message, the newest first, the
	// greatest id on a tie.
	Chats(ctx context.Context, userID string) ([]Chat, error)
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
