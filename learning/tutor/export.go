package tutor

import "github.com/openlectern/openlectern/internal/exportlist"

// ExportLists lists the chats and the use of the AI.
func (s *ForRooms) ExportLists() []exportlist.List { return exported }

var exported = []exportlist.List{
	{
		Name:    "chats",
		Text:    "The chats with the tutor.",
		From:    "{chats}",
		Owner:   "user_id",
		Private: true,
		Key:     []exportlist.Field{{Column: "id"}},
		Row:     "ExportedChat",
		Fields: []exportlist.Field{
			{Name: "_id", Column: "id"},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
			{Name: "updatedAt", Column: "updated_at", Type: exportlist.Time},
		},
	},
	{
		Name:    "chatMessages",
		Text:    "The messages of all chats, by chat, in their order.",
		From:    "{chat_messages}",
		Owner:   "user_id",
		Private: true,
		Key: []exportlist.Field{{Column: "chat_id"},
			{Column: "number", Type: exportlist.Number}},
		Row: "ExportedMessage",
		Fields: []exportlist.Field{
			{Name: "chatId", Column: "chat_id"},
			{Name: "number", Column: "number", Type: exportlist.Number,
				Text: "The position of the message in its chat, from 0."},
			{Name: "role", Column: "role", Values: []string{"user", "assistant"},
				Text: "Who wrote it: the `user`, or the tutor (`assistant`)."},
			{Name: "content", Column: "content",
				Text: "The text as it was written. Escape it where it is put into a page."},
			{Name: "createdAt", Column: "created_at", Type: exportlist.Time},
		},
	},
	{
		Name:  "aiUsage",
		Text:  "The tokens of the AI that the caller has used, by UTC day.",
		From:  "{ai_usage}",
		Index: "ai_usage_by_user",
		Owner: "user_id",
		Key:   []exportlist.Field{{Column: "day"}},
		Row:   "ExportedAIUsage",
		Fields: []exportlist.Field{
			{Name: "date", Column: "day", Type: exportlist.Day,
				Text: "The day in UTC, such as 2026-01-31."},
			{Name: "promptTokens", Column: "prompt_tokens", Type: exportlist.Number,
				Text: "The tokens that the AI has read."},
			{Name: "completionTokens", Column: "completion_tokens", Type: exportlist.Number,
				Text: "The tokens that the AI has written."},
		},
	},
}
