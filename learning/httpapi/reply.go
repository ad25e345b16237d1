package httpapi

import "github.com/openlectern/openlectern/learning"

// replyJSON is a reply to a post (docs/api.md §11), without user ids.
type replyJSON struct {
	ID          string  `json:"_id"`
	PostID      string  `json:"postId"`
	AuthorName  string  `json:"authorName"`
	AuthorImage string  `json:"authorImage"`
	Content     string  `json:"content"`
	Upvotes     int     `json:"upvoteCount"`
	Upvoted     bool    `json:"isUpvoted"`
	Own         bool    `json:"isAuthor"`
	Accepted    bool    `json:"isAcceptedAnswer"`
	CreatedAt   instant `json:"createdAt"`
	UpdatedAt   instant `json:"updatedAt"`
}

func replyOf(r learning.Reply, to learning.Post, viewer learning.Actor) replyJSON {
	return replyJSON{r.ID, r.PostID, r.Author.Name, r.Author.ImageURL, r.Content, r.Upvotes, r.Upvoted, r.IsBy(viewer),
		r.ID == to.AcceptedReplyID, instant(r.CreatedAt), instant(r.UpdatedAt)}
}

type replyRequest struct {
	Content string `json:"content" jsonschema:"minLength=1,maxLength=3000"`
}

type replyAnswer struct {
	Reply replyJSON `json:"reply"`
}

func (a *api) createReply(c *call, in replyRequest) (replyAnswer, error) {
	r, err := a.platform.CreateReply(c.Context(), c.actor, c.param("postId"), in.Content)
	return replyAnswer{replyOf(r, learning.Post{}, c.actor)}, err
}

type acceptReplyAnswer struct {
	Accepted bool `json:"isAcceptedAnswer"`
	Resolved bool `json:"postResolved"`
}

func (a *api) toggleAccepted(c *call, _ none) (acceptReplyAnswer, error) {
	accepted, resolved, err := a.platform.ToggleAccepted(c.Context(), c.actor, c.param("postId"), c.param("replyId"))
	return acceptReplyAnswer{accepted, resolved}, err
}

func (a *api) deleteReply(c *call, _ none) (none, error) {
	return none{}, a.platform.DeleteReply(c.Context(), c.actor, c.param("postId"), c.param("replyId"))
}
