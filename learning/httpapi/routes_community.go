package httpapi

import (
	"net/http"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// groupRoutes returns the routes of groups.
func groupRoutes() []Route {
	return []Route{
		{ID: "group.list", Method: http.MethodGet, Access: OptionalAuth,
			Path:    "/api/community/groups",
			Summary: "List the groups of the community",
			Description: "All groups, the official ones first, then by number of members. " +
				"`isMember` is about the caller.",
			Do: raw((*api).listGroups).answering(groupsAnswer{})},
		{ID: "group.create", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/community/groups",
			Summary: "Create a group and join it",
			Description: "The caller becomes a member. The slug is made of the name. Names and " +
				"slugs are unique; names are compared without case.",
			Errors: []error{community.ErrGroupExists},
			Do:     do((*api).createGroup)},
		{ID: "group.membership", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/community/groups/:groupId/membership",
			Summary: "Join or leave a group",
			Description: "A toggle: it joins the group, or leaves it. The answer has the new " +
				"state.",
			Errors: []error{community.ErrGroupNotFound},
			Do:     do((*api).toggleMembership)},
	}
}

// postRoutes returns the routes of posts.
func postRoutes() []Route {
	return []Route{
		{ID: "post.list", Method: http.MethodGet, Access: OptionalAuth,
			Path:    "/api/community/posts",
			Summary: "List the posts, of one group, of the caller's groups or all",
			Description: "The posts that are in no course, or with `courseId` those of that " +
				"course. The newest first, in full, or a page of them when `page`, " +
				"`limit` or `cursor` is sent. Ids of authors and voters never leave the server. " +
				"`isUpvoted` and `isAuthor` are about the caller.",
			query: []parameter{
				{name: "groupId", text: "Only the posts of this group. An unknown group has none.",
					schema: map[string]any{"type": "string"}},
				{name: "courseId",
					text: "The posts of this course, in place of those in none. Others than its " +
						"students, its educator and admins get an empty list.",
					schema: map[string]any{"type": "string"}},
				{name: "lectureId", text: "Only the posts at this lecture of the course.",
					schema: map[string]any{"type": "string"}},
				{name: "tab",
					text: "All posts, all with the most upvotes first, or those of the caller's " +
						"groups.",
					schema: texts(string(community.AllPosts), string(community.TrendingPosts),
						string(community.MyGroupsPosts))},
				{name: "page",
					text: "The number of a page, from 1. Without `page`, `limit` and `cursor` " +
						"the list is answered in full.",
					schema: map[string]any{"type": "integer", "minimum": 1}},
				{name: "limit", text: "The number of posts of a page.",
					schema: map[string]any{"type": "integer", "minimum": 1, "maximum": maxPageRows,
						"default": community.DefaultPostPage}},
				{name: "cursor",
					text: "The `nextCursor` of the page before, in place of `page`. Unlike a " +
						"number it takes the same time for every page.",
					schema: map[string]any{"type": "string"}},
			},
			Errors: []error{core.ErrInvalidRequest},
			Do:     raw((*api).listPosts).answering(postsAnswer{})},
		{ID: "post.get", Method: http.MethodGet, Access: OptionalAuth,
			Path:    "/api/community/posts/:postId",
			Summary: "Show a post with its replies",
			Description: "The post with all its replies: the accepted one first, then the oldest " +
				"first.",
			Errors: []error{community.ErrPostNotFound},
			Do:     raw((*api).getPost).answering(threadAnswer{})},
		{ID: "post.create", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/community/posts",
			Summary: "Write a post",
			Description: "`tags` is a list, or one string with commas; the first five are kept, " +
				"each cut to 30 characters. With a `courseId` the post is for the students of the " +
				"course, its educator and admins; others get the 404 of a post.",
			Errors: []error{community.ErrGroupNotFound, community.ErrPostNotFound,
				catalog.ErrInvalidLecture, study.ErrAccessEnded, study.ErrLectureLocked},
			Do: do((*api).createPost)},
	}
}

// postChangeRoutes returns the routes that change a post.
func postChangeRoutes() []Route {
	return []Route{
		{ID: "post.edit", Method: http.MethodPatch, Access: SignedIn, Limit: ChangeLimit,
			Path:        "/api/community/posts/:postId",
			Summary:     "Change the title and the text of the caller's own post",
			Description: "What is not sent stays unchanged. The answer shows when, in `editedAt`.",
			Errors:      []error{community.ErrPostNotFound, community.ErrNotPostAuthor},
			Do:          do((*api).editPost)},
		{ID: "post.upvote", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/community/posts/:postId/upvote",
			Summary: "Add or remove an upvote on a post",
			Description: "A toggle. The answer has the new state and the number of upvotes; " +
				"upvotes at the same time each count as one.",
			Errors: []error{community.ErrPostNotFound},
			Do:     do((*api).votePost)},
		{ID: "post.resolve", Method: http.MethodPatch, Access: SignedIn,
			Path:        "/api/community/posts/:postId/resolve",
			Summary:     "Mark the caller's own post as resolved or open",
			Description: "A toggle, for the author of the post.",
			Errors:      []error{community.ErrPostNotFound, community.ErrNotPostAuthor},
			Do:          do((*api).toggleResolved)},
		{ID: "post.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:    "/api/community/posts/:postId",
			Summary: "Delete a post with its replies, for its author or an admin",
			Description: "The replies and votes are deleted too. For the author of the post and " +
				"for admins.",
			Errors: []error{community.ErrPostNotFound, community.ErrNotPostAuthor},
			Do:     do((*api).deletePost)},
	}
}

// replyRoutes returns the routes of replies.
func replyRoutes() []Route {
	return []Route{
		{ID: "reply.create", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/community/posts/:postId/replies",
			Summary: "Reply to a post",
			Description: "Adds a reply of the caller. Texts are stored as they were written: " +
				"escape them where they are put into a page.",
			Errors: []error{community.ErrPostNotFound},
			Do:     do((*api).createReply)},
		{ID: "reply.edit", Method: http.MethodPatch, Access: SignedIn, Limit: ChangeLimit,
			Path:        "/api/community/posts/:postId/replies/:replyId",
			Summary:     "Change the text of the caller's own reply",
			Description: "The answer shows when, in `editedAt`.",
			Errors: []error{community.ErrPostNotFound, community.ErrReplyNotFound,
				community.ErrNotReplyAuthor},
			Do: do((*api).editReply)},
		{ID: "reply.upvote", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/community/posts/:postId/replies/:replyId/upvote",
			Summary: "Add or remove an upvote on a reply",
			Description: "A toggle. The answer has the new state and the number of upvotes; " +
				"upvotes at the same time each count as one.",
			Errors: []error{community.ErrPostNotFound, community.ErrReplyNotFound},
			Do:     do((*api).voteReply)},
		{ID: "reply.accept", Method: http.MethodPatch, Access: SignedIn,
			Path:    "/api/community/posts/:postId/replies/:replyId/accept",
			Summary: "Accept a reply to the caller's own post, or withdraw the acceptance",
			Description: "A toggle, for the author of the post. A post has at most one accepted " +
				"reply. Accepting resolves the post; withdrawing the acceptance leaves it " +
				"resolved.",
			Errors: []error{community.ErrPostNotFound, community.ErrNotPostAuthor,
				community.ErrReplyNotFound},
			Do: do((*api).toggleAccepted)},
		{ID: "reply.delete", Method: http.MethodDelete, Access: SignedIn,
			Path:    "/api/community/posts/:postId/replies/:replyId",
			Summary: "Delete a reply, for its author or an admin",
			Description: "The votes are deleted too. If it was the accepted reply, the post has " +
				"none any more and stays resolved.",
			Errors: []error{community.ErrPostNotFound, community.ErrReplyNotFound,
				community.ErrNotReplyAuthor},
			Do: do((*api).deleteReply)},
	}
}

// answerRoutes returns the routes of what an educator may answer.
func answerRoutes() []Route {
	query := func(noun string) []parameter {
		return paged(
			parameter{
				name:   "courseId",
				text:   "The course. Without it all of which the caller is the educator.",
				schema: map[string]any{"type": "string"},
			},
			parameter{
				name:   "answered",
				text:   "Only the " + noun + " that are answered, or that are not. Without it all.",
				schema: texts("true", "false"),
			})
	}
	return []Route{
		{ID: "educator.questions", Method: http.MethodGet, Access: Staff,
			Path:    "/api/educator/questions",
			Summary: "List the questions in a course, or in all courses of the caller",
			Description: "The posts of others in a course, the newest first, in pages. One is " +
				"answered if it is resolved, or has a reply of the educator or an admin. Posts of " +
				"deleted users are left out.",
			query:  query("questions"),
			Errors: []error{core.ErrInvalidRequest, catalog.ErrCourseNotFound},
			Do:     do((*api).questions)},
		{ID: "educator.reviews", Method: http.MethodGet, Access: Staff,
			Path:    "/api/educator/reviews",
			Summary: "List the reviews of a course, or of all courses of the caller",
			Description: "The ratings with a text, the newest first, in pages. One is answered if " +
				"it has an answer of the educator.",
			query:  query("reviews"),
			Errors: []error{core.ErrInvalidRequest, catalog.ErrCourseNotFound},
			Do:     do((*api).taughtReviews)},
	}
}

// complaintRoutes returns the routes of complaints.
func complaintRoutes() []Route {
	return []Route{
		{ID: "complaint.create", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/community/posts/:postId/report",
			Summary: "Report a post or one of its replies to the admins",
			Description: "With `replyId` about a reply, without it about the post itself. A " +
				"repeated report of a caller about the same post or reply changes nothing. The " +
				"author is not told who has reported it.",
			Errors: []error{community.ErrPostNotFound, community.ErrReplyNotFound},
			Do:     do((*api).complain)},
		{ID: "complaint.list", Method: http.MethodGet, Access: Admins, Limit: AdminLimit,
			Path:    "/api/admin/reports",
			Summary: "List what users have reported, of one status or all",
			Description: "The newest first, in pages. `excerpt` is the beginning of what was " +
				"reported, as it was then.",
			query: paged(parameter{
				name: "status",
				text: "Only the reports of this status.",
				schema: texts(string(community.ComplaintOpen), string(community.ComplaintDismissed),
					string(community.ComplaintRemoved)),
			}),
			Errors: []error{core.ErrInvalidRequest},
			Do:     do((*api).complaints)},
		{ID: "complaint.decide", Method: http.MethodPatch, Access: Admins, Limit: AdminLimit,
			agents:  withAllTools,
			Path:    "/api/admin/reports/:reportId",
			Summary: "Dismiss a report, or remove what was reported",
			Description: "`removed` deletes the post or the reply, and closes all reports about " +
				"it. A report whose target was deleted by anyone is `removed` already and cannot " +
				"be dismissed.",
			Errors: []error{community.ErrComplaintNotFound, community.ErrComplaintRemoved},
			Do:     do((*api).decideComplaint)},
	}
}

// reviewRoutes returns the routes of ratings and reviews.
func reviewRoutes() []Route {
	return []Route{
		{ID: reviewList, Method: http.MethodGet, Access: Public,
			Path:    "/api/course/:id/reviews",
			Summary: "List the reviews of a course, with the numbers of its ratings",
			Description: "A page of the ratings with a text, and how many ratings there are of " +
				"each number of stars.",
			query: paged(parameter{
				name: "sort",
				text: "The order: the newest, the most stars or the fewest stars first. Without " +
					"it the newest.",
				schema: texts(string(community.NewestReviews), string(community.BestReviews),
					string(community.WorstReviews)),
			}),
			Errors: []error{core.ErrInvalidRequest, catalog.ErrCourseNotFound},
			Do:     do((*api).listReviews)},
		{ID: "review.report", Method: http.MethodPost, Access: SignedIn, Limit: CommunityLimit,
			Path:    "/api/course/:id/reviews/:reviewId/report",
			Summary: "Report a review to the admins",
			Description: "A repeated report of a caller about the same review changes nothing. " +
				"The author is not told who has reported it.",
			Errors: []error{community.ErrReviewNotFound},
			Do:     do((*api).reportReview)},
		{ID: "review.answer", Method: http.MethodPut, Access: Staff, Limit: ChangeLimit,
			Path:    "/api/educator/reviews/:reviewId/answer",
			Summary: "Answer a review of an own course, or change the answer",
			Description: "For the educator of the course and for admins. Everyone can read the " +
				"answer. An empty text removes it.",
			Errors: []error{core.ErrForbidden, community.ErrReviewNotFound},
			Do:     do((*api).answerReview)},
		{ID: "rating.add", Method: http.MethodPost, Access: SignedIn,
			Path:    "/api/user/add-rating",
			Summary: "Rate a course, or change the rating",
			Description: "One rating for each user and course; a later one replaces it. With a " +
				"`review` it is shown to everyone, with the name of the caller. The caller must " +
				"be enrolled; after the end of that only an empty `review` is accepted, which " +
				"leaves the stars.",
			Errors: []error{catalog.ErrCourseNotFound, study.ErrNotPurchased, study.ErrAccessEnded},
			Do:     do((*api).addRating)},
	}
}
