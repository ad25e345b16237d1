package community

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

// The public failures of the community.
var (
	ErrGroupNotFound = &core.Error{Kind: core.NotFound, Code: "group_not_found",
		Message: "Group not found"}
	ErrPostNotFound = &core.Error{Kind: core.NotFound, Code: "post_not_found",
		Message: "Post not found"}
	ErrReplyNotFound = &core.Error{Kind: core.NotFound, Code: "reply_not_found",
		Message: "Reply not found"}
	ErrGroupExists = &core.Error{Kind: core.Conflict, Code: "group_exists",
		Message: "A group with this name already exists"}
	ErrNotPostAuthor = &core.Error{Kind: core.Forbidden, Code: "not_post_author",
		Message: "Only the post author can do this"}
	ErrNotReplyAuthor = &core.Error{Kind: core.Forbidden, Code: "not_reply_author",
		Message: "Only the reply author can do this"}
)

// The totals of the room but [TotalRatings].
const (
	// TotalPosts counts posts, by course and lecture, which are "" for posts in no course.
	TotalPosts core.TotalKind = "posts"
	// TotalWaitingQuestions counts the questions that wait for an answer, by course.
	TotalWaitingQuestions core.TotalKind = "waiting questions"
	// TotalWaitingReviews counts the reviews without an answer, by course.
	TotalWaitingReviews core.TotalKind = "waiting reviews"
	// TotalOpenComplaints counts the complaints on which no admin has decided.
	TotalOpenComplaints core.TotalKind = "open reports"
)

// The events of posts and replies. UserID is the author.
const (
	EventPostCreated  core.EventType = "post.created"
	EventReplyCreated core.EventType = "reply.created"
)

// groupReader reads groups. viewerID is the user whose memberships set [Group.Joined],
// or "".
type groupReader interface {
	// EachGroupID calls fn with the ids of all groups: official ones first, then by
	// number of members, the oldest first on a tie. It stops at the first error of fn
	// and returns it.
	EachGroupID(ctx context.Context, fn func(id string) error) error
	// GroupsByID reads the groups that have one of the ids, in any order.
	GroupsByID(ctx context.Context, ids []string, viewerID string) ([]Group, error)
	Group(ctx context.Context, id, viewerID string) (Group, error)
	// MemberGroups lists the groups of a user that have posts, in any order. It sets ID and Posts
	// only.
	MemberGroups(ctx context.Context, userID string) ([]Group, error)
}

// groupWriter writes groups and memberships.
type groupWriter interface {
	// InsertGroup adds a group. It returns [core.ErrDuplicate] if its slug or the key of its
	// name is taken.
	InsertGroup(ctx context.Context, g Group, nameKey string) error
	// LockGroup locks a group until the end of the transaction. It does nothing if
	// there is no such group.
	LockGroup(ctx context.Context, id string) error
	// AddToMemberCount adds by to the number of members of a group.
	AddToMemberCount(ctx context.Context, groupID string, by int) error
	// AddToPostCount adds by to the number of posts of a group. It reports whether
	// there is such a group.
	AddToPostCount(ctx context.Context, groupID string, by int) (bool, error)
	// InsertMembership adds a membership. It returns [core.ErrDuplicate] if the user is a
	// member.
	InsertMembership(ctx context.Context, m Membership) error
	// DeleteMembership removes a membership. It reports whether there was one.
	DeleteMembership(ctx context.Context, groupID, userID string) (bool, error)
}

