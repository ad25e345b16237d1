package httpapi

import (
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/openlectern/openlectern/internal/schemas"
	"github.com/openlectern/openlectern/learning"
)

// postJSON is a post (docs/api.md §11). It has no user ids, because the ids of authors and
// voters never leave the server.
type postJSON struct {
	_ struct{} `doc:"A post of the community, without its replies."`

	ID          string         `json:"_id"`
	Title       string         `json:"title" doc:"The title, plain text. Escape it."`
	Content     string         `json:"content" doc:"The text as it was written. Escape it."`
	Tags        []string       `json:"tags" doc:"At most five tags of at most 30 characters. Escape them."`
	AuthorName  string         `json:"authorName" doc:"The author's name. 'Deleted user' if the author was deleted."`
	AuthorImage string         `json:"authorImage" doc:"The URL of the author's picture. Empty if there is none."`
	Group       *postGroupJSON `json:"group" jsonschema:"nullable" doc:"The group of the post. Null if it is in no group."` // null for a post in no group
	Upvotes     int            `json:"upvoteCount"`
	Upvoted     bool           `json:"isUpvoted"`
	Own         bool           `json:"isAuthor" doc:"Whether the caller has written it. False if the caller is not signed in."`
	Replies     int            `json:"replyCount"`
	Resolved    bool           `json:"isResolved" doc:"Whether the author has marked the post as resolved."`
	CreatedAt   instant        `json:"createdAt"`
	UpdatedAt   instant        `json:"updatedAt"`
}

type postGroupJSON struct {
	ID   string `json:"_id"`
	Name string `json:"name" doc:"The name of the group, plain text."`
	Slug string `json:"slug" doc:"The name of the group for URLs: ASCII letters and digits with hyphens. It is unique."`
	Icon string `json:"icon" doc:"An emoji or a short text."`
}

func postOf(p learning.Post, viewer learning.Actor) postJSON {
	answer := postJSON{
		ID: p.ID, Title: p.Title, Content: p.Content, Tags: p.Tags, AuthorName: p.Author.Name, AuthorImage: p.Author.ImageURL,
		Upvotes: p.Upvotes, Upvoted: p.Upvoted, Own: p.IsBy(viewer), Replies: p.Replies, Resolved: p.Resolved,
		CreatedAt: instant(p.CreatedAt), UpdatedAt: instant(p.UpdatedAt),
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
	HasMore bool       `json:"hasMore" doc:"Whether there is a next page. False if the list is answered in full."`
	Total   int        `json:"total" doc:"The number of entries on all pages."`
	Next    nextCursor `json:"nextCursor,omitzero"`
}

func (a *api) listPosts(w http.ResponseWriter, c *call) error {
	values := c.URL.Query()
	q, err := postQuery(values)
	if err != nil {
		return err
	}
	if asksForPage(c) || values.Get("page") != "" {
		return a.pageOfPosts(w, c, q, values)
	}
	list, err := a.platform.Posts(c.Context(), c.actor, q)
	if err != nil {
		return err
	}
	return writeList(w, c, "posts", list, shapePost(c.actor), func(rows int) any { return pageJSON{Total: rows} })
}

// pageOfPosts answers one page of the list: the one after a cursor, or the one with a number.
func (a *api) pageOfPosts(w http.ResponseWriter, c *call, q learning.PostQuery, values url.Values) error {
	number, err := number(values.Get("page"), 1, 1, math.MaxInt)
	if err != nil {
		return err
	}
	page, err := pageOf(c, learning.DefaultPostPage)
	if err != nil {
		return err
	}
	if values.Get("page") != "" && !page.After.IsZero() {
		return learning.ErrInvalidRequest
	}
	found, err := a.platform.PostPage(c.Context(), c.actor, q, page, number)
	if err != nil {
		return err
	}
	next := nextCursor{isPage: true, cursor: cursorOf(c, found.Next)}
	return c.writeSuccess(w, postsAnswer{
		Posts:    shaped(found.Posts, func(p learning.Post) postJSON { return postOf(p, c.actor) }),
		pageJSON: pageJSON{HasMore: !found.Next.IsZero(), Total: found.Total, Next: next},
	})
}

// shapePost returns a function that converts posts to their JSON. It returns the same pointer
// for each post, so that a long list allocates nothing for its rows.
func shapePost(viewer learning.Actor) func(learning.Post) any {
	var row postJSON
	return func(p learning.Post) any {
		row = postOf(p, viewer)
		return &row
	}
}

// postQuery returns the query of the URL parameters. An empty parameter counts as missing.
func postQuery(values url.Values) (learning.PostQuery, error) {
	q := learning.PostQuery{Tab: learning.AllPosts, GroupID: values.Get("groupId")}
	if word := values.Get("tab"); word != "" {
		known := false
		if q.Tab, known = learning.ParsePostTab(word); !known {
			return q, learning.ErrInvalidRequest
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
	List []replyJSON `json:"replies" doc:"The replies: the accepted one first, then the oldest first."`
}

func (a *api) getPost(w http.ResponseWriter, c *call) error {
	p, replies, err := a.platform.Post(c.Context(), c.actor, c.Param("postId"))
	if err != nil {
		return err
	}
	var row replyJSON
	return writeList(w, c, "post.replies", replies, func(r learning.Reply) any {
		row = replyOf(r, p, c.actor)
		return &row
	}, func(rows int) any {
		p.Replies = rows // a reply may have been added since the post was read
		return postOf(p, c.actor)
	})
}

type postRequest struct {
	Title   string  `json:"title" jsonschema:"minLength=1,maxLength=200"`
	Content string  `json:"content" jsonschema:"minLength=1,maxLength=5000"`
	GroupID string  `json:"groupId,omitempty" doc:"The id of the group. Without it the post is in no group."`
	Tags    tagList `json:"tags,omitempty" doc:"A list, or one string with commas. The first five are kept, each cut to 30 characters."`
}

func (a *api) createPost(c *call, in postRequest) (postAnswer, error) {
	p, err := a.platform.CreatePost(c.Context(), c.actor, learning.NewPost{Title: in.Title, Content: in.Content, GroupID: in.GroupID, Tags: in.Tags})
	return postAnswer{postOf(p, c.actor)}, err
}

// tagList is a JSON array of tags, or one comma-separated string.
type tagList []string

// Fill implements [schemas.Filler] for both forms.
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

func (a *api) toggleResolved(c *call, _ none) (resolvePostAnswer, error) {
	resolved, err := a.platform.ToggleResolved(c.Context(), c.actor, c.Param("postId"))
	return resolvePostAnswer{resolved}, err
}

func (a *api) deletePost(c *call, _ none) (none, error) {
	return none{}, a.platform.DeletePost(c.Context(), c.actor, c.Param("postId"))
}
