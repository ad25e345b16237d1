package store

import (
	"cmp"
	"context"

	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
)

type complaintRow struct {
	ID         string                    `db:"id"`
	PostID     string                    `db:"post_id"`
	ReplyID    string                    `db:"reply_id"`
	CourseID   string                    `db:"course_id"`
	AuthorID   optionalKey               `db:"author_id"`
	ReporterID optionalKey               `db:"reporter_id"`
	Reason     string                    `db:"reason"`
	Excerpt    string                    `db:"excerpt"`
	Status     community.ComplaintStatus `db:"status"`
	CreatedAt  timestamp                 `db:"created_at"`
	DecidedBy  optionalKey               `db:"decided_by"`
	DecidedAt  timestamp                 `db:"decided_at"`
}

// complaintColumns are the columns of complaintRow. The course and the author of a complaint of
// before they were stored are those of what it is about, as long as that is there.
const complaintColumns = `k.id, k.post_id, k.reply_id, k.reporter_id, k.reason, k.excerpt, k.status,
		k.created_at, k.decided_by, k.decided_at, ` + reportedAuthor + ` AS author_id,
		COALESCE(k.course_id, p.course_id, v.course_id, '') AS course_id`

// reportedAuthor is the id of the author of what a complaint k is about, or NULL.
const reportedAuthor = `COALESCE(k.author_id,
			CASE WHEN k.reply_id = '' THEN p.author_id ELSE COALESCE(y.author_id, v.user_id) END)`

// joinReported joins what a complaint k is about: a post p, a reply y, or a review of a rating v.
const joinReported = `
		LEFT JOIN {posts} p ON p.id = k.post_id
		LEFT JOIN {replies} y ON y.id = k.reply_id
		LEFT JOIN {ratings} v ON v.review_id = k.reply_id`

// selectComplaints selects complaints. index is a hint to their table, or "".
func selectComplaints(index string) string {
	return `
	SELECT ` + complaintColumns + `
	FROM {complaints} k` + index + joinReported
}

func (r reader) Complaint(ctx context.Context, id string) (community.Complaint, error) {
	var row complaintRow
	const noHint = ""
	if err := r.q.Get(ctx, "read a complaint", &row, selectComplaints(noHint)+` WHERE k.id = ?`,
		key(id)); err != nil {
		return community.Complaint{}, err
	}
	return row.complaint(), nil
}

// ComplaintReports lists a page of the complaints with a status, or with any if it is "", the
// newest first. A complaint without a reporter is that of a deleted user.
func (r reader) ComplaintReports(
	ctx context.Context, status community.ComplaintStatus, page core.PageRequest,
) ([]community.ComplaintReport, error) {
	var f filter
	index := "complaints_by_creation"
	if status != "" {
		index = "complaints_by_status"
		f.add(`k.status = ?`, key(status))
	}
	tail, limit := r.engine().addPage(&f,
		order{columns: []string{"k.created_at", "k.id"}, descending: true}, page)
	var rows []struct {
		complaintRow
		AuthorName        *string   `db:"author_name"` // nil if there is no user
		AuthorDeletedAt   timestamp `db:"author_deleted_at"`
		ReporterName      *string   `db:"reporter_name"`
		ReporterDeletedAt timestamp `db:"reporter_deleted_at"`
	}
	err := r.q.List(ctx, "list the complaints", &rows, `
	SELECT `+complaintColumns+`,
		a.name AS author_name, a.deleted_at AS author_deleted_at,
		u.name AS reporter_name, u.deleted_at AS reporter_deleted_at
	FROM {complaints} k`+r.engine().pageHint(index, page)+joinReported+`
		LEFT JOIN {users} a ON a.id = `+reportedAuthor+`
		LEFT JOIN {users} u ON u.id = k.reporter_id`+f.where()+tail, append(f.args, limit)...)
	list := make([]community.ComplaintReport, len(rows))
	for i := range rows {
		row, noImage := &rows[i], ""
		list[i] = community.ComplaintReport{Complaint: row.complaint(),
			ReporterName: core.DeletedUser}
		if id := list[i].AuthorID; id != "" {
			list[i].AuthorName = person(id, row.AuthorName, &noImage, row.AuthorDeletedAt).Name
		}
		if id := list[i].ReporterID; id != "" {
			list[i].ReporterName = person(id, row.ReporterName, &noImage,
				row.ReporterDeletedAt).Name
		}
	}
	return list, err
}

