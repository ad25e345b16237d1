package store

import (
	"context"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/staff"
)

type decisionRow struct {
	ID             string    `db:"id"`
	Kind           string    `db:"kind"`
	ActorID        string    `db:"decided_by"`
	UserID         string    `db:"user_id"`
	CourseID       string    `db:"course_id"`
	CreatedAt      timestamp `db:"created_at"`
	ChapterID      string    `db:"chapter_id"`
	PurchaseID     string    `db:"purchase_id"`
	RefundID       string    `db:"refund_id"`
	ApplicationID  string    `db:"application_id"`
	PostID         string    `db:"post_id"`
	ReplyID        string    `db:"reply_id"`
	ReviewID       string    `db:"review_id"`
	ReportID       string    `db:"report_id"`
	Reason         string    `db:"reason"`
	ReportReason   string    `db:"report_reason"`
	ActorName      *string   `db:"actor_name"` // nil if there is no user
	ActorDeletedAt timestamp `db:"actor_deleted_at"`
	UserName       *string   `db:"user_name"`
	UserDeletedAt  timestamp `db:"user_deleted_at"`
	CourseTitle    string    `db:"course_title"`
}

// decisionColumns are the columns of the table, in their order.
var decisionColumns = []string{"id", "kind", "decided_by", "user_id", "course_id", "created_at",
	"chapter_id", "purchase_id", "refund_id", "application_id", "post_id", "reply_id", "review_id",
	"report_id", "reason"}

var (
	selectDecisions = `
	SELECT x.` + strings.Join(decisionColumns, `, x.`) + `,
		COALESCE(k.reason, '') AS report_reason,
		a.name AS actor_name, a.deleted_at AS actor_deleted_at,
		u.name AS user_name, u.deleted_at AS user_deleted_at,
		COALESCE(` + titleOfCourse("x.course_id") + `, '') AS course_title
	FROM {decisions} x`
	joinDecisions = `
		LEFT JOIN {users} a ON a.id = x.decided_by
		LEFT JOIN {users} u ON u.id = x.user_id
		LEFT JOIN {complaints} k ON k.id = x.report_id`
)

// decision returns the decision of a row. A decision on a report has the reason of the report,
// which goes with the user as other reasons do.
func (r *decisionRow) decision() staff.Decision {
	d := staff.Decision{
		Decision: core.Decision{
			ID:        r.ID,
			Kind:      core.DecisionKind(r.Kind),
			ActorID:   r.ActorID,
			UserID:    r.UserID,
			Reason:    r.Reason,
			CreatedAt: r.CreatedAt.Time(),
			DecisionIDs: core.DecisionIDs{
				CourseID:      r.CourseID,
				ChapterID:     r.ChapterID,
				PurchaseID:    r.PurchaseID,
				RefundID:      r.RefundID,
				ApplicationID: r.ApplicationID,
				PostID:        r.PostID,
				ReplyID:       r.ReplyID,
				ReviewID:      r.ReviewID,
				ReportID:      r.ReportID,
			},
		},
		CourseTitle: r.CourseTitle,
	}
	if r.ReportID != "" && r.UserDeletedAt.Time().IsZero() {
		d.Reason = r.ReportReason
	}
	noImage := ""
	if r.ActorID != "" {
		d.ActorName = person(r.ActorID, r.ActorName, &noImage, r.ActorDeletedAt).Name
	}
	if service, ok := strings.CutPrefix(r.ActorID, core.ServicePrefix); ok {
		d.ActorName = service
	}
	if r.UserID != "" {
		d.UserName = person(r.UserID, r.UserName, &noImage, r.UserDeletedAt).Name
	}
	return d
}

func (r reader) Decisions(
	ctx context.Context, q staff.DecisionQuery, page core.PageRequest,
) ([]staff.Decision, error) {
	var f filter
	index := "decisions_by_creation"
	if q.CourseID != "" {
		index = "decisions_of_course"
		f.add(`x.course_id = ?`, key(q.CourseID))
	}
	if q.UserID != "" {
		index = "decisions_of_user"
		f.add(`x.user_id = ?`, key(q.UserID))
	}
	if q.UserID != "" && q.CourseID != "" {
		index = "decisions_of_user_in_course"
	}
	newestFirst := order{columns: []string{"x.created_at", "x.id"}, descending: true}
	tail, limit := r.engine().addPage(&f, newestFirst, page)
	var rows []decisionRow
	err := r.q.List(ctx, "list the decisions", &rows,
		selectDecisions+r.engine().ForceIndex(index)+joinDecisions+f.where()+tail,
		append(f.args, limit)...)
	list := make([]staff.Decision, len(rows))
	for i := range rows {
		list[i] = rows[i].decision()
	}
	return list, err
}

func (t *tx) InsertDecision(ctx context.Context, d core.Decision) error {
	return t.Insert(ctx, "insert a decision", `
		INSERT INTO {decisions} (`+strings.Join(decisionColumns, `, `)+`)
		VALUES (`+placeholders(len(decisionColumns))+`)`,
		key(d.ID), string(d.Kind), key(d.ActorID), key(d.UserID), key(d.CourseID),
		timestamp(d.CreatedAt), key(d.ChapterID), key(d.PurchaseID), key(d.RefundID),
		key(d.ApplicationID), key(d.PostID), key(d.ReplyID), key(d.ReviewID), key(d.ReportID),
		d.Reason)
}

func (t *tx) RemoveUserReasons(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "remove the reasons about a user",
		`UPDATE {decisions} SET reason = '' WHERE user_id = ? AND reason <> ''`, key(userID))
	return err
}

func (t *tx) RemoveCourseReasons(ctx context.Context, courseID string) error {
	_, err := t.Exec(ctx, "remove the reasons about a course",
		`UPDATE {decisions} SET reason = '' WHERE course_id = ? AND reason <> ''`, key(courseID))
	return err
}
