package httpapi

type voteAnswer struct {
	Upvotes int  `json:"upvoteCount"`
	Upvoted bool `json:"isUpvoted"`
}

func (a *api) votePost(c *call, _ none) (voteAnswer, error) {
	upvotes, upvoted, err := a.platform.TogglePostVote(c.Context(), c.actor, c.Param("postId"))
	return voteAnswer{upvotes, upvoted}, err
}

func (a *api) voteReply(c *call, _ none) (voteAnswer, error) {
	upvotes, upvoted, err := a.platform.ToggleReplyVote(c.Context(), c.actor, c.Param("postId"), c.Param("replyId"))
	return voteAnswer{upvotes, upvoted}, err
}
