package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

var chatTests = []test{
	{"a user's chats are listed with their first message, the newest first", chatList},
	{"a user's chats are listed in pages, in the order of their creation", chatPages},
	{"messages are read as they were stored, in their order, all or the last", chatRoundTrip},
	{"the longest chat fits", chatLimits},
	{"a chat is found only with its owner's id", chatOwner},
	{"a position in a chat is taken once", chatUnique},
	{"a chat with a new time is listed first", chatUpdateTime},
	{"a chat is deleted, and nothing else", chatDelete},
	{"all chats of a user are deleted, and no others", chatDeleteAll},
}

// chat returns a chat of "student".
func chat(id string, after time.Duration) tutor.Chat {
	return tutor.Chat{ID: id, UserID: "student", CreatedAt: noon, UpdatedAt: noon.Add(after)}
}

// turn is a row: a question and its reply.
type turn struct {
	chat             tutor.Chat
	messages         int
	question, answer tutor.ChatMessage
}

// turnAfter returns the next turn of a chat that has so many messages, with a value in every
// field.
func turnAfter(c tutor.Chat, messages int) turn {
	at := noon.Add(time.Duration(messages) * time.Microsecond)
	return turn{chat: c, messages: messages,
		question: tutor.ChatMessage{Role: tutor.AIUser,
			Content:   fmt.Sprintf(" <b>&\u2028 \"q\" \\ 🎓 %s %d\r\n ", c.ID, messages),
			CreatedAt: at},
		answer: tutor.ChatMessage{Role: tutor.AIAssistant,
			Content: fmt.Sprintf("**a** %s %d\n", c.ID, messages), CreatedAt: at.Add(time.Hour)}}
}

// messages returns the messages of some turns.
func messages(turns ...turn) (list []tutor.ChatMessage) {
	for _, t := range turns {
		list = append(list, t.question, t.answer)
	}
	return list
}

// everything is a limit above the number of messages of every chat.
const everything = 1 << 30

// hasMessages checks all messages of a chat.
func (f *fixture) hasMessages(userID, chatID string, want ...tutor.ChatMessage) {
	f.t.Helper()
	got, err := f.ChatMessages(f.t.Context(), userID, chatID, everything)
	equal(f.t, got, err, want)
}

// hasChats checks the chats of a user, in the order of EachChatID. It reads them by their ids, with
// ids of no chat among them.
func (f *fixture) hasChats(userID string, want ...tutor.Chat) {
	f.t.Helper()
	var ids []string
	err := f.EachChatID(f.t.Context(), userID,
		func(id string) error { ids = append(ids, id); return nil })
	var got []tutor.Chat
	if err == nil && len(ids) > 0 {
		got, err = f.ChatsByID(f.t.Context(), userID, append(ids, "none", "0"))
	}
	slices.SortFunc(got, // ChatsByID has no order
		func(a, b tutor.Chat) int {
			return cmp.Compare(slices.Index(ids, a.ID),
				slices.Index(ids, b.ID))
		})
	equal(f.t, got, err, want)
}

func chatPages(t *testing.T, f *fixture) {
	list := func() []tutor.Chat {
		return paged(t,
			func(ctx context.Context, page core.PageRequest) ([]tutor.Chat, error) {
				return f.Chats(ctx, "student", page)
			},
			func(c tutor.Chat) core.Position {
				return core.Position{At: c.CreatedAt,
					ID: c.ID}
			})
	}
	equal(t, list(), nil, nil)
	old := chat("z", 3*time.Hour)
	a := chat("a", 0)
	b := chat("b", time.Hour)
	other := chat("o", 0)
	old.CreatedAt, other.UserID = noon.Add(-time.Microsecond), "Student"
	for _, c := range []tutor.Chat{a, old, other, b} {
		f.add(c, turnAfter(c, 0))
	}
	equal(t, list(), nil, []tutor.Chat{opened(b), opened(a), opened(old)})
}

// opened returns a chat with its first message, as lists show it.
func opened(c tutor.Chat) tutor.Chat {
	c.Opening = turnAfter(c, 0).question.Content
	return c
}

