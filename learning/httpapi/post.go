package httpapi

import (
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// postJSON is a post (docs/api.md §11). It has no user ids, because the ids of authors and
// voters never leave the server.
type postJSON struct {
	_ struct{} `doc:"A post of the community, without its replies."`

	ID          string   `json:"_id"`
	Title       string   `json:"title" doc:"The title, plain text. Escape it."`
	Content     string   `json:"content" doc:"The text as it was written. Escape it."`
	Tags        []string `json:"tags" doc:"At most five of at most 30 characters. Escape them."`
	AuthorName  string   `json:"authorName"`
	AuthorImage string   `json:"authorImage"`
	AuthorRole  string   `json:"authorRole" jsonschema:"enum=student,enum=educator,enum=admin" doc:"'admin' if an admin has written it; else 'educator' for the educator of its course, or of any course if it is in none."`
	// null for a post in no group
	Group     *postGroupJSON `json:"group" jsonschema:"nullable" doc:"Null if the post is in no group."`
	CourseID  string         `json:"courseId,omitempty" doc:"The course that it is in. Only its students, its educator and admins can read it. A post in no course has no such field."`
	LectureID string         `json:"lectureId,omitempty" doc:"The lecture of the course that it is at. A post at no lecture has no such field."`
	Upvotes   int            `json:"upvoteCount"`
	Upvoted   bool           `json:"isUpvoted"`
	Own       bool           `json:"isAuthor"`
	Replies   int            `json:"replyCount"`
	Resolved  bool           `json:"isResolved" doc:"Whether the author has resolved it."`
	CreatedAt instant        `json:"createdAt"`
	UpdatedAt instant        `json:"updatedAt"`
	EditedAt  *instant       `json:"editedAt" jsonschema:"nullable" doc:"When the author last changed it. Null if never."`
}

type postGroupJSON struct {
	ID   string `json:"_id"`
	Name string `json:"name" doc:"The name of the group, plain text."`
	Slug string `json:"slug"`
	Icon string `json:"icon" doc:"An emoji or a short text."`
}

// postOf returns the wire shape of a post as viewer sees it.
func postOf(p community.Post, viewer core.Actor) postJSON {
	answer := postJSON{
		ID: p.ID, Title: p.Title, Content: p.Content, Tags: p.Tags, AuthorName: p.Author.Name,
		AuthorImage: p.Author.ImageURL, AuthorRole: string(p.AuthorRole),
		CourseID: p.CourseID, LectureID: p.LectureID,
		Upvotes: p.Upvotes, Upvoted: p.Upvoted, Own: p.IsBy(viewer), Replies: p.Replies,
		Resolved:  p.Resolved,
		CreatedAt: instant(p.CreatedAt), UpdatedAt: instant(p.UpdatedAt),
		EditedAt: nullableTime(p.EditedAt),
	}
	if p.Group.ID != "" {
		answer.Group = &postGroupJSON{
			ID:   p.Group.ID,
			Name: p.Group.Name,
			Slug: p.Group.Slug,
			Icon: p.Group.Icon,
		}
	}
	return answer
}

// postList is the id of the route that lists posts, and trendingPosts the name of its list that is
// ordered by upvotes.
const (
	postList      = "post.list"
	trendingPosts = postList + " trending"
)

type postsAnswer struct {
	Posts []postJSON `json:"posts" doc:"The posts, the newest first; with 'tab=trending' those with the most upvotes first."`
	pageJSON
}

// pageJSON has the position of a page in the whole list.
type pageJSON struct {
	HasMore bool       `json:"hasMore" doc:"False on the last page and in a full list."`
	Total   int        `json:"total" doc:"The number of entries on all pages."`
	Next    nextCursor `json:"nextCursor,omitzero"`
}

// listPosts answers a page of the posts that the query selects, if it asks for one, or all of
// them.
func (a *api) listPosts(w http.ResponseWriter, c *call) error {
	values := c.URL.Query()
	q, err := postQuery(values)
	if err != nil {
		return err
	}
	if asksForPage(c) || values.Get("page") != "" {
		return a.pageOfPosts(w, c, q, values)
	}
	list, err := a.platform.Community.AllPosts(c.Context(), c.actor, q)
	if err != nil {
		return err
	}
	// The rows are written as they are read. Held is the memory that they use until then. The
	// number of rows is the total, and is written after the list.
	shape := func(p community.Post) postJSON { return postOf(p, c.actor) }
	return writeList(w, c, "posts", list.All, list.Held, shapeInPlace(shape),
		func(rows int) any { return pageJSON{Total: rows} })
}

// pageOfPosts answers one page of the list: the one after a cursor, or the one with a number. It
// refuses a query with both.
func (a *api) pageOfPosts(w http.ResponseWriter, c *call, q community.PostQuery,
	values url.Values) error {
	pageNumber, err := number(values, "page", 1, 1, math.MaxInt)
	if err != nil {
		return err
	}
	page, err := pageOf(c, community.DefaultPostPage)
	if err != nil {
		return err
	}
	// A page has a number or a cursor, not both.
	if values.Get("page") != "" && !page.After.IsZero() {
		return core.InvalidField("page", "must not be sent together with cursor")
	}
	found, err := a.platform.Community.Posts(c.Context(), c.actor, q, page, pageNumber)
	if err != nil {
		return err
	}
	next := nextCursor{isPage: true, cursor: cursorOf(c, found.Next)}
	return c.writeSuccess(w, postsAnswer{
		Posts:    shaped(found.Rows, func(p community.Post) postJSON { return postOf(p, c.actor) }),
		pageJSON: pageJSON{HasMore: !found.Next.IsZero(), Total: found.Total, Next: next},
	})
}

// postQuery returns the query of the URL parameters. An empty parameter counts as missing.
func postQuery(values url.Values) (community.PostQuery, error) {
	q := community.PostQuery{Tab: community.AllPosts, GroupID: values.Get("groupId"),
		CourseID: values.Get("courseId"), LectureID: values.Get("lectureId")}
	if word := values.Get("tab"); word != "" {
		known := false
		if q.Tab, known = community.ParsePostTab(word); !known {
			return q, core.InvalidField("tab", "must be all, trending or myGroups")
		}
	}
	return q, nil
}

type postAnswer struct {
	Post postJSON `json:"post"`
}

type threadAnswer struct {
	Post threadJSON `json:"post"`
}

// threadJSON is a post with its replies.
type threadJSON struct {
	postJSON
	List []replyJSON `json:"replies" doc:"The accepted one first, then the oldest first."`
}

// getPost answers a post with its replies. They come before the other fields of the post, because
// they are sent as they are read, and then their number is known.
func (a *api) getPost(w http.ResponseWriter, c *call) error {
	thread, err := a.platform.Community.Thread(c.Context(), c.actor, c.Param("postId"))
	if err != nil {
		return err
	}
	post := thread.Post
	shape := func(r community.Reply) replyJSON { return replyOf(r, post, c.actor) }
	return writeList(w, c, "post.replies", thread.Replies, nothingHeld, shapeInPlace(shape),
		func(rows int) any {
			// The number of the replies that were sent: it may differ from the one that was read
			// with the post.
			post.Replies = rows
			return postOf(post, c.actor)
		})
}

type postRequest struct {
	Title   string `json:"title" jsonschema:"minLength=1,maxLength=200"`
	Content string `json:"content" jsonschema:"minLength=1,maxLength=5000"`
	GroupID string `json:"groupId,omitempty" doc:"Without it the post is in no group."`
	// Without it the post is for everyone.
	CourseID  string  `json:"courseId,omitempty" jsonschema:"maxLength=200" doc:"The course. Only its students, its educator and admins can read the post then. Not with 'groupId'."`
	LectureID string  `json:"lectureId,omitempty" jsonschema:"maxLength=100" doc:"A lecture of the course."`
	Tags      tagList `json:"tags,omitempty" doc:"A list, or one string with commas. The first five are kept, each cut to 30 characters."`
}

// createPost publishes a post in a group, or in none. If there is an error, the answer is not sent.
func (a *api) createPost(c *call, in postRequest) (postAnswer, error) {
	p, err := a.platform.Community.CreatePost(c.Context(), c.actor,
		community.NewPost{Title: in.Title, Content: in.Content, GroupID: in.GroupID,
			CourseID: in.CourseID, LectureID: in.LectureID, Tags: in.Tags})
	return postAnswer{postOf(p, c.actor)}, err
}

type postEditRequest struct {
	_ struct{} `doc:"A change of a post. What is not sent stays unchanged."`

	Title   *string `json:"title,omitempty" jsonschema:"minLength=1,maxLength=200" doc:"The title, plain text."`
	Content *string `json:"content,omitempty" jsonschema:"minLength=1,maxLength=5000" doc:"The text. It may have any markup, which stays as it is."`
}

// editPost changes a post of the caller. If there is an error, the answer is not sent.
func (a *api) editPost(c *call, in postEditRequest) (postAnswer, error) {
	p, err := a.platform.Community.EditPost(c.Context(), c.actor, c.Param("postId"),
		community.PostEdit{Title: in.Title, Content: in.Content})
	return postAnswer{postOf(p, c.actor)}, err
}

// tagList is a JSON array of tags, or one comma-separated string.
type tagList []string

// Fill implements [schemas.Filler] for both forms. The platform trims the tags and drops empty
// ones.
func (l *tagList) Fill(tags any) error {
	if text, ok := tags.(string); ok {
		*l = strings.Split(text, ",")
		return nil
	}
	return schemas.Fill((*[]string)(l), tags)
}

// JSONSchema describes both forms.
func (tagList) JSONSchema() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{{Type: "array", Items: text}, text}}
}

type resolvePostAnswer struct {
	Resolved bool `json:"isResolved" doc:"Whether the post is resolved now."`
}

// toggleResolved marks the caller's post as resolved, or as open if it is resolved, and answers the
// state after that. If there is an error, the answer is not sent.
func (a *api) toggleResolved(c *call, _ none) (resolvePostAnswer, error) {
	resolved, err := a.platform.Community.ToggleResolved(c.Context(), c.actor, c.Param("postId"))
	return resolvePostAnswer{resolved}, err
}

// deletePost deletes a post with its replies.
func (a *api) deletePost(c *call, _ none) (none, error) {
	return none{}, a.platform.Community.DeletePost(c.Context(), c.actor, c.Param("postId"))
}
