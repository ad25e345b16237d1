package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

// teaches is the condition that the user of a column is the educator of the course of the post p,
// or of any course if the post is in none.
func teaches(userID string) string {
	return `EXISTS (SELECT 1 FROM {courses} c
			WHERE c.educator_id = ` + userID + ` AND (p.course_id = '' OR c.id = p.course_id))`
}

// authorRole returns the role of an author, from the columns of a post or a reply.
func authorRole(isByAdmin, teaches bool) core.Role {
	switch {
	case isByAdmin:
		return core.Admin
	case teaches:
		return core.Educator
	}
	return core.Student
}

// selectPosts selects posts, and whether a viewer has voted for them. The id of the viewer is the
// first argument. index is a hint to the table of the posts, or "".
func selectPosts(index string) string {
	return `
	SELECT p.id, p.title, p.content, p.tags, p.upvotes, p.replies, p.is_resolved,
		p.accepted_reply_id, p.created_at, p.updated_at, p.author_id, u.name, u.image_url,
		u.deleted_at, p.is_by_admin, ` + teaches("p.author_id") + `, p.course_id, p.lecture_id,
		p.educator_id, p.staff_replies, p.edited_at, p.group_id, COALESCE(g.name, ''), COALESCE(g.slug, ''), COALESCE(g.icon, ''),
		EXISTS (SELECT 1 FROM {votes} v
			WHERE v.post_id = p.id AND v.reply_id = '' AND v.user_id = ?)
	FROM {posts} p` + index +
		` LEFT JOIN {users} u ON u.id = p.author_id
		LEFT JOIN {community_groups} g ON g.id = p.group_id`
}

// Post returns ErrNoRecord if there is no such post.
func (r reader) Post(ctx context.Context, id, viewerID string) (community.Post, error) {
	const action = "read a post"
	const noHint = ""
	list, err := r.posts(ctx, action, selectPosts(noHint)+` WHERE p.id = ?`, key(viewerID), key(id))
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s: %w", action, core.ErrNoRecord)
	}
	if err != nil {
		return community.Post{}, err
	}
	return list[0], nil
}

// The orders of lists of posts.
var (
	byCreation = order{columns: []string{"p.created_at", "p.id"}, descending: true}
	byUpvotes  = order{
		columns:    []string{"p.upvotes", "p.created_at", "p.id"},
		descending: true,
		byNumber:   true,
	}
)

// postPart returns the condition of the posts of a query in one group, or if groupID is "" in the
// course of the query, with their order and the index that has it.
func postPart(q community.PostQuery, groupID string) (f filter, o order, index string) {
	switch {
	case groupID != "":
		index = "posts_of_group"
		f.add(`p.group_id = ?`, key(groupID))
	case q.LectureID != "":
		index = "posts_of_lecture"
		f.add(`p.course_id = ?`, key(q.CourseID))
		f.add(`p.lecture_id = ?`, key(q.LectureID))
	case q.CourseID != "":
		index = "posts_of_course"
		f.add(`p.course_id = ?`, key(q.CourseID))
	default: // a post of a group is in no course
		index = "posts_of_course"
		f.add(`p.course_id = ''`)
	}
	if q.Tab == community.TrendingPosts {
		return f, byUpvotes, index + "_by_upvotes"
	}
	if groupID != "" {
		return f, byCreation, "posts_by_group"
	}
	return f, byCreation, index
}

// Posts lists a page of the posts of a query, the newest first. Upvoted is about the viewer.
func (r reader) Posts(
	ctx context.Context, q community.PostQuery, viewerID string, page core.PageRequest,
) (list []community.Post, err error) {
	q.Tab = community.AllPosts
	f, o, index := postPart(q, q.GroupID)
	tail, limit := r.engine().addPage(&f, o, page)
	args := append(append([]any{key(viewerID)}, f.args...), limit)
	return r.posts(ctx, "list the posts",
		selectPosts(r.engine().ForceIndex(index))+f.where()+tail, args...)
}

// EachPostID calls fn for each post of the tab of q, in the order of the tab. In the tab of the
// viewer's groups it reads the posts of these only, and sorts them.
func (r reader) EachPostID(
	ctx context.Context, q community.PostQuery, viewerID string, fn func(id string) error,
) error {
	f, o, index := postPart(q, q.GroupID)
	from := ` FROM {posts} p` + r.engine().ForceIndex(index)
	if q.Tab == community.MyGroupsPosts {
		from = ` FROM {memberships} m JOIN {posts} p` + r.engine().ForceIndex("posts_by_group") +
			` ON p.group_id = m.group_id`
		if q.GroupID == "" {
			f = filter{}
		}
		f.add(`m.user_id = ?`, key(viewerID))
	}
	var id string
	return r.q.Each(ctx, "list the ids of the posts", []any{&id}, func() error { return fn(id) },
		`SELECT p.id`+from+f.where()+o.orderBy(), f.args...)
}

