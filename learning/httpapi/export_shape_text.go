package httpapi

import "github.com/openlectern/openlectern/learning"

type exportedChatJSON struct {
	ID        string  `json:"_id"`
	CreatedAt instant `json:"createdAt"`
	UpdatedAt instant `json:"updatedAt"`
}

func exportedChat(c learning.Chat) exportedChatJSON {
	return exportedChatJSON{
		ID:        c.ID,
		CreatedAt: instant(c.CreatedAt),
		UpdatedAt: instant(c.UpdatedAt),
	}
}

type exportedMessageJSON struct {
	ChatID    string  `json:"chatId"`
	Number    int     `json:"number" doc:"The position of the message in its chat, from 0."`
	Role      string  `json:"role" jsonschema:"enum=user,enum=assistant" doc:"Who wrote it: the 'user', or the tutor ('assistant')."`
	Content   string  `json:"content" doc:"The text as it was written. Escape it where it is put into a page."`
	CreatedAt instant `json:"createdAt"`
}

func exportedMessage(m learning.NumberedMessage) exportedMessageJSON {
	return exportedMessageJSON{
		ChatID:    m.ChatID,
		Number:    m.Number,
		Role:      string(m.Role),
		Content:   m.Content,
		CreatedAt: instant(m.CreatedAt),
	}
}

type exportedMembershipJSON struct {
	GroupID  string  `json:"groupId"`
	JoinedAt instant `json:"joinedAt" doc:"When the user joined the group."`
}

func exportedMembership(m learning.Membership) exportedMembershipJSON {
	return exportedMembershipJSON{m.GroupID, instant(m.CreatedAt)}
}

type exportedPostJSON struct {
	ID        string   `json:"_id"`
	GroupID   *string  `json:"groupId" jsonschema:"nullable" doc:"The id of the group. Null for a post in none."`
	Title     string   `json:"title"`
	Content   string   `json:"content" doc:"The text as it was written. Escape it where it is put into a page."`
	Tags      []string `json:"tags"`
	Upvotes   int      `json:"upvoteCount"`
	Replies   int      `json:"replyCount"`
	Resolved  bool     `json:"isResolved"`
	CreatedAt instant  `json:"createdAt"`
	UpdatedAt instant  `json:"updatedAt"`
}

func exportedPost(p learning.Post) exportedPostJSON {
	return exportedPostJSON{
		ID:        p.ID,
		GroupID:   nullable(p.Group.ID),
		Title:     p.Title,
		Content:   p.Content,
		Tags:      append([]string{}, p.Tags...),
		Upvotes:   p.Upvotes,
		Replies:   p.Replies,
		Resolved:  p.Resolved,
		CreatedAt: instant(p.CreatedAt),
		UpdatedAt: instant(p.UpdatedAt),
	}
}

type exportedReplyJSON struct {
	ID        string  `json:"_id"`
	PostID    string  `json:"postId"`
	Content   string  `json:"content" doc:"The text as it was written. Escape it where it is put into a page."`
	Upvotes   int     `json:"upvoteCount"`
	CreatedAt instant `json:"createdAt"`
	UpdatedAt instant `json:"updatedAt"`
}

func exportedReply(r learning.Reply) exportedReplyJSON {
	return exportedReplyJSON{
		ID:        r.ID,
		PostID:    r.PostID,
		Content:   r.Content,
		Upvotes:   r.Upvotes,
		CreatedAt: instant(r.CreatedAt),
		UpdatedAt: instant(r.UpdatedAt),
	}
}

type exportedVoteJSON struct {
	PostID    string  `json:"postId"`
	ReplyID   *string `json:"replyId" jsonschema:"nullable" doc:"The id of the reply. Null if the upvote is on the post itself."`
	CreatedAt instant `json:"createdAt"`
}

func exportedVote(v learning.Vote) exportedVoteJSON {
	return exportedVoteJSON{
		PostID:    v.PostID,
		ReplyID:   nullable(v.ReplyID),
		CreatedAt: instant(v.CreatedAt),
	}
}

// exportedComplaintJSON leaves out the excerpt, which is the text of another user, and who decided.
type exportedComplaintJSON struct {
	_ struct{} `doc:"A report of a post or a reply, without the reported text."`

	ID        string   `json:"_id" doc:"The id of the report."`
	PostID    string   `json:"postId"`
	ReplyID   *string  `json:"replyId" jsonschema:"nullable" doc:"The id of the reply. Null if the post itself was reported."`
	Reason    string   `json:"reason" doc:"The reason that the user has given."`
	Status    string   `json:"status" jsonschema:"enum=open,enum=dismissed,enum=removed" doc:"The state of the report."`
	CreatedAt instant  `json:"createdAt"`
	DecidedAt *instant `json:"decidedAt" jsonschema:"nullable" doc:"When an admin decided. Null while it is open."`
}

func exportedComplaint(c learning.Complaint) exportedComplaintJSON {
	return exportedComplaintJSON{
		ID:        c.ID,
		PostID:    c.PostID,
		ReplyID:   nullable(c.ReplyID),
		Reason:    c.Reason,
		Status:    string(c.Status),
		CreatedAt: instant(c.CreatedAt),
		DecidedAt: nullableInstant(c.DecidedAt),
	}
}

type exportedAIUsageJSON struct {
	Day        string `json:"date" jsonschema:"format=date" doc:"The day in UTC, such as 2026-01-31."`
	Prompt     int64  `json:"promptTokens" doc:"The tokens that the AI has read."`
	Completion int64  `json:"completionTokens" doc:"The tokens that the AI has written."`
}

func exportedAIUsage(d learning.AIDay) exportedAIUsageJSON {
	return exportedAIUsageJSON{Day: d.Day, Prompt: d.Prompt, Completion: d.Completion}
}
