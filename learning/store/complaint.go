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
	ReporterID optionalKey               `db:"reporter_id"`
	Reason     string                    `db:"reason"`
	Excerpt    string                    `db:"excerpt"`
	Status     community.ComplaintStatus `db:"status"`
	CreatedAt  timestamp                 `db:"created_at"`
	DecidedBy  optionalKey               `db:"decided_by"`
	DecidedAt  timestamp                 `db:"decided_at"`
}

const selectComplaints = `
	SELECT id, post_id, reply_id, reporter_id, reason, excerpt, status, created_at, decided_by,
		decided_at
	FROM {complaints}`

func (r reader) Complaint(ctx context.Context, id string) (community.Complaint, error) {
	var row complaintRow
	if err := r.q.Get(ctx, "read a complaint", &row, selectComplaints+` WHERE id = ?`,
		key(id)); err != nil {
		return community.Complaint{}, err
	}
	return row.complaint(), nil
}

// Complaints lists a page of the complaints with a status, or with any if it is "", the newest
// first.
func (r reader) Complaints(
	ctx context.Context, status community.ComplaintStatus, page core.PageRequest,
) ([]community.Complaint, error) {
	var f filter
	index := "complaints_by_creation"
	if status != "" {
		index = "complaints_by_status"
		f.add(`status = ?`, key(status))
	}
	tail, limit := r.engine().addPage(&f,
		order{columns: []string{"created_at", "id"}, descending: true}, page)
	var rows []complaintRow
	err := r.q.List(ctx, "list the complaints", &rows,
		selectComplaints+r.engine().pageHint(index, page)+f.where()+tail, append(f.args, limit)...)
	if err != nil {
		return nil, err
	}
	list := make([]community.Complaint, len(rows))
	for i := range rows {
		list[i] = rows[i].complaint()
	}
	return list, nil
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
			decided_by, decided_at, reason, excerpt)
		VALUES (?, ?, ?, ?, 'open', ?, NULL, NULL, ?, ?)`,
		key(c.ID), key(c.PostID), key(cmp.Or(c.ReplyID, c.ReviewID)), optionalKey(c.ReporterID),
		timestamp(c.CreatedAt),
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
// its replies.
func openComplaints(postID, replyID string) (f filter) {
	f.add(`post_id = ?`, key(postID))
	if replyID != "" {
		f.add(`reply_id = ?`, key(replyID))
	}
	f.add(`status = 'open'`)
	return f
}

func (r reader) OpenComplaints(
	ctx context.Context, postID, replyID string,
) ([]community.Complaint, error) {
	f := openComplaints(postID, replyID)
	var rows []complaintRow
	err := r.q.List(ctx, "list the open complaints", &rows,
		selectComplaints+r.engine().ForceIndex("complaints_by_post")+f.where(), f.args...)
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
	f := openComplaints(postID, replyID)
	n, err := t.Exec(ctx, "close complaints",
		`UPDATE {complaints} SET status = ?, decided_by = ?, decided_at = ?`+f.where(),
		append([]any{string(d.Status), storedKey(d.By), timestamp(d.At)}, f.args...)...)
	return int(n), err
}

// ForgetReporter keeps the complaints of a user, but not who reported them.
func (t *tx) ForgetReporter(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "remove a user from complaints",
		`UPDATE {complaints} SET reporter_id = NULL WHERE reporter_id = ?`, key(userID))
	return err
}
