package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/learning"
)

// selectPosts selects posts with the votes of a viewer, whose id is the first argument.
func selectPosts(index string) string {
	return `
	SELECT p.id, p.title, p.content, p.tags, p.upvotes, p.replies, p.is_resolved, p.accepted_reply_id, p.created_at, p.updated_at,
		p.author_id, u.name, u.image_url, u.deleted_at,
		p.group_id, COALESCE(g.name, ''), COALESCE(g.slug, ''), COALESCE(g.icon, ''),
		EXISTS (SELECT 1 FROM votes v WHERE v.post_id = p.id AND v.reply_id = '' AND v.user_id = ?)
	FROM posts p` + index + ` LEFT JOIN users u ON u.id = p.author_id LEFT JOIN community_groups g ON g.id = p.group_id`
}

// Post reads one post.
func (r reader) Post(ctx context.Context, id, viewerID string) (post learning.Post, err error) {
	const action = "read a post"
	err = r.eachPost(ctx, action, func(p learning.Post) error {
		post = p
		return nil
	}, selectPosts("")+` WHERE p.id = ?`, key(viewerID), key(id))
	if err == nil && post.ID == "" {
		err = fmt.Errorf("%s: %w", action, learning.ErrNoRecord)
	}
	return post, err
}

// The orders of lists of posts.
var (
	byCreation = order{columns: []string{"p.created_at", "p.id"}, descending: true}
	byUpvotes  = order{columns: []string{"p.upvotes", "p.created_at", "p.id"}, descending: true, byNumber: true}
)

// postIndex returns the order of a list of posts, and the index that has it.
func postIndex(tab learning.PostTab, ofGroup bool) (o order, index string) {
	switch {
	case tab == learning.TrendingPosts && ofGroup:
		return byUpvotes, "posts_of_group_by_upvotes"
	case tab == learning.TrendingPosts:
		return byUpvotes, "posts_by_upvotes"
	case ofGroup:
		return byCreation, "posts_by_group"
	}
	return byCreation, "posts_by_creation"
}

func (r reader) EachPost(ctx context.Context, groupID, viewerID string, page learning.Page, fn func(learning.Post) error) error {
	var f filter
	if groupID != "" {
		f.add(`p.group_id = ?`, key(groupID))
	}
	o, index := postIndex(learning.AllPosts, groupID != "")
	tail, limit := r.engine().page(&f, o, page)
	args := append(append([]any{key(viewerID)}, f.args...), limit)
	return r.eachPost(ctx, "list the posts", fn, selectPosts(r.engine().ForceIndex(index))+f.where()+tail, args...)
}

// EachPostID sorts the posts of several groups, so that it reads no posts of others.
func (r reader) EachPostID(ctx context.Context, q learning.PostQuery, viewerID string, fn func(id string) error) error {
	o, index := postIndex(q.Tab, q.GroupID != "" || q.Tab == learning.MyGroupsPosts)
	from, f := ` FROM posts p`+r.engine().ForceIndex(index), filter{}
	if q.Tab == learning.MyGroupsPosts {
		from = ` FROM memberships m JOIN posts p` + r.engine().ForceIndex(index) + ` ON p.group_id = m.group_id`
		f.add(`m.user_id = ?`, key(viewerID))
	}
	if q.GroupID != "" {
		f.add(`p.group_id = ?`, key(q.GroupID))
	}
	var id string
	return r.q.Each(ctx, "list the ids of the posts", []any{&id}, func() error { return fn(id) },
		`SELECT p.id`+from+f.where()+o.orderBy(), f.args...)
}

// groupsPerStatement is how many groups one statement of PostPositions reads at most.
const groupsPerStatement = 32

// PostPositions reads an index alone: the positions to skip, too, and of several groups the posts of
// each up to the end of the page.
func (r reader) PostPositions(ctx context.Context, tab learning.PostTab, groupIDs []string, skip int, page learning.Page) (list []learning.Position, err error) {
	if len(groupIDs) == 0 {
		return r.postPositions(ctx, tab, []filter{{}}, skip, page)
	}
	groups := make([]filter, len(groupIDs))
	for i, id := range groupIDs {
		groups[i].add(`p.group_id = ?`, key(id))
	}
	if len(groups) == 1 {
		return r.postPositions(ctx, tab, groups, skip, page)
	}
	for part := range slices.Chunk(groups, groupsPerStatement) {
		more, err := r.postPositions(ctx, tab, part, 0, learning.Page{After: page.After, Limit: skip + page.Limit})
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	slices.SortFunc(list, func(a, b learning.Position) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), b.At.Compare(a.At), strings.Compare(b.ID, a.ID))
	})
	return list[min(skip, len(list)):min(skip+page.Limit, len(list))], nil
}

