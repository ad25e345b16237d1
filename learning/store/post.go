package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

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
		err = noRecord(action)
	}
	return post, err
}

// byCreation is the order of most lists of posts.
var byCreation = order{columns: []string{"p.created_at", "p.id"}, descending: true}

// EachPost calls fn with the posts of a page, the newest first.
func (r reader) EachPost(ctx context.Context, q learning.PostQuery, viewerID string, page learning.Page, fn func(learning.Post) error) error {
	f := postFilter(q, viewerID)
	tail, limit := r.q.engine().page(&f, byCreation, page)
	args := append(append([]any{key(viewerID)}, f.args...), limit)
	return r.eachPost(ctx, "list the posts", fn, selectPosts(r.q.engine().forceIndex(postIndex(q)))+f.where()+tail, args...)
}

// EachPostID reads the ids of a list in its order, at most limit after skip. If limit
// is 0, it reads all.
func (r reader) EachPostID(ctx context.Context, q learning.PostQuery, viewerID string, skip, limit int, fn func(id string) error) error {
	f := postFilter(q, viewerID)
	o, index := byCreation, postIndex(q)
	if q.Tab == learning.TrendingPosts {
		o.columns, index = append([]string{"p.upvotes"}, o.columns...), "posts_by_upvotes"
	}
	if limit == 0 {
		limit = math.MaxInt64
	}
	query := `SELECT p.id FROM posts p`
	if q.GroupID == "" || q.Tab != learning.TrendingPosts {
		query += r.q.engine().forceIndex(index)
	}
	var id string
	return r.q.each(ctx, "list the ids of the posts", []any{&id}, func() error { return fn(id) },
		query+f.where()+o.orderBy()+` LIMIT ? OFFSET ?`, append(f.args, limit, skip)...)
}

// PostsByID reads those of the posts that exist, in any order.
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

// PostTotal counts the rows of a list.
func (r reader) PostTotal(ctx context.Context, q learning.PostQuery, viewerID string) (n int, err error) {
	f := postFilter(q, viewerID)
	err = r.q.get(ctx, "count the posts", &n, `SELECT COUNT(*) FROM posts p`+f.where(), f.args...)
	if errors.Is(err, learning.ErrNoRecord) {
		err = nil // the id of the group is invalid
	}
	return n, err
}

// postFilter selects the posts of a list. It counts memberships and does not use
// EXISTS, because MariaDB and MySQL turn EXISTS into a join and sort its rows for each page.
func postFilter(q learning.PostQuery, viewerID string) (f filter) {
	if q.GroupID != "" {
		f.add(`p.group_id = ?`, key(q.GroupID))
	}
	if q.Tab == learning.MyGroupsPosts {
		f.add(`(SELECT COUNT(*) FROM memberships m WHERE m.user_id = ? AND m.group_id = p.group_id) > 0`, key(viewerID))
	}
	return f
}

// postIndex names the index that has the posts of a list in the order of creation.
func postIndex(q learning.PostQuery) string {
	if q.GroupID != "" {
		return "posts_by_group"
	}
	return "posts_by_creation"
}

func (r reader) eachPost(ctx context.Context, action string, fn func(learning.Post) error, query string, args ...any) error {
	var p learning.Post
	var tags []byte // JSON array of strings
	var name, image *string
	var accepted, group optionalKey
	var created, updated, deleted timestamp
	dest := []any{&p.ID, &p.Title, &p.Content, &tags, &p.Upvotes, &p.Replies, &p.Resolved, &accepted, &created, &updated,
		&p.Author.ID, &name, &image, &deleted, &group, &p.Group.Name, &p.Group.Slug, &p.Group.Icon, &p.Upvoted}
	return r.q.each(ctx, action, dest, func() error {
		p.Tags = nil
		if err := json.Unmarshal(tags, &p.Tags); err != nil {
			return fmt.Errorf("parse the tags of a post: %w", err)
		}
		p.Author, p.Group.ID, p.AcceptedReplyID = person(p.Author.ID, name, image, deleted), string(group), string(accepted)
		p.CreatedAt, p.UpdatedAt = created.time(), updated.time()
		return fn(p)
	}, query, args...)
}

// InsertPost adds a post without votes and replies.
func (t *tx) InsertPost(ctx context.Context, p learning.Post) error {
	tags, err := json.Marshal(append([]string{}, p.Tags...))
	if err != nil {
		return fmt.Errorf("format the tags of a post: %w", err)
	}
	return t.insert(ctx, "insert a post", `
		INSERT INTO posts (id, group_id, author_id, title, tags, upvotes, replies, is_resolved, accepted_reply_id, created_at, updated_at, content)
		VALUES (?, ?, ?, ?, ?, 0, 0, 0, NULL, ?, ?, ?)`,
		key(p.ID), optionalKey(p.Group.ID), key(p.Author.ID), p.Title, string(tags), timestamp(p.CreatedAt), timestamp(p.UpdatedAt), p.Content)
}

// LockPost locks the row of a post, if it exists, until the transaction ends. An UPDATE that
// changes nothing locks the row on every engine.
func (t *tx) LockPost(ctx context.Context, id string) error {
	_, err := t.lock(ctx, "post", id, `UPDATE posts SET upvotes = upvotes WHERE id = ?`)
	return err
}

// UpdatePost writes whether a post is resolved, which reply was accepted, and when it was
// updated.
func (t *tx) UpdatePost(ctx context.Context, p learning.Post) error {
	_, err := t.exec(ctx, "mark a post", `UPDATE posts SET is_resolved = ?, accepted_reply_id = ?, updated_at = ? WHERE id = ?`,
		p.Resolved, optionalKey(p.AcceptedReplyID), timestamp(p.UpdatedAt), key(p.ID))
	return err
}

// AddToReplyCount adds to a post's counter of replies. It reports whether the post exists.
func (t *tx) AddToReplyCount(ctx context.Context, postID string, by int) (bool, error) {
	return t.update(ctx, "count a reply", `UPDATE posts SET replies = replies + ? WHERE id = ?`, by, key(postID))
}

// AddToPostVotes adds to a post's counter of upvotes.
func (t *tx) AddToPostVotes(ctx context.Context, postID string, by int) error {
	_, err := t.exec(ctx, "count a vote for a post", `UPDATE posts SET upvotes = upvotes + ? WHERE id = ?`, by, key(postID))
	return err
}

// DeletePost deletes a post, if it exists, without its replies and votes.
func (t *tx) DeletePost(ctx context.Context, id string) error {
	_, err := t.exec(ctx, "delete a post", `DELETE FROM posts WHERE id = ?`, key(id))
	return err
}
