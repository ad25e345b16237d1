package contracttest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/tutor"
)

// FixtureChats holds chat_go, which most cases use. chat_older and chat_as_old have the same
// time, so that their ids decide their order.
var FixtureChats = []tutor.Chat{
	{ID: "chat_go", UserID: "collector", UpdatedAt: day(25)},
	{ID: "chat_older", UserID: "collector", UpdatedAt: day(24)},
	{ID: "chat_as_old", UserID: "collector", UpdatedAt: day(24)},
	{ID: "chat_of_another", UserID: "student", UpdatedAt: day(26)},
	{ID: "chat_long", UserID: "traveller", UpdatedAt: day(26)},
}

// longChat is the number of turns of chat_long, more than the AI receives.
const longChat = 11

// fixtureTurn returns turn n of a chat. Its blanks, line ends and markup must not be changed.
func fixtureTurn(c tutor.Chat, n int) (question, answer tutor.ChatMessage) {
	at := day(22).Add(time.Duration(n) * time.Hour)
	question = tutor.ChatMessage{Role: tutor.AIUser,
		Content: "  What of <" + SecretMessage + c.ID + ">?\n\t“" + strings.Repeat("?", n) +
			"” 🎓",
		CreatedAt: at}
	answer = tutor.ChatMessage{Role: tutor.AIAssistant,
		Content: "**Much**, as " + c.ID + " & all tell.\n", CreatedAt: at.Add(time.Minute)}
	return question, answer
}

// insertChats stores FixtureChats, each with a turn, chat_go with two, and chat_long with longChat
// turns.
func insertChats(ctx context.Context, tx learning.Tx) error {
	for _, c := range FixtureChats {
		c.CreatedAt = day(22)
		if err := tx.InsertChat(ctx, c); err != nil {
			return err
		}
		turns := map[string]int{"chat_go": 2, "chat_long": longChat}[c.ID]
		for n := range max(turns, 1) {
			question, answer := fixtureTurn(c, n)
			messages := 2 * n // of the turns before
			if err := tx.InsertTurn(ctx, c, messages, question, answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// chatGivens are the preconditions about the tutor.
var chatGivens = []given{
	{exactly(`AI breaks off in the middle`),
		fault((*sandbox.Sandbox).AI, sandbox.Fault{Kind: sandbox.FaultBreak})},
	{exactly(`AI is cut off in the middle`),
		fault((*sandbox.Sandbox).AI, sandbox.Fault{Kind: sandbox.FaultCut})},
	{exactly(`AI stops sending in the middle`), func(s *Setup, c *Case, args []string) {
		fault((*sandbox.Sandbox).AI, sandbox.Fault{Kind: sandbox.FaultCut})(s, c, args)
		s.InProcess, s.clients = true, append(s.clients, silentAI)
	}},
	{exactly(`(\w+) of (\w+) has (\d+) messages`), func(s *Setup, _ *Case, args []string) {
		s.SQL = append(s.SQL, "DELETE FROM {chat_messages} WHERE chat_id = '"+args[0]+"'",
			fmt.Sprintf(
				"INSERT INTO {chat_messages} "+
					"(user_id, chat_id, number, role, created_at, content) VALUES ('%s', '%s', %s - 1, 'assistant', '2026-01-20 00:00:00.000000', 'The "+
					"last.')",
				args[1], args[0], args[2]))
	}},
	{exactly(`turns cannot be stored`), func(s *Setup, _ *Case, _ []string) {
		s.InProcess, s.Store = true,
			func(st learning.Store) learning.Store { return withoutTurns{st} }
	}},
	{exactly(`(\w+) asks the tutor: (.+)`), func(s *Setup, _ *Case, args []string) {
		s.repeat("1", "POST /api/user/ai-chat\nAuthorization: Bearer {{token "+args[0]+"}}\n\n"+
			args[1])
	}},
	{exactly(`(\w+) deletes (\w+)`), func(s *Setup, _ *Case, args []string) {
		s.repeat("1", "DELETE /api/user/chat/"+args[1]+"\nAuthorization: Bearer {{token "+args[0]+
			"}}\n\n")
	}},
}

// withoutTurns is a store that cannot store turns.
type withoutTurns struct{ learning.Store }

func (w withoutTurns) InTx(ctx context.Context, fn func(learning.Tx) error) error {
	return w.Store.InTx(ctx, func(tx learning.Tx) error { return fn(withoutTurnsTx{tx}) })
}

type withoutTurnsTx struct{ learning.Tx }

func (withoutTurnsTx) InsertTurn(context.Context, tutor.Chat, int, tutor.ChatMessage,
	tutor.ChatMessage) error {
	return errors.New("the disk is full")
}