// postPositions reads the positions of a page of each list, in one statement. All lists are of
// groups, or there is one of all posts.
func (r reader) postPositions(ctx context.Context, tab learning.PostTab, lists []filter, skip int, page learning.Page) ([]learning.Position, error) {
	o, index := postIndex(tab, len(lists[0].conditions) > 0)
	upvotes := `0`
	if o.byNumber {
		upvotes = `p.upvotes`
	}
	parts, args := make([]string, len(lists)), []any{}
	for i, f := range lists {
		tail, limit := r.engine().page(&f, o, page)
		parts[i] = `SELECT p.created_at, ` + upvotes + ` AS upvotes, p.id FROM posts p` +
			r.engine().ForceIndex(index) + f.where() + tail + ` OFFSET ?`
		args = append(append(args, f.args...), limit, skip)
	}
	query := parts[0]
	if len(parts) > 1 {
		const from = `SELECT g.created_at, g.upvotes, g.id FROM (`
		query = from + strings.Join(parts, `) g UNION ALL `+from) + `) g`
	}
	var rows []struct {
		CreatedAt timestamp `db:"created_at"`
		Upvotes   int64     `db:"upvotes"`
		ID        string    `db:"id"`
	}
	if err := r.q.List(ctx, "list the positions of posts", &rows, query, args...); err != nil {
		return nil, err
	}
	list := make([]learning.Position, len(rows))
	for i, row := range rows {
		list[i] = learning.Position{At: row.CreatedAt.Time(), Value: row.Upvotes, ID: row.ID}
	}
	return list, nil
}

func (r reader) PostsByID(ctx context.Context, ids []string, viewerID string) (list []learning.Post, err error) {
	for chunk := range slices.Chunk(ids, idBatchSize) {
		err := r.eachPost(ctx, "read the posts of a list", func(p learning.Post) error {
			list = append(list, p)
			return nil
		}, selectPosts("")+` WHERE p.id IN (`+placeholders(idBatchSize)+`)`, append([]any{key(viewerID)}, batchArgs(chunk)...)...)
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (r reader) PostTotal(ctx context.Context) (n int, err error) {
	err = r.q.Get(ctx, "read the number of posts", &n,
		`SELECT COALESCE(SUM(number), 0) FROM totals WHERE course_id = '' AND kind = 'posts' AND part = ''`)
	return n, err
}

func (r reader) eachPost(ctx context.Context, action string, fn func(learning.Post) error, query string, args ...any) error {
	var p learning.Post
	var tags []byte // JSON array of strings
	var name, image *string
	var accepted, group optionalKey
	var created, updated, deleted timestamp
	dest := []any{&p.ID, &p.Title, &p.Content, &tags, &p.Upvotes, &p.Replies, &p.Resolved, &accepted, &created, &updated,
		&p.Author.ID, &name, &image, &deleted, &group, &p.Group.Name, &p.Group.Slug, &p.Group.Icon, &p.Upvoted}
	return r.q.Each(ctx, action, dest, func() error {
		p.Tags = nil
		if err := json.Unmarshal(tags, &p.Tags); err != nil {
			return fmt.Errorf("parse the tags of a post: %w", err)
		}
		p.Author, p.Group.ID, p.AcceptedReplyID = person(p.Author.ID, name, image, deleted), string(group), string(accepted)
		p.CreatedAt, p.UpdatedAt = created.Time(), updated.Time()
		return fn(p)
	}, query, args...)
}

func (t *tx) InsertPost(ctx context.Context, p learning.Post) error {
	tags, err := json.Marshal(append([]string{}, p.Tags...))
	if err != nil {
		return fmt.Errorf("format the tags of a post: %w", err)
	}
	return t.Insert(ctx, "insert a post", `
		INSERT INTO posts (id, group_id, author_id, title, tags, upvotes, replies, is_resolved, accepted_reply_id, created_at, updated_at, content)
		VALUES (?, ?, ?, ?, ?, 0, 0, 0, NULL, ?, ?, ?)`,
		key(p.ID), optionalKey(p.Group.ID), key(p.Author.ID), p.Title, string(tags), timestamp(p.CreatedAt), timestamp(p.UpdatedAt), p.Content)
}

// LockPost is an UPDATE that changes nothing, which locks the row on every engine.
func (t *tx) LockPost(ctx context.Context, id string) error {
	_, err := t.Lock(ctx, "post", id, `UPDATE posts SET upvotes = upvotes WHERE id = ?`)
	return err
}

func (t *tx) UpdatePost(ctx context.Context, p learning.Post) error {
	_, err := t.Exec(ctx, "mark a post", `UPDATE posts SET is_resolved = ?, accepted_reply_id = ?, updated_at = ? WHERE id = ?`,
		p.Resolved, optionalKey(p.AcceptedReplyID), timestamp(p.UpdatedAt), key(p.ID))
	return err
}

func (t *tx) AddToReplyCount(ctx context.Context, postID string, by int) (bool, error) {
	return t.Update(ctx, "count a reply", `UPDATE posts SET replies = replies + ? WHERE id = ?`, by, key(postID))
}

func (t *tx) AddToPostVotes(ctx context.Context, postID string, by int) error {
	_, err := t.Exec(ctx, "count a vote for a post", `UPDATE posts SET upvotes = upvotes + ? WHERE id = ?`, by, key(postID))
	return err
}

func (t *tx) DeletePost(ctx context.Context, id string) error {
	_, err := t.Exec(ctx, "delete a post", `DELETE FROM posts WHERE id = ?`, key(id))
	return err
}
