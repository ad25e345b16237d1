package learning_test

import (
	"context"

	"github.com/openlectern/openlectern/learning"
)

func (r faultyReader) ChatLength(ctx context.Context, userID, chatID string) (int, error) {
	return read(r.b, "ChatLength", func() (int, error) { return r.Reader.ChatLength(ctx, userID, chatID) })
}

func (r faultyReader) ChatMessages(ctx context.Context, userID, chatID string, last int) ([]learning.ChatMessage, error) {
	return read(r.b, "ChatMessages", func() ([]learning.ChatMessage, error) { return r.Reader.ChatMessages(ctx, userID, chatID, last) })
}

func (r faultyReader) QuizMarks(ctx context.Context, userID string) ([]learning.QuizMark, error) {
	return read(r.b, "QuizMarks", func() ([]learning.QuizMark, error) { return r.Reader.QuizMarks(ctx, userID) })
}

func (t *faultyTx) InsertChat(ctx context.Context, c learning.Chat) error {
	return t.write("InsertChat", func() error { return t.tx.InsertChat(ctx, c) })
}

func (t *faultyTx) TouchChat(ctx context.Context, c learning.Chat) (bool, error) {
	return read(t.b, "TouchChat", func() (bool, error) { return t.tx.TouchChat(ctx, c) })
}

func (t *faultyTx) InsertTurn(ctx context.Context, c learning.Chat, behind int, question, answer learning.ChatMessage) error {
	return t.write("InsertTurn", func() error { return t.tx.InsertTurn(ctx, c, behind, question, answer) })
}

func (t *faultyTx) DeleteChat(ctx context.Context, userID, id string) (bool, error) {
	return read(t.b, "DeleteChat", func() (bool, error) { return t.tx.DeleteChat(ctx, userID, id) })
}

func (t *faultyTx) DeleteChatMessages(ctx context.Context, userID, chatID string) error {
	return t.write("DeleteChatMessages", func() error { return t.tx.DeleteChatMessages(ctx, userID, chatID) })
}

func (t *faultyTx) DeleteChats(ctx context.Context, userID string) error {
	return t.write("DeleteChats", func() error { return t.tx.DeleteChats(ctx, userID) })
}

func (t *faultyTx) DeleteAllChatMessages(ctx context.Context, userID string) error {
	return t.write("DeleteAllChatMessages", func() error { return t.tx.DeleteAllChatMessages(ctx, userID) })
}
