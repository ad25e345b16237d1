package httpapi

import "github.com/openlectern/openlectern/learning"

type exportedChatJSON struct {
	ID        string  `json:"_id"`
	CreatedAt instant `json:"createdAt"`
	UpdatedAt instant `json:"updatedAt"`
}

func exportedChat(c learning.Chat) exportedChatJSON {
	return exportedChatJSON{c.ID, instant(c.CreatedAt), instant(c.UpdatedAt)}
}

type exportedMessageJSON struct {
	ChatID    string  `json:"chatId"`
	Number    int     `json:"number"`
	Role      string  `json:"role" jsonschema:"enum=user,enum=assistant"`
	Content   string  `json:"content"`
	CreatedAt instant `json:"createdAt"`
}

func exportedMessage(m learning.NumberedMessage) exportedMessageJSON {
	return exportedMessageJSON{m.ChatID, m.Number, string(m.Role), m.Content, instant(m.CreatedAt)}
}

type exportedMembershipJSON struct {
	GroupID  string  `json:"groupId"`
	JoinedAt instant `json:"joinedAt"`
}

func exportedMembership(m learning.Membership) exportedMembershipJSON {
	return exportedMembershipJSON{m.GroupID, instant(m.CreatedAt)}
}

type exportedPostJSON struct {
	ID        string   `json:"_id"`
	GroupID   *string  `json:"groupId" jsonschema:"nullable"`
	Title     string   `json:"title"`
	Content   string   `json:"content"`
	Tags      []string `json:"tags"`
	Upvotes   int      `json:"upvoteCount"`
	Replies   int      `json:"replyCount"`
	Resolved  bool     `json:"isResolved"`
	CreatedAt instant  `json:"createdAt"`
	UpdatedAt instant  `json:"updatedAt"`
}

func exportedPost(p learning.Post) exportedPostJSON {
	return exportedPostJSON{p.ID, nullable(p.Group.ID), p.Title, p.Content, append([]string{}, p.Tags...), p.Upvotes, p.Replies, p.Resolved,
		instant(p.CreatedAt), instant(p.UpdatedAt)}
}

type exportedReplyJSON struct {
	ID        string  `json:"_id"`
	PostID    string  `json:"postId"`
	Content   string  `json:"content"`
	Upvotes   int     `json:"upvoteCount"`
	CreatedAt instant `json:"createdAt"`
	UpdatedAt instant `json:"updatedAt"`
}

func exportedReply(r learning.Reply) exportedReplyJSON {
	return exportedReplyJSON{r.ID, r.PostID, r.Content, r.Upvotes, instant(r.CreatedAt), instant(r.UpdatedAt)}
}

type exportedVoteJSON struct {
	PostID    string  `json:"postId"`
	ReplyID   *string `json:"replyId" jsonschema:"nullable"`
	CreatedAt instant `json:"createdAt"`
}

func exportedVote(v learning.Vote) exportedVoteJSON {
	return exportedVoteJSON{v.PostID, nullable(v.ReplyID), instant(v.CreatedAt)}
}

// exportedComplaintJSON leaves out the excerpt, which is the text of another user, and who decided.
type exportedComplaintJSON struct {
	ID        string   `json:"_id"`
	PostID    string   `json:"postId"`
	ReplyID   *string  `json:"replyId" jsonschema:"nullable"`
	Reason    string   `json:"reason"`
	Status    string   `json:"status" jsonschema:"enum=open,enum=dismissed,enum=removed"`
	CreatedAt instant  `json:"createdAt"`
	DecidedAt *instant `json:"decidedAt" jsonschema:"nullable"`
}

func exportedComplaint(c learning.Complaint) exportedComplaintJSON {
	return exportedComplaintJSON{c.ID, c.PostID, nullable(c.ReplyID), c.Reason, string(c.Status), instant(c.CreatedAt), nullableInstant(c.DecidedAt)}
}

type exportedAIUsageJSON struct {
	Day        string `json:"date" jsonschema:"format=date"`
	Prompt     int64  `json:"promptTokens"`
	Completion int64  `json:"completionTokens"`
}

func exportedAIUsage(d learning.AIDay) exportedAIUsageJSON {
	return exportedAIUsageJSON{d.Day, d.Prompt, d.Completion}
}
