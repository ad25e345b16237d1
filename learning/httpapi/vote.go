package httpapi

type voteAnswer struct {
	Upvotes int  `json:"upvoteCount"`
	Upvoted bool `json:"isUpvoted"`
}

func (a *api) votePost(c *call, _ none) (voteAnswer, error) {
	post, err := a.platform.TogglePostVote(c.Context(), c.actor, c.Param("postId"))
	return voteAnswer{post.Upvotes, post.Upvoted}, err
}

func (a *api) voteReply(c *call, _ none) (voteAnswer, error) {
	reply, err := a.platform.ToggleReplyVote(c.Context(), c.actor, c.Param("postId"),
		c.Param("replyId"))
	return voteAnswer{reply.Upvotes, reply.Upvoted}, err
}