// complaint returns the complaint of a row. One about a review has no post_id, and the id of the
// review as its reply_id, so that one unique key is enough.
func (r *complaintRow) complaint() community.Complaint {
	reviewID := ""
	if r.PostID == "" {
		reviewID, r.ReplyID = r.ReplyID, ""
	}
	return community.Complaint{
		ReviewID:   reviewID,
		ID:         r.ID,
		PostID:     r.PostID,
		ReplyID:    r.ReplyID,
		CourseID:   r.CourseID,
		AuthorID:   string(r.AuthorID),
		ReporterID: string(r.ReporterID),
		Reason:     r.Reason,
		Excerpt:    r.Excerpt,
		Status:     r.Status,
		CreatedAt:  r.CreatedAt.Time(),
		DecidedBy:  string(r.DecidedBy),
		DecidedAt:  r.DecidedAt.Time(),
	}
}

// InsertComplaint returns ErrDuplicate if the reporter has complained about this post or reply.
func (t *tx) InsertComplaint(ctx context.Context, c community.Complaint) error {
	return t.Insert(ctx, "insert a complaint", `
		INSERT INTO {complaints} (id, post_id, reply_id, reporter_id, status, created_at,
			decided_by, decided_at, course_id, author_id, reason, excerpt)
		VALUES (?, ?, ?, ?, 'open', ?, NULL, NULL, ?, ?, ?, ?)`,
		key(c.ID), key(c.PostID), key(cmp.Or(c.ReplyID, c.ReviewID)), optionalKey(c.ReporterID),
		timestamp(c.CreatedAt), optionalKey(c.CourseID), optionalKey(c.AuthorID),
		c.Reason, c.Excerpt)
}

// DecideComplaint stores a decision. It changes nothing, and returns false, for a complaint with
// another status, and if there is no such complaint.
func (t *tx) DecideComplaint(
	ctx context.Context, id string, from community.ComplaintStatus, d community.ComplaintDecision,
) (bool, error) {
	return t.Update(ctx, "decide on a complaint", `
		UPDATE {complaints} SET status = ?, decided_by = ?, decided_at = ?
		WHERE id = ? AND status = ?`,
		string(d.Status), storedKey(d.By), timestamp(d.At), key(id), string(from))
}

// openComplaints selects the open complaints about a reply or, if replyID is "", about a post and
// its replies. table is "k." if that is the table of the complaints, or else "".
func openComplaints(table, postID, replyID string) (f filter) {
	f.add(table+`post_id = ?`, key(postID))
	if replyID != "" {
		f.add(table+`reply_id = ?`, key(replyID))
	}
	f.add(table + `status = 'open'`)
	return f
}

func (r reader) OpenComplaints(
	ctx context.Context, postID, replyID string,
) ([]community.Complaint, error) {
	f := openComplaints("k.", postID, replyID)
	var rows []complaintRow
	err := r.q.List(ctx, "list the open complaints", &rows,
		selectComplaints(r.engine().ForceIndex("complaints_by_post"))+f.where(), f.args...)
	list := make([]community.Complaint, len(rows))
	for i := range rows {
		list[i] = rows[i].complaint()
	}
	return list, err
}

// CloseComplaints stores the decision d for the open complaints about a reply. If replyID is "", it
// does so for those about a post and all of its replies. It is no error if there are none.
func (t *tx) CloseComplaints(
	ctx context.Context, postID, replyID string, d community.ComplaintDecision,
) (int, error) {
	f := openComplaints("", postID, replyID)
	n, err := t.Exec(ctx, "close complaints",
		`UPDATE {complaints} SET status = ?, decided_by = ?, decided_at = ?`+f.where(),
		append([]any{string(d.Status), storedKey(d.By), timestamp(d.At)}, f.args...)...)
	return int(n), err
}

// ClosePostComplaints has the ids in the statement, as DeletePosts does.
func (t *tx) ClosePostComplaints(
	ctx context.Context, postIDs []string, d community.ComplaintDecision,
) (int, error) {
	args := append([]any{string(d.Status), optionalKey(d.By), timestamp(d.At)},
		batchArgs(postIDs)...)
	n, err := t.Exec(ctx, "close the complaints about posts", `
		UPDATE {complaints} SET status = ?, decided_by = ?, decided_at = ?
		WHERE post_id IN (`+placeholders(idBatchSize)+`) AND status = 'open'`, args...)
	return int(n), err
}

// ForgetReporter keeps the complaints of a user, but not who reported them.
func (t *tx) ForgetReporter(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "remove a user from complaints",
		`UPDATE {complaints} SET reporter_id = NULL WHERE reporter_id = ?`, key(userID))
	return err
}