func chatList(t *testing.T, f *fixture) {
	f.hasChats("student")
	a := chat("a", 0)
	b := chat("b", 0)
	newest := chat("0", time.Microsecond)
	others := chat("c", time.Hour)
	others.UserID = "Student"
	for _, c := range []tutor.Chat{newest, b, a, others} {
		f.add(c, turnAfter(c, 2), turnAfter(c, 0)) // the first message is stored last
	}
	f.hasChats("student", opened(newest), opened(b), opened(a))
	f.hasChats("Student", opened(others))
	for _, id := range []string{"", "student ", "\xff", "%", "' OR 1 = 1 --"} {
		f.hasChats(id)
	}
}

func chatRoundTrip(t *testing.T, f *fixture) {
	c, other := chat("a", 0), chat("A", 0)
	first := turnAfter(c, 0)
	second := turnAfter(c, 2)
	third := turnAfter(c, 4)
	f.add(c, other, third, first, turnAfter(other, 0), second) // not in the order of the chat
	f.hasMessages("student", "a", messages(first, second, third)...)
	f.hasMessages("student", "A", messages(turnAfter(other, 0))...)
	all := messages(first, second, third)
	for from := range 8 {
		got, err := f.ChatMessagesFrom(t.Context(), "student", "a", from, 3)
		equal(t, got, err, all[min(from, 6):min(from+3, 6)])
	}
	for id, want := range map[string]int{"a": 6, "A": 2, "b": 0, "": 0, "a ": 0, "\xff": 0} {
		n, err := f.ChatLength(t.Context(), "student", id)
		equal(t, n, err, want)
	}
	for last := range 8 {
		got, err := f.ChatMessages(t.Context(), "student", "a", last)
		equal(t, got, err, all[max(0, len(all)-last):])
	}
	f.do(func(ctx context.Context, tx learning.Tx) error {
		got, err := tx.ChatMessages(ctx, "student", "a", 1)
		equal(t, got, err, all[5:])
		return nil
	})
}

func chatLimits(t *testing.T, f *fixture) {
	c := chat(strings.Repeat("c", 64), 0)
	c.UserID = long(47) + "abc"
	longest := turnAfter(c, 1<<40)
	// 256 KiB
	longest.question.Content, longest.answer.Content = long(tutor.MaxChatMessage), long(64<<10)
	f.add(c, longest)
	f.hasMessages(c.UserID, c.ID, messages(longest)...)
}

func chatOwner(t *testing.T, f *fixture) {
	c := chat("a", 0)
	f.add(c, turnAfter(c, 0))
	for _, id := range []string{"", "Student", "student ", "other", "\xff", "' OR 1 = 1 --"} {
		f.hasMessages(id, "a")
		foreign := c
		foreign.UserID = id
		for _, move := range []func(context.Context, learning.Tx) (bool, error){
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.UpdateChat(ctx,
					foreign)
			},
			func(ctx context.Context, tx learning.Tx) (bool, error) {
				return tx.DeleteChat(ctx, id,
					"a")
			},
		} {
			if strings.HasSuffix(id, " ") || id == "\xff" {
				continue // such an id is invalid in every statement
			}
			f.reports(false, move)
		}
	}
	for _, id := range []string{"", "A", "a ", "b", "\xff", strings.Repeat("a", 100_000)} {
		f.hasMessages("student", id)
	}
	theirs := c
	theirs.UserID = "other"
	f.add(theirs) // the same id of another user is another chat
	f.hasMessages("other", "a")
	got, err := f.ChatMessagesFrom(t.Context(), "other", "a", 0, everything)
	equal(t, got, err, nil)
	f.hasMessages("student", "a", messages(turnAfter(c, 0))...)
}

func chatUnique(t *testing.T, f *fixture) {
	c := chat("a", 0)
	f.add(c, turnAfter(c, 0))
	f.fails(core.ErrDuplicate,
		func(ctx context.Context, tx learning.Tx) error { return tx.InsertChat(ctx, c) })
	for _, messages := range []int{0, 1, -1} {
		late := turnAfter(c, messages)
		f.fails(core.ErrDuplicate, func(ctx context.Context, tx learning.Tx) error {
			return tx.InsertTurn(ctx, late.chat, late.messages, late.question, late.answer)
		})
	}
	f.hasMessages("student", "a", messages(turnAfter(c, 0))...)
}

