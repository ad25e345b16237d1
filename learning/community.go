package learning

import "context"

// CommunityReader reads what people say to each other.
type CommunityReader interface {
	GroupReader
	PostReader
	ReplyReader
}

// CommunityWriter writes it.
type CommunityWriter interface {
	GroupWriter
	PostWriter
	ReplyWriter
	VoteWriter
}

// GroupReader reads the groups of the community. Who asks, "" for nobody, decides
// what is joined.
type GroupReader interface {
	// EachGroupID reads the ids of all: official ones first, then by members, the oldest
	// first on a tie. It ends with the error of fn.
	EachGroupID(ctx context.Context, fn func(id string) error) error
	// GroupsByID reads those of the groups that exist, in any order.
	GroupsByID(ctx context.Context, ids []string, viewerID string) ([]Group, error)
	Group(ctx context.Context, id, viewerID string) (Group, error)
}

// GroupWriter writes groups and who is in them.
type GroupWriter interface {
	// InsertGroup adds one; [ErrDuplicate] when its slug or the key of its name is taken.
	InsertGroup(ctx context.Context, g Group, nameKey string) error
	// LockGroup lets the transaction have a group to itself, if there is one: whoever
	// locks or counts it as well waits until the transaction is over.
	LockGroup(ctx context.Context, id string) error
	// AddToMemberCount moves a group's counter of members.
	AddToMemberCount(ctx context.Context, groupID string, by int) error
	// AddToPostCount moves a group's counter of posts; it tells whether there is one.
	AddToPostCount(ctx context.Context, groupID string, by int) (bool, error)
	// InsertMembership adds one; [ErrDuplicate] when the person is a member.
	InsertMembership(ctx context.Context, m Membership) error
	// DeleteMembership removes one; it tells whether it was there.
	DeleteMembership(ctx context.Context, groupID, userID string) (bool, error)
}

// PostReader reads posts with their authors and groups. Who asks, "" for nobody,
// decides what is upvoted.
type PostReader interface {
	Post(ctx context.Context, id, viewerID string) (Post, error)
	// EachPost reads a page row by row, the newest first whatever the tab. It ends with
	// the error of fn.
	EachPost(ctx context.Context, q PostQuery, viewerID string, page Page, fn func(Post) error) error
	// EachPostID reads ids in the order of the tab: at most limit, or all for 0, after
	// the first skip ones. It ends with the error of fn.
	EachPostID(ctx context.Context, q PostQuery, viewerID string, skip, limit int, fn func(id string) error) error
	// PostsByID reads those of the posts that exist, in any order.
	PostsByID(ctx context.Context, ids []string, viewerID string) ([]Post, error)
	// PostTotal counts the rows of a list.
	PostTotal(ctx context.Context, q PostQuery, viewerID string) (int, error)
}

// PostWriter writes posts.
type PostWriter interface {
	// InsertPost adds one that nobody has reacted to.
	InsertPost(ctx context.Context, p Post) error
	// LockPost lets the transaction have a post to itself, if there is one: whoever
	// locks or counts it as well waits until the transaction is over.
	LockPost(ctx context.Context, id string) error
	// MarkPost writes whether a post is resolved, which reply was accepted, and when
	// it was updated.
	MarkPost(ctx context.Context, p Post) error
	// IncrementReplies adds one to a post's replies; it tells whether there is such a post.
	IncrementReplies(ctx context.Context, postID string) (bool, error)
	// AddToPostVotes moves a post's counter of upvotes.
	AddToPostVotes(ctx context.Context, postID string, by int) error
	// DeletePost removes a post alone, if there is one.
	DeletePost(ctx context.Context, id string) error
}

// ReplyReader reads replies with their authors. Who asks, "" for nobody, decides what
// is upvoted.
type ReplyReader interface {
	// Replies lists a page of those to a post, the oldest first.
	Replies(ctx context.Context, postID, viewerID string, page Page) ([]Reply, error)
	// Reply reads one; a reply to another post is [ErrNoRecord].
	Reply(ctx context.Context, postID, id, viewerID string) (Reply, error)
}

// ReplyWriter writes replies.
type ReplyWriter interface {
	// InsertReply adds one that nobody has reacted to.
	InsertReply(ctx context.Context, r Reply) error
	// AddToReplyVotes moves a reply's counter of upvotes.
	AddToReplyVotes(ctx context.Context, replyID string, by int) error
	// DeleteReplies removes all of a post.
	DeleteReplies(ctx context.Context, postID string) error
}

// VoteWriter writes votes.
type VoteWriter interface {
	// InsertVote adds one; [ErrDuplicate] when the person has voted for this.
	InsertVote(ctx context.Context, v Vote) error
	// DeleteVote removes one; it tells whether it was there.
	DeleteVote(ctx context.Context, v Vote) (bool, error)
	// DeleteVotes removes all of a post and of its replies.
	DeleteVotes(ctx context.Context, postID string) error
}
