package httpapi

type voteAnswer struct {
	Upvotes int  `json:"upvoteCount"`
	Upvoted bool `json:"isUpvoted"`
}

// votePost adds the caller's vote for a post, or takes it back, and answers the state after that.
// If there is an error, the answer is not sent.
func (a *api) votePost(c *call, _ none) (voteAnswer, error) {
	post, err := a.platform.Community.TogglePostVote(c.Context(), c.actor, c.Param("postId"))
	return voteAnswer{post.Upvotes, post.Upvoted}, err
}

// voteReply adds the caller's vote for a reply, or takes it back, and answers the state after that.
// If there is an error, the answer is not sent.
func (a *api) voteReply(c *call, _ none) (voteAnswer, error) {
	reply, err := a.platform.Community.ToggleReplyVote(c.Context(), c.actor, c.Param("postId"),
		c.Param("replyId"))
	return voteAnswer{reply.Upvotes, reply.Upvoted}, err
}
