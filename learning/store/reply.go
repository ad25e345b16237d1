package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

type replyRow struct {
	ID        string    `db:"id"`
	PostID    string    `db:"post_id"`
	Content   string    `db:"content"`
	Upvotes   int       `db:"upvotes"`
	CreatedAt timestamp `db:"created_at"`
	UpdatedAt timestamp `db:"updated_at"`
	AuthorID  string    `db:"author_id"`
	Name      *string   `db:"name"` // nil if there is no user
	ImageURL  *string   `db:"image_url"`
	DeletedAt timestamp `db:"deleted_at"`
	EditedAt  timestamp `db:"edited_at"`
	ByAdmin   bool      `db:"is_by_admin"`
	Teaches   bool      `db:"teaches"`
	Upvoted   bool      `db:"is_upvoted"`
}

// selectReplies has the id of the viewer, of whom is_upvoted is true, as its first argument.
var selectReplies = `
	SELECT r.id, r.post_id, r.content, r.upvotes, r.created_at, r.updated_at, r.author_id, u.name,
		u.image_url, u.deleted_at, r.edited_at, r.is_by_admin, ` + teaches("r.author_id") + ` AS teaches,
		EXISTS (SELECT 1 FROM {votes} v WHERE v.post_id = r.post_id AND v.reply_id = r.id
			AND v.user_id = ?) AS is_upvoted
	FROM {replies} r LEFT JOIN {posts} p ON p.id = r.post_id
		LEFT JOIN {users} u ON u.id = r.author_id`

// Replies lists a page of the replies to a post, the oldest first. Upvoted is about the viewer.
func (r reader) Replies(
	ctx context.Context, postID, viewerID string, page core.PageRequest,
) ([]community.Reply, error) {
	var f filter
	f.add(`r.post_id = ?`, key(postID))
	tail, limit := r.engine().addPage(&f,
		order{columns: []string{"r.created_at", "r.id"}, descending: false}, page)
	var rows []replyRow
	err := r.q.List(ctx, "list the replies to a post", &rows, selectReplies+f.where()+tail,
		append(append([]any{key(viewerID)}, f.args...), limit)...)
	if err != nil {
		return nil, err
	}
	list := make([]community.Reply, len(rows))
	for i := range rows {
		list[i] = rows[i].reply()
	}
	return list, nil
}

// Reply returns ErrNoRecord also for a reply to another post. Upvoted is about the viewer.
func (r reader) Reply(ctx context.Context, postID, id, viewerID string) (community.Reply, error) {
	var row replyRow
	if err := r.q.Get(ctx, "read a reply", &row, selectReplies+` WHERE r.id = ? AND r.post_id = ?`,
		key(viewerID), key(id), key(postID)); err != nil {
		return community.Reply{}, err
	}
	return row.reply(), nil
}

func (r *replyRow) reply() community.Reply {
	return community.Reply{
		ID:         r.ID,
		PostID:     r.PostID,
		Content:    r.Content,
		Author:     person(r.AuthorID, r.Name, r.ImageURL, r.DeletedAt),
		AuthorRole: authorRole(r.ByAdmin, r.Teaches),
		Upvotes:    r.Upvotes,
		CreatedAt:  r.CreatedAt.Time(),
		UpdatedAt:  r.UpdatedAt.Time(),
		EditedAt:   r.EditedAt.Time(),
		Upvoted:    r.Upvoted,
	}
}

// InsertReply stores a reply without votes.
func (t *tx) InsertReply(ctx context.Context, r community.Reply) error {
	return t.Insert(ctx, "insert a reply", `
		INSERT INTO {replies} (id, post_id, author_id, upvotes, created_at, updated_at, content,
			is_by_admin)
		VALUES (?, ?, ?, 0, ?, ?, ?, ?)`,
		key(r.ID), key(r.PostID), key(r.Author.ID), timestamp(r.CreatedAt), timestamp(r.UpdatedAt),
		r.Content, r.AuthorRole == core.Admin)
}

func (t *tx) EditReply(ctx context.Context, r community.Reply) error {
	_, err := t.Exec(ctx, "edit a reply",
		`UPDATE {replies} SET content = ?, updated_at = ?, edited_at = ? WHERE id = ?`,
		r.Content, timestamp(r.UpdatedAt), timestamp(r.EditedAt), key(r.ID))
	return err
}

// AddToReplyVotes adds by, which may be negative. It is no error if the reply was deleted.
func (t *tx) AddToReplyVotes(ctx context.Context, replyID string, by int) error {
	_, err := t.Exec(ctx, "count a vote for a reply",
		`UPDATE {replies} SET upvotes = upvotes + ? WHERE id = ?`, by, key(replyID))
	return err
}

// DeleteReply deletes a reply without its votes. It is no error if there is none.
func (t *tx) DeleteReply(ctx context.Context, id string) error {
	_, err := t.Exec(ctx, "delete a reply", `DELETE FROM {replies} WHERE id = ?`, key(id))
	return err
}

// DeleteReplies deletes all replies to posts without their votes.
func (t *tx) DeleteReplies(ctx context.Context, postIDs []string) error {
	_, err := t.Exec(ctx, "delete the replies to posts",
		`DELETE FROM {replies} WHERE post_id IN (`+placeholders(idBatchSize)+`)`,
		batchArgs(postIDs)...)
	return err
}