// postReader reads posts with their authors and groups. viewerID is the user whose
// votes set [Post.Upvoted], or "".
type postReader interface {
	Post(ctx context.Context, id, viewerID string) (Post, error)
	// Posts lists a page of the posts of a query, the newest first, whatever its tab is.
	Posts(ctx context.Context, q PostQuery, viewerID string, page core.PageRequest) ([]Post, error)
	// EachPostID calls fn with the ids of all posts of a query, in the order of its tab. It stops
	// at the first error of fn and returns it.
	EachPostID(ctx context.Context, q PostQuery, viewerID string, fn func(id string) error) error
	// PostPositions lists the positions of a page of posts in the order of the tab of a query: of
	// some groups, or for no group of the course of the query. After the start of the page it skips
	// some. [core.Position.Value] is the number of upvotes for [TrendingPosts], else 0.
	PostPositions(ctx context.Context, q PostQuery, groupIDs []string, skip int,
		page core.PageRequest) ([]core.Position, error)
	// PostsByID reads the posts that have one of the ids, in any order.
	PostsByID(ctx context.Context, ids []string, viewerID string) ([]Post, error)
	// PostTotal reads the number of the posts of a course, at a lecture unless that is "". For no
	// course it reads that of the posts in none.
	PostTotal(ctx context.Context, courseID, lectureID string) (int, error)
	questionReader
}

// postWriter writes posts.
type postWriter interface {
	// InsertPost adds a post without replies and votes.
	InsertPost(ctx context.Context, p Post) error
	// LockPost locks a post until the end of the transaction. It does nothing if there
	// is no such post.
	LockPost(ctx context.Context, id string) error
	// UpdatePost stores whether a post is resolved, its accepted reply, and its update
	// time.
	UpdatePost(ctx context.Context, p Post) error
	// EditPost stores the title, the content and the times of change and edit of a post.
	EditPost(ctx context.Context, p Post) error
	// AddToReplyCount adds by to the number of replies of a post, which locks the post.
	// It reports whether there is such a post.
	AddToReplyCount(ctx context.Context, postID string, by int) (bool, error)
	// AddToStaffReplies adds by to the number of replies of staff of a post.
	AddToStaffReplies(ctx context.Context, postID string, by int) error
	questionWriter
	// AddToPostVotes adds by to the number of upvotes of a post.
	AddToPostVotes(ctx context.Context, postID string, by int) error
	// DeletePosts removes posts without their replies and votes, those that there are. There must
	// be one id at least, and at most postsPerDelete.
	DeletePosts(ctx context.Context, ids []string) error
}

// replyReader reads replies with their authors. viewerID is the user whose votes set
// [Reply.Upvoted], or "".
type replyReader interface {
	// Replies lists a page of the replies to a post, the oldest first.
	Replies(ctx context.Context, postID, viewerID string, page core.PageRequest) ([]Reply, error)
	// Reply reads a reply to a post. It returns [core.ErrNoRecord] for a reply to another
	// post.
	Reply(ctx context.Context, postID, id, viewerID string) (Reply, error)
}

// replyWriter writes replies.
type replyWriter interface {
	// InsertReply adds a reply without votes.
	InsertReply(ctx context.Context, r Reply) error
	// EditReply stores the content and the times of change and edit of a reply.
	EditReply(ctx context.Context, r Reply) error
	// AddToReplyVotes adds by to the number of upvotes of a reply.
	AddToReplyVotes(ctx context.Context, replyID string, by int) error
	// DeleteReply removes a reply without its votes. It does nothing if there is none.
	DeleteReply(ctx context.Context, id string) error
	// DeleteReplies removes all replies to posts, without their votes. It takes as many ids as
	// DeletePosts.
	DeleteReplies(ctx context.Context, postIDs []string) error
}

// voteWriter writes votes.
type voteWriter interface {
	// InsertVote adds a vote. It returns [core.ErrDuplicate] if the user has voted for this
	// post or reply.
	InsertVote(ctx context.Context, v Vote) error
	// DeleteVote removes a vote. It reports whether there was one.
	DeleteVote(ctx context.Context, v Vote) (bool, error)
	// DeleteReplyVotes removes all votes for a reply.
	DeleteReplyVotes(ctx context.Context, postID, replyID string) error
	// DeleteVotes removes all votes for posts and for the replies to them. It takes as many ids as
	// DeletePosts.
	DeleteVotes(ctx context.Context, postIDs []string) error
}
