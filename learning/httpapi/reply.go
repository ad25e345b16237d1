package httpapi

import (
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// replyJSON is a reply to a post (docs/api.md §11), without user ids.
type replyJSON struct {
	ID          string   `json:"_id"`
	PostID      string   `json:"postId"`
	AuthorName  string   `json:"authorName"`
	AuthorImage string   `json:"authorImage"`
	AuthorRole  string   `json:"authorRole" jsonschema:"enum=student,enum=educator,enum=admin" doc:"As that of a post."`
	Content     string   `json:"content" doc:"The text as it was written. Escape it."`
	Upvotes     int      `json:"upvoteCount"`
	Upvoted     bool     `json:"isUpvoted"`
	Own         bool     `json:"isAuthor"`
	Accepted    bool     `json:"isAcceptedAnswer"`
	CreatedAt   instant  `json:"createdAt"`
	UpdatedAt   instant  `json:"updatedAt"`
	EditedAt    *instant `json:"editedAt" jsonschema:"nullable" doc:"When the author last changed it. Null if never."`
}

// replyOf returns the wire shape of a reply as viewer sees it. to is its post, which says whether
// the reply is accepted.
func replyOf(r community.Reply, to community.Post, viewer core.Actor) replyJSON {
	return replyJSON{
		ID:          r.ID,
		PostID:      r.PostID,
		AuthorName:  r.Author.Name,
		AuthorImage: r.Author.ImageURL,
		AuthorRole:  string(r.AuthorRole),
		Content:     r.Content,
		Upvotes:     r.Upvotes,
		Upvoted:     r.Upvoted,
		Own:         r.IsBy(viewer),
		Accepted:    r.ID == to.AcceptedReplyID,
		CreatedAt:   instant(r.CreatedAt),
		UpdatedAt:   instant(r.UpdatedAt),
		EditedAt:    nullableTime(r.EditedAt),
	}
}

type replyRequest struct {
	Content string `json:"content" jsonschema:"minLength=1,maxLength=3000"`
}

type replyAnswer struct {
	Reply replyJSON `json:"reply"`
}

// createReply adds a reply to a post. If there is an error, the answer is not sent.
func (a *api) createReply(c *call, in replyRequest) (replyAnswer, error) {
	r, err := a.platform.Community.CreateReply(c.Context(), c.actor, c.Param("postId"), in.Content)
	// A new reply is not the accepted one of its post, whichever that is.
	return replyAnswer{replyOf(r, community.Post{}, c.actor)}, err
}

// editReply changes a reply of the caller. If there is an error, the answer is not sent.
func (a *api) editReply(c *call, in replyRequest) (replyAnswer, error) {
	r, post, err := a.platform.Community.EditReply(c.Context(), c.actor, c.Param("postId"),
		c.Param("replyId"), in.Content)
	return replyAnswer{replyOf(r, post, c.actor)}, err
}

type acceptReplyAnswer struct {
	Accepted bool `json:"isAcceptedAnswer"`
	Resolved bool `json:"postResolved" doc:"Whether the post is resolved. Accepting a reply resolves it; withdrawing leaves it resolved."`
}

// toggleAccepted makes a reply the accepted one of the caller's post, or, if it is, no longer, and
// answers the state after that. If there is an error, the answer is not sent.
func (a *api) toggleAccepted(c *call, _ none) (acceptReplyAnswer, error) {
	replyID := c.Param("replyId")
	post, err := a.platform.Community.ToggleAccepted(c.Context(), c.actor, c.Param("postId"),
		replyID)
	return acceptReplyAnswer{post.AcceptedReplyID == replyID, post.Resolved}, err
}

// deleteReply deletes a reply to a post.
func (a *api) deleteReply(c *call, _ none) (none, error) {
	return none{}, a.platform.Community.DeleteReply(c.Context(), c.actor, c.Param("postId"),
		c.Param("replyId"))
}
