package store

import (
	"context"
	"errors"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/tutor"
)

// EachChatID calls fn for each chat of a user, the last changed one first.
func (r reader) EachChatID(ctx context.Context, userID string, fn func(id string) error) error {
	var id string
	return r.q.Each(ctx, "list the ids of chats", []any{&id}, func() error { return fn(id) },
		`SELECT id FROM {chats} WHERE user_id = ? ORDER BY updated_at DESC, id DESC`, key(userID))
}

// ChatsByID lists those of a user's chats that have one of the ids, in no order. It reads
// idBatchSize of them at a time, with a statement that always has as many placeholders.
func (r reader) ChatsByID(
	ctx context.Context, userID string, ids []string,
) (list []tutor.Chat, err error) {
	for chunk := range slices.Chunk(ids, idBatchSize) {
		const noHint = ""
		part, err := r.chats(ctx, userID, noHint,
			` WHERE c.user_id = ? AND c.id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{key(userID)}, batchArgs(chunk)...)...)
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
	}
	return list, nil
}

// Chats lists the newest chats of a user first.
func (r reader) Chats(
	ctx context.Context, userID string, page core.PageRequest,
) ([]tutor.Chat, error) {
	var f filter
	f.add(`c.user_id = ?`, key(userID))
	clauses, args := r.engine().pageClauses(f,
		order{columns: []string{"c.created_at", "c.id"}, descending: true}, page)
	return r.chats(ctx, userID, r.engine().pageHint("chats_by_creation", page), clauses, args...)
}

// chats lists chats of a user, each with its first message, which has the number 0. hint follows
// the table of the chats, which is c; clauses follow all tables and must select the user's chats.
func (r reader) chats(
	ctx context.Context, userID, hint, clauses string, args ...any,
) (list []tutor.Chat, err error) {
	c := tutor.Chat{UserID: userID}
	var created, updated timestamp
	err = r.q.Each(ctx, "read the chats of a list", []any{&c.ID, &c.Opening, &created, &updated},
		func() error {
			c.CreatedAt, c.UpdatedAt = created.Time(), updated.Time()
			list = append(list, c)
			return nil
		}, `SELECT c.id, m.content, c.created_at, c.updated_at
		FROM {chats} c`+hint+
			` JOIN {chat_messages} m
				ON m.user_id = c.user_id AND m.chat_id = c.id AND m.number = 0`+
			clauses, args...)
	return list, err
}

// ChatLength returns how many messages a chat has, and 0 if there is no such chat.
func (r reader) ChatLength(ctx context.Context, userID, chatID string) (n int, err error) {
	err = r.q.Get(ctx, "read the length of a chat", &n,
		`SELECT COALESCE(MAX(number) + 1, 0) FROM {chat_messages}
		WHERE user_id = ? AND chat_id = ?`,
		key(userID), key(chatID))
	if errors.Is(err, core.ErrNoRecord) {
		err = nil // an invalid id: for any other one the statement returns a row
	}
	return n, err
}

// ChatMessagesFrom lists at most limit messages in their order. from is the number of the first
// one; they are counted from 0.
func (r reader) ChatMessagesFrom(
	ctx context.Context, userID, chatID string, from, limit int,
) (list []tutor.ChatMessage, err error) {
	var m tutor.ChatMessage
	var at timestamp
	err = r.q.Each(ctx, "read the messages of a chat", []any{&m.Role, &at, &m.Content},
		func() error {
			m.CreatedAt = at.Time()
			list = append(list, m)
			return nil
		}, `
		SELECT role, created_at, content FROM {chat_messages}
		WHERE user_id = ? AND chat_id = ? AND number >= ? ORDER BY number LIMIT ?`,
		key(userID), key(chatID), from, limit)
	return list, err
}

// ChatMessages lists the last messages of a chat in their order, at most as many as last says. It
// reads them from the last one back.
func (r reader) ChatMessages(
	ctx context.Context, userID, chatID string, last int,
) ([]tutor.ChatMessage, error) {
	var rows []struct {
		Role      tutor.AIRole `db:"role"`
		CreatedAt timestamp    `db:"created_at"`
		Content   string       `db:"content"`
	}
	err := r.q.List(ctx, "list the messages of a chat", &rows, `
		SELECT role, created_at, content
		FROM {chat_messages}
		WHERE user_id = ? AND chat_id = ?
		ORDER BY number DESC LIMIT ?`,
		key(userID), key(chatID), last)
	if err != nil {
		return nil, err
	}
	list := make([]tutor.ChatMessage, len(rows))
	for i, row := range rows {
		list[i] = tutor.ChatMessage{
			Role:      row.Role,
			Content:   row.Content,
			CreatedAt: row.CreatedAt.Time(),
		}
	}
	slices.Reverse(list)
	return list, nil
}

// InsertChat returns ErrDuplicate if the user has a chat with the id.
func (t *tx) InsertChat(ctx context.Context, c tutor.Chat) error {
	return t.Insert(ctx, "insert a chat",
		`INSERT INTO {chats} (user_id, id, created_at, updated_at) VALUES (?, ?, ?, ?)`,
		key(c.UserID), key(c.ID), timestamp(c.CreatedAt), timestamp(c.UpdatedAt))
}

// UpdateChat sets the time of the last change, and so locks the chat. It reports whether there is
// such a chat.
func (t *tx) UpdateChat(ctx context.Context, c tutor.Chat) (bool, error) {
	return t.Update(ctx, "update a chat",
		`UPDATE {chats} SET updated_at = ? WHERE user_id = ? AND id = ?`,
		timestamp(c.UpdatedAt), key(c.UserID), key(c.ID))
}

// InsertTurn adds a question and its answer to a chat that has as many messages as messages says.
// If the chat has more, another turn has taken their numbers, and InsertTurn returns ErrDuplicate.
func (t *tx) InsertTurn(
	ctx context.Context, c tutor.Chat, messages int, question, answer tutor.ChatMessage,
) error {
	return t.InsertAll(ctx, "insert a turn of a chat", `
		INSERT INTO {chat_messages} (user_id, chat_id, number, role, created_at, content)
		VALUES (?, ?, ?, ?, ?, ?), (?, ?, ?, ?, ?, ?)`,
		key(c.UserID), key(c.ID), messages, string(question.Role), timestamp(question.CreatedAt),
		question.Content,
		key(c.UserID), key(c.ID), messages+1, string(answer.Role), timestamp(answer.CreatedAt),
		answer.Content)
}

// DeleteChat deletes a chat without its messages, and reports whether there was one.
func (t *tx) DeleteChat(ctx context.Context, userID, id string) (bool, error) {
	return t.Update(ctx, "delete a chat", `DELETE FROM {chats} WHERE user_id = ? AND id = ?`,
		key(userID), key(id))
}

// DeleteChatMessages deletes the messages of one chat.
func (t *tx) DeleteChatMessages(ctx context.Context, userID, chatID string) error {
	_, err := t.Exec(ctx, "delete the messages of a chat",
		`DELETE FROM {chat_messages} WHERE user_id = ? AND chat_id = ?`, key(userID), key(chatID))
	return err
}