// PostPositions lists the positions of a page of the posts of groups, or of the course of q if
// groupIDs is empty, without the first skip ones after page.After. It reads an index alone: the
// positions to skip, too, and of several groups the posts of each up to the end of the page.
func (r reader) PostPositions(
	ctx context.Context, q community.PostQuery, groupIDs []string, skip int,
	page core.PageRequest,
) (list []core.Position, err error) {
	// The posts of a course, or of one group, are one list, in which the engine can skip.
	if len(groupIDs) == 0 {
		return r.postPositions(ctx, q, []string{""}, skip, page)
	}
	if len(groupIDs) == 1 {
		return r.postPositions(ctx, q, groupIDs, skip, page)
	}

	// Of several groups, read each up to the end of the page, sort by upvotes and time, the
	// greatest first, and skip here.
	for part := range slices.Chunk(groupIDs, partsPerStatement) {
		const noSkip = 0
		more, err := r.postPositions(ctx, q, part, noSkip,
			core.PageRequest{After: page.After, Limit: skip + page.Limit})
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	slices.SortFunc(list, func(a, b core.Position) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), b.At.Compare(a.At),
			strings.Compare(b.ID, a.ID))
	})
	from, to := min(skip, len(list)), min(skip+page.Limit, len(list))
	return list[from:to], nil
}

// postPositions reads the positions of a page of the posts of each group, without the first skip
// ones of each, in one statement. The group "" stands for the course of q.
func (r reader) postPositions(
	ctx context.Context, q community.PostQuery, groupIDs []string, skip int,
	page core.PageRequest,
) ([]core.Position, error) {
	upvotes := `0`
	if q.Tab == community.TrendingPosts {
		upvotes = `p.upvotes`
	}

	// One SELECT for each group.
	parts, args := make([]string, len(groupIDs)), []any{}
	for i, id := range groupIDs {
		f, o, index := postPart(q, id)
		tail, limit := r.engine().addPage(&f, o, page)
		parts[i] = `SELECT p.created_at, ` + upvotes + ` AS upvotes, p.id FROM {posts} p` +
			r.engine().ForceIndex(index) + f.where() + tail + ` OFFSET ?`
		args = append(append(args, f.args...), limit, skip)
	}

	query := unionOf("created_at, upvotes, id", parts)
	var rows []struct {
		CreatedAt timestamp `db:"created_at"`
		Upvotes   int64     `db:"upvotes"`
		ID        string    `db:"id"`
	}
	if err := r.q.List(ctx, "list the positions of posts", &rows, query, args...); err != nil {
		return nil, err
	}
	list := make([]core.Position, len(rows))
	for i, row := range rows {
		list[i] = core.Position{At: row.CreatedAt.Time(), Value: row.Upvotes, ID: row.ID}
	}
	return list, nil
}

// PostsByID lists the posts that have one of the ids, in no order. It reads idBatchSize of them at
// a time, with a statement that always has as many placeholders.
func (r reader) PostsByID(
	ctx context.Context, ids []string, viewerID string,
) (list []community.Post, err error) {
	for chunk := range slices.Chunk(ids, idBatchSize) {
		const noHint = ""
		part, err := r.posts(ctx, "read the posts of a list",
			selectPosts(noHint)+` WHERE p.id IN (`+placeholders(idBatchSize)+`)`,
			append([]any{key(viewerID)}, batchArgs(chunk)...)...)
		if err != nil {
			return nil, err
		}
		list = append(list, part...)
	}
	return list, nil
}

// PostTotal reads the totals.
func (r reader) PostTotal(ctx context.Context, courseID, lectureID string) (n int, err error) {
	f := filter{}
	f.add(`kind = 'posts'`)
	switch {
	case courseID == "":
		f.add(`course_id = ''`)
	case lectureID == "":
		f.add(`course_id = ?`, key(courseID))
	default:
		f.add(`course_id = ?`, key(courseID))
		f.add(`part = ?`, key(lectureID))
	}
	err = r.q.Get(ctx, "read the number of posts", &n,
		`SELECT COALESCE(SUM(number), 0) FROM {totals}`+f.where(), f.args...)
	return n, err
}