func chatUpdateTime(t *testing.T, f *fixture) {
	a, b := chat("a", 0), chat("b", 0)
	f.add(a, turnAfter(a, 0), b, turnAfter(b, 0))
	later := chat("a", time.Minute)
	later.CreatedAt = noon.Add(time.Hour) // must not be stored
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateChat(ctx,
				later)
		})
	// to the same time
	f.reports(true,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateChat(ctx,
				later)
		})
	f.reports(false,
		func(ctx context.Context, tx learning.Tx) (bool, error) {
			return tx.UpdateChat(ctx,
				chat("c", 0))
		})
	f.hasChats("student", opened(chat("a", time.Minute)), opened(b))
}

func chatDelete(t *testing.T, f *fixture) {
	a := chat("a", 0)
	b := chat("b", 0)
	others := chat("a", 0)
	others.UserID = "other"
	for _, c := range []tutor.Chat{a, b, others} {
		f.add(c, turnAfter(c, 0), turnAfter(c, 2))
	}
	f.reports(true, func(ctx context.Context, tx learning.Tx) (bool, error) {
		found, err := tx.DeleteChat(ctx, "student", "a")
		return found, errors.Join(err, tx.DeleteChatMessages(ctx, "student", "a"))
	})
	f.reports(false, func(ctx context.Context, tx learning.Tx) (bool, error) {
		found, err := tx.DeleteChat(ctx, "student", "a")
		return found, errors.Join(err, tx.DeleteChatMessages(ctx, "student", "a"))
	})
	f.hasChats("student", opened(b))
	f.hasMessages("student", "a")
	f.hasMessages("student", "b", messages(turnAfter(b, 0), turnAfter(b, 2))...)
	f.hasMessages("other", "a", messages(turnAfter(others, 0), turnAfter(others, 2))...)
}

func chatDeleteAll(t *testing.T, f *fixture) {
	a := chat("a", 0)
	b := chat("b", 0)
	others := chat("a", 0)
	others.UserID = "Student"
	for _, c := range []tutor.Chat{a, b, others} {
		f.add(c, turnAfter(c, 0), turnAfter(c, 2))
	}
	f.do(deletePrivate("chats", "student"))
	f.do(deletePrivate("chatMessages", "student"))
	f.hasChats("student")
	f.hasMessages("student", "a")
	f.hasMessages("student", "b")
	f.hasChats("Student", opened(others))
	f.hasMessages("Student", "a", messages(turnAfter(others, 0), turnAfter(others, 2))...)
}

// raceTurns adds 20 turns to one chat concurrently. Each takes the position after the messages
// that its transaction has read.
func raceTurns(t *testing.T, f *fixture) {
	const turns = 20
	c := chat("a", 0)
	f.add(c)
	wins := f.race(turns, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		found, err := tx.UpdateChat(ctx, chat("a", time.Duration(i+1)*time.Microsecond))
		if err != nil || !found {
			return false, err
		}
		before, err := tx.ChatMessages(ctx, "student", "a", everything)
		if err != nil {
			return false, err
		}
		next := turnAfter(c, len(before))
		return true, tx.InsertTurn(ctx, c, len(before), next.question, next.answer)
	})
	var all []turn
	for i := range turns {
		all = append(all, turnAfter(c, 2*i))
	}
	f.hasMessages("student", "a", messages(all...)...)
	if wins != turns {
		t.Errorf("%d turns were stored, want %d", wins, turns)
	}
}

// raceDeletedChat deletes a chat while other transactions add turns to it.
func raceDeletedChat(t *testing.T, f *fixture) {
	c := chat("a", 0)
	f.add(c, turnAfter(c, 0))
	wins := f.race(20, func(ctx context.Context, tx learning.Tx, i int) (bool, error) {
		if i == 0 {
			found, err := tx.DeleteChat(ctx, "student", "a")
			return found, errors.Join(err, tx.DeleteChatMessages(ctx, "student", "a"))
		}
		found, err := tx.UpdateChat(ctx, chat("a", time.Duration(i)*time.Microsecond))
		if err != nil || !found {
			return false, err
		}
		before, err := tx.ChatMessages(ctx, "student", "a", everything)
		next := turnAfter(c, len(before))
		return true, errors.Join(err,
			tx.InsertTurn(ctx, c, len(before), next.question, next.answer))
	})
	f.hasMessages("student", "a")
	f.hasChats("student")
	t.Logf("%d went on before it was deleted", wins-1)
}
