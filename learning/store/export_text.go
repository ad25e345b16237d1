package store

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/openlectern/openlectern/learning"
)

// OwnChats lists a page of the chats of a user, by id.
func (r reader) OwnChats(ctx context.Context, userID string, page learning.Page) ([]learning.Chat, error) {
	type row struct {
		ID        string    `db:"id"`
		CreatedAt timestamp `db:"created_at"`
		UpdatedAt timestamp `db:"updated_at"`
	}
	o := own{
		action: "list a user's chats",
		query:  `SELECT id, created_at, updated_at FROM chats`,
		owner:  "user_id",
		by:     []string{"id"},
		after:  byID,
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.Chat {
		return learning.Chat{ID: s.ID, UserID: userID, CreatedAt: s.CreatedAt.Time(), UpdatedAt: s.UpdatedAt.Time()}
	}))
}

// OwnChatMessages lists a page of the messages of all chats of a user, by chat and number.
func (r reader) OwnChatMessages(ctx context.Context, userID string, page learning.Page) ([]learning.NumberedMessage, error) {
	type row struct {
		ChatID    string          `db:"chat_id"`
		Number    int             `db:"number"`
		Role      learning.AIRole `db:"role"`
		CreatedAt timestamp       `db:"created_at"`
		Content   string          `db:"content"`
	}
	o := own{
		action: "list the messages of a user's chats",
		query:  `SELECT chat_id, number, role, created_at, content FROM chat_messages`,
		owner:  "user_id",
		by:     []string{"chat_id", "number"},
		after: func(p learning.Position) []any {
			number, _ := strconv.Atoi(p.ID2) // of a message that this method has returned
			return []any{key(p.ID), number}
		},
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.NumberedMessage {
		return learning.NumberedMessage{ChatID: s.ChatID, Number: s.Number, ChatMessage: learning.ChatMessage{Role: s.Role, Content: s.Content, CreatedAt: s.CreatedAt.Time()}}
	}))
}

// OwnPosts lists a page of the posts of a user, by id.
func (r reader) OwnPosts(ctx context.Context, userID string, page learning.Page) ([]learning.Post, error) {
	type row struct {
		ID        string      `db:"id"`
		GroupID   optionalKey `db:"group_id"`
		Title     string      `db:"title"`
		Tags      []byte      `db:"tags"` // JSON array of strings
		Upvotes   int         `db:"upvotes"`
		Replies   int         `db:"replies"`
		Resolved  bool        `db:"is_resolved"`
		Accepted  optionalKey `db:"accepted_reply_id"`
		CreatedAt timestamp   `db:"created_at"`
		UpdatedAt timestamp   `db:"updated_at"`
		Content   string      `db:"content"`
	}
	o := own{
		action: "list a user's posts",
		query: `
		SELECT id, group_id, title, tags, upvotes, replies, is_resolved, accepted_reply_id, created_at, updated_at, content FROM posts` +
			r.engine().ForceIndex("posts_by_author"),
		owner: "author_id",
		by:    []string{"id"},
		after: byID,
	}
	return ownPage(ctx, r, o, userID, page, func(s *row) (learning.Post, error) {
		p := learning.Post{ID: s.ID, Group: learning.Group{ID: string(s.GroupID)}, Author: learning.Person{ID: userID}, Title: s.Title, Content: s.Content,
			Upvotes: s.Upvotes, Replies: s.Replies, Resolved: s.Resolved, AcceptedReplyID: string(s.Accepted),
			CreatedAt: s.CreatedAt.Time(), UpdatedAt: s.UpdatedAt.Time()}
		if err := json.Unmarshal(s.Tags, &p.Tags); err != nil {
			return learning.Post{}, fmt.Errorf("parse the tags of a post: %w", err)
		}
		return p, nil
	})
}

// OwnReplies lists a page of the replies of a user, by id.
func (r reader) OwnReplies(ctx context.Context, userID string, page learning.Page) ([]learning.Reply, error) {
	type row struct {
		ID        string    `db:"id"`
		PostID    string    `db:"post_id"`
		Upvotes   int       `db:"upvotes"`
		CreatedAt timestamp `db:"created_at"`
		UpdatedAt timestamp `db:"updated_at"`
		Content   string    `db:"content"`
	}
	o := own{
		action: "list a user's replies",
		query: `SELECT id, post_id, upvotes, created_at, updated_at, content FROM replies` +
			r.engine().ForceIndex("replies_by_author"),
		owner: "author_id",
		by:    []string{"id"},
		after: byID,
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.Reply {
		return learning.Reply{ID: s.ID, PostID: s.PostID, Author: learning.Person{ID: userID}, Content: s.Content, Upvotes: s.Upvotes,
			CreatedAt: s.CreatedAt.Time(), UpdatedAt: s.UpdatedAt.Time()}
	}))
}

// OwnVotes lists a page of the votes of a user, by post and reply.
func (r reader) OwnVotes(ctx context.Context, userID string, page learning.Page) ([]learning.Vote, error) {
	type row struct {
		PostID    string    `db:"post_id"`
		ReplyID   string    `db:"reply_id"`
		CreatedAt timestamp `db:"created_at"`
	}
	o := own{
		action: "list a user's votes",
		query:  `SELECT post_id, reply_id, created_at FROM votes` + r.engine().ForceIndex("votes_by_user"),
		owner:  "user_id",
		by:     []string{"post_id", "reply_id"},
		after:  byIDs,
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.Vote {
		return learning.Vote{PostID: s.PostID, ReplyID: s.ReplyID, UserID: userID, CreatedAt: s.CreatedAt.Time()}
	}))
}

// OwnComplaints lists a page of the complaints that a user has made, by post and reply.
func (r reader) OwnComplaints(ctx context.Context, userID string, page learning.Page) ([]learning.Complaint, error) {
	o := own{
		action: "list a user's complaints",
		query:  selectComplaints,
		owner:  "reporter_id",
		by:     []string{"post_id", "reply_id"},
		after:  byIDs,
	}
	return ownPage(ctx, r, o, userID, page, noError((*complaintRow).complaint))
}

// OwnAIUsage lists a page of the AI usage of a user, by day.
func (r reader) OwnAIUsage(ctx context.Context, userID string, page learning.Page) ([]learning.AIDay, error) {
	type row struct {
		Day        string `db:"day"`
		Prompt     int64  `db:"prompt_tokens"`
		Completion int64  `db:"completion_tokens"`
	}
	o := own{
		action: "list a user's AI usage",
		query:  `SELECT day, prompt_tokens, completion_tokens FROM ai_usage` + r.engine().ForceIndex("ai_usage_by_user"),
		owner:  "user_id",
		by:     []string{"day"},
		after:  byID,
	}
	return ownPage(ctx, r, o, userID, page, noError(func(s *row) learning.AIDay {
		return learning.AIDay{Day: s.Day, AIUsage: learning.AIUsage{Prompt: s.Prompt, Completion: s.Completion}}
	}))
}