// posts reads the posts that a query selects; see selectPosts. It scans each row into one post, of
// which it then appends a copy.
func (r reader) posts(
	ctx context.Context, action, query string, args ...any,
) (list []community.Post, err error) {
	var p community.Post
	var tags []byte // JSON array of strings
	var name, image *string
	var accepted, group optionalKey
	var created, updated, deleted, edited timestamp
	var isByAdmin, isByEducator bool
	dest := []any{&p.ID, &p.Title, &p.Content, &tags, &p.Upvotes, &p.Replies, &p.Resolved,
		&accepted, &created, &updated,
		&p.Author.ID, &name, &image, &deleted, &isByAdmin, &isByEducator, &p.CourseID, &p.LectureID,
		&p.EducatorID, &p.StaffReplies, &edited, &group, &p.Group.Name, &p.Group.Slug, &p.Group.Icon,
		&p.Upvoted}
	err = r.q.Each(ctx, action, dest, func() error {
		p.Tags = nil // the previous post keeps its list
		if err := json.Unmarshal(tags, &p.Tags); err != nil {
			return fmt.Errorf("parse the tags of a post: %w", err)
		}
		p.Author = person(p.Author.ID, name, image, deleted)
		p.Group.ID = string(group)
		p.AcceptedReplyID = string(accepted)
		p.AuthorRole = authorRole(isByAdmin, isByEducator)
		p.CreatedAt, p.UpdatedAt, p.EditedAt = created.Time(), updated.Time(), edited.Time()
		list = append(list, p)
		return nil
	}, query, args...)
	return list, err
}

// InsertPost stores a post without replies and votes.
func (t *tx) InsertPost(ctx context.Context, p community.Post) error {
	tags, err := json.Marshal(append([]string{}, p.Tags...)) // [] for nil, not null
	if err != nil {
		return fmt.Errorf("format the tags of a post: %w", err)
	}
	return t.Insert(ctx, "insert a post", `
		INSERT INTO {posts} (id, group_id, author_id, title, tags, upvotes, replies, is_resolved,
			accepted_reply_id, created_at, updated_at, content, course_id, lecture_id, is_by_admin,
			educator_id)
		VALUES (?, ?, ?, ?, ?, 0, 0, 0, NULL, ?, ?, ?, ?, ?, ?, ?)`,
		key(p.ID), optionalKey(p.Group.ID), key(p.Author.ID), p.Title, string(tags),
		timestamp(p.CreatedAt), timestamp(p.UpdatedAt), p.Content, key(p.CourseID),
		key(p.LectureID), p.AuthorRole == core.Admin, key(p.EducatorID))
}

func (t *tx) EditPost(ctx context.Context, p community.Post) error {
	_, err := t.Exec(ctx, "edit a post",
		`UPDATE {posts} SET title = ?, content = ?, updated_at = ?, edited_at = ? WHERE id = ?`,
		p.Title, p.Content, timestamp(p.UpdatedAt), timestamp(p.EditedAt), key(p.ID))
	return err
}

// LockPost is an UPDATE that changes nothing, which locks the row on every engine. It is no error
// if there is no such post.
func (t *tx) LockPost(ctx context.Context, id string) error {
	_, err := t.Lock(ctx, "post", id, `UPDATE {posts} SET upvotes = upvotes WHERE id = ?`)
	return err
}

// UpdatePost stores whether a post is resolved, its accepted reply and its time of change, and
// nothing else of p. It is no error if the post was deleted.
func (t *tx) UpdatePost(ctx context.Context, p community.Post) error {
	_, err := t.Exec(ctx, "mark a post",
		`UPDATE {posts} SET is_resolved = ?, accepted_reply_id = ?, updated_at = ? WHERE id = ?`,
		p.Resolved, optionalKey(p.AcceptedReplyID), timestamp(p.UpdatedAt), key(p.ID))
	return err
}

// AddToReplyCount adds by, which may be negative, and reports whether there is such a post.
func (t *tx) AddToReplyCount(ctx context.Context, postID string, by int) (bool, error) {
	return t.Update(ctx, "count a reply",
		`UPDATE {posts} SET replies = replies + ? WHERE id = ?`, by, key(postID))
}

// AddToPostVotes adds by, which may be negative. It is no error if the post was deleted.
func (t *tx) AddToPostVotes(ctx context.Context, postID string, by int) error {
	_, err := t.Exec(ctx, "count a vote for a post",
		`UPDATE {posts} SET upvotes = upvotes + ? WHERE id = ?`, by, key(postID))
	return err
}

// DeletePosts deletes posts without their replies and votes. Like DeleteReplies and DeleteVotes it
// has the ids in the statement: MariaDB reads a whole table for a DELETE with a subquery.
func (t *tx) DeletePosts(ctx context.Context, ids []string) error {
	_, err := t.Exec(ctx, "delete posts",
		`DELETE FROM {posts} WHERE id IN (`+placeholders(idBatchSize)+`)`, batchArgs(ids)...)
	return err
}
