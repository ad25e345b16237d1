package store

import (
	"context"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/study"
)

type lineRow struct {
	ID           string           `db:"id"`
	PurchaseID   string           `db:"purchase_id"`
	Number       int              `db:"line_number"`
	UserID       string           `db:"user_id"`
	CourseID     string           `db:"course_id"`
	Amount       core.Money       `db:"amount"`
	Refunded     core.Money       `db:"refunded_amount"`
	Pending      core.Money       `db:"pending_refunds"`
	End          purchase.LineEnd `db:"end_state"`
	RefundEnded  bool             `db:"refund_ended"`
	DisputeEnded bool             `db:"dispute_ended"`
	TermDays     int              `db:"term_days"`
	TermUntil    timestamp        `db:"term_until"`
	ExpiresAt    timestamp        `db:"expires_at"`
	CreatedAt    timestamp        `db:"created_at"`
}

const lineColumns = `l.id, l.purchase_id, l.line_number, l.user_id, l.course_id, l.amount,
	l.refunded_amount, l.pending_refunds, l.end_state, l.refund_ended, l.dispute_ended, l.term_days,
	l.term_until, l.expires_at, l.created_at`

func (r *lineRow) line() purchase.Line {
	return purchase.Line{
		ID:             r.ID,
		PurchaseID:     r.PurchaseID,
		Number:         r.Number,
		UserID:         r.UserID,
		CourseID:       r.CourseID,
		CreatedAt:      r.CreatedAt.Time(),
		Amount:         r.Amount,
		RefundedAmount: r.Refunded,
		PendingRefunds: r.Pending,
		TermDays:       r.TermDays,
		TermUntil:      r.TermUntil.Time(),
		ExpiresAt:      r.ExpiresAt.Time(),
		End:            r.End,
		RefundEnded:    r.RefundEnded,
		DisputeEnded:   r.DisputeEnded,
	}
}

// purchaseLines reads the lines of idBatchSize purchases at a time.
func (r reader) purchaseLines(
	ctx context.Context, purchaseIDs []string,
) (list []purchase.Line, err error) {
	for chunk := range slices.Chunk(purchaseIDs, idBatchSize) {
		var rows []lineRow
		err := r.q.List(ctx, "list the lines of purchases", &rows, `
			SELECT `+lineColumns+` FROM {purchase_lines} l
			WHERE l.purchase_id IN (`+placeholders(idBatchSize)+`)
			ORDER BY l.purchase_id, l.line_number`, batchArgs(chunk)...)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			list = append(list, rows[i].line())
		}
	}
	return list, nil
}

// addLines sets the lines of the purchases of bundles.
func (r reader) addLines(ctx context.Context, list []purchase.Purchase) error {
	var ids []string
	for _, p := range list {
		if p.BundleID != "" {
			ids = append(ids, p.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	lines, err := r.purchaseLines(ctx, ids)
	byPurchase := map[string][]purchase.Line{}
	for _, l := range lines {
		byPurchase[l.PurchaseID] = append(byPurchase[l.PurchaseID], l)
	}
	for i := range list {
		list[i].Lines = byPurchase[list[i].ID]
	}
	return err
}

// partRow is what a course and a student have: see [purchase.Part].
type partRow struct {
	CourseFound int         `db:"course_found"`
	GivenBy     *string     `db:"e_purchase_id"` // nil if the user is not enrolled
	Reason      string      `db:"e_reason"`
	GrantedBy   optionalKey `db:"e_granted_by"`
	GrantedAt   timestamp   `db:"e_granted_at"`
	EnrolledAt  timestamp   `db:"e_created_at"`
	OfEnrolled  metadata    `db:"e_metadata"`
	EndsAt      timestamp   `db:"e_expires_at"`
	GrantEndsAt timestamp   `db:"e_grant_expires_at"`
	HasOverride *bool       `db:"e_has_override"`
	OpenAll     *bool       `db:"e_open_all"`
	DecidedBy   optionalKey `db:"e_override_by"`
	DecidedAt   timestamp   `db:"e_override_at"`
	WhyDecided  string      `db:"e_override_reason"`
	Terms       storedTerms `db:"c_terms"`
}

// partColumns are the columns of a partRow, of the course c and the enrolment e.
const partColumns = `
			CASE WHEN c.id IS NULL THEN 0 ELSE 1 END AS course_found, c.terms AS c_terms,
			e.purchase_id AS e_purchase_id, COALESCE(e.reason, '') AS e_reason,
			e.granted_by AS e_granted_by, e.granted_at AS e_granted_at, e.created_at AS e_created_at,
			e.metadata AS e_metadata, e.expires_at AS e_expires_at,
			e.grant_expires_at AS e_grant_expires_at, e.has_override AS e_has_override,
			e.open_all AS e_open_all, e.override_by AS e_override_by,
			e.override_at AS e_override_at, COALESCE(e.override_reason, '') AS e_override_reason`

// terms returns the terms of the course at present.
func (r *partRow) terms() catalog.Terms { return r.Terms.terms(catalog.CertificateTerms{}) }

// enrollment returns the enrolment of a user in a course, zero if there is none.
func (r *partRow) enrollment(userID, courseID string) study.Enrollment {
	if r.GivenBy == nil {
		return study.Enrollment{}
	}
	e := study.Enrollment{
		UserID:     userID,
		CourseID:   courseID,
		PurchaseID: *r.GivenBy,
		Reason:     r.Reason,
		GrantedBy:  string(r.GrantedBy),
		GrantedAt:  r.GrantedAt.Time(),
		CreatedAt:  r.EnrolledAt.Time(),
		Metadata:   core.Metadata(r.OfEnrolled),
	}
	accessRow{
		ExpiresAt:   r.EndsAt,
		GrantEndsAt: r.GrantEndsAt,
		HasOverride: r.HasOverride != nil && *r.HasOverride,
		OpenAll:     r.OpenAll != nil && *r.OpenAll,
		DecidedBy:   r.DecidedBy,
		DecidedAt:   r.DecidedAt,
		WhyDecided:  r.WhyDecided,
	}.addTo(&e)
	return e
}

// PurchaseParts joins the courses and the enrolments of the lines of a purchase.
func (r reader) PurchaseParts(ctx context.Context, purchaseID string) ([]purchase.Part, error) {
	var rows []struct {
		lineRow
		partRow
		Title *string `db:"title"`
	}
	err := r.q.List(ctx, "read the state of the lines of a purchase", &rows, `
		SELECT `+lineColumns+`, `+titleOfCourse("l.course_id")+` AS title,`+partColumns+`
		FROM {purchase_lines} l
			LEFT JOIN {courses} c ON c.id = l.course_id
			LEFT JOIN {enrollments} e ON e.user_id = l.user_id AND e.course_id = l.course_id
		WHERE l.purchase_id = ? ORDER BY l.line_number`, key(purchaseID))
	list := make([]purchase.Part, len(rows))
	for i := range rows {
		row := &rows[i]
		list[i] = purchase.Part{
			Line:          row.line(),
			CourseDeleted: row.CourseFound == 0,
			CourseTerms:   row.terms(),
			Enrollment:    row.enrollment(row.UserID, row.CourseID),
		}
		if row.Title != nil {
			list[i].CourseTitle = *row.Title
		}
	}
	return list, err
}

// EnrollmentsIn reads the enrolments of a user in idBatchSize courses at a time.
func (r reader) EnrollmentsIn(
	ctx context.Context, userID string, courseIDs []string,
) (map[string]study.Enrollment, error) {
	byCourse := map[string]study.Enrollment{}
	for chunk := range slices.Chunk(courseIDs, idBatchSize) {
		var rows []enrollmentRow
		err := r.q.List(ctx, "read the enrolments in courses", &rows, `
			SELECT `+enrollmentColumns+presentColumns+` FROM {enrollments}
			WHERE user_id = ? AND course_id IN (`+placeholders(idBatchSize)+`) ORDER BY course_id`,
			append([]any{key(userID)}, batchArgs(chunk)...)...)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			byCourse[rows[i].CourseID] = rows[i].enrollment()
		}
	}
	return byCourse, nil
}

// InsertLines inserts at least one line.
func (t *tx) InsertLines(ctx context.Context, lines []purchase.Line) error {
	var args []any
	for _, l := range lines {
		args = append(args, key(l.ID), key(l.PurchaseID), l.Number, key(l.UserID), key(l.CourseID),
			l.Amount, l.RefundedAmount, l.PendingRefunds, l.End, l.RefundEnded, l.DisputeEnded,
			l.TermDays, optional(l.TermUntil), optional(l.ExpiresAt), timestamp(l.CreatedAt))
	}
	const row = `, (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	return t.InsertAll(ctx, "insert the lines of a purchase", `
		INSERT INTO {purchase_lines} (id, purchase_id, line_number, user_id, course_id, amount,
			refunded_amount, pending_refunds, end_state, refund_ended, dispute_ended, term_days,
			term_until, expires_at, created_at) VALUES `+
		strings.TrimPrefix(strings.Repeat(row, len(lines)), `, `), args...)
}

// UpdateLine keeps what the order has fixed: the course, the amount and the terms.
func (t *tx) UpdateLine(ctx context.Context, l purchase.Line) error {
	return t.MustUpdate(ctx, "update a line of a purchase", `
		UPDATE {purchase_lines} SET refunded_amount = ?, pending_refunds = ?, end_state = ?,
			refund_ended = ?, dispute_ended = ?, expires_at = ?
		WHERE id = ?`,
		l.RefundedAmount, l.PendingRefunds, l.End, l.RefundEnded, l.DisputeEnded,
		optional(l.ExpiresAt), key(l.ID))
}

// DeleteLines is no error if the purchase has no lines.
func (t *tx) DeleteLines(ctx context.Context, purchaseID string) error {
	_, err := t.Exec(ctx, "delete the lines of a purchase",
		`DELETE FROM {purchase_lines} WHERE purchase_id = ?`, key(purchaseID))
	return err
}

// addShares sets the shares of the refunds of bundles.
func (r reader) addShares(ctx context.Context, list []refund.Refund, ids []string) error {
	byRefund := map[string][]purchase.Share{}
	var refundID string
	var share purchase.Share
	for chunk := range slices.Chunk(ids, idBatchSize) {
		err := r.q.Each(ctx, "list the lines of refunds",
			[]any{&refundID, &share.LineID, &share.Amount}, func() error {
				byRefund[refundID] = append(byRefund[refundID], share)
				return nil
			}, `
			SELECT refund_id, line_id, amount FROM {refund_lines}
			WHERE refund_id IN (`+placeholders(idBatchSize)+`) ORDER BY refund_id, line_id`,
			batchArgs(chunk)...)
		if err != nil {
			return err
		}
	}
	for i := range list {
		list[i].Shares = byRefund[list[i].ID]
	}
	return nil
}

// InsertShares inserts at least one share.
func (t *tx) InsertShares(ctx context.Context, refundID string, shares []purchase.Share) error {
	var args []any
	for _, s := range shares {
		args = append(args, key(refundID), key(s.LineID), s.Amount)
	}
	return t.InsertAll(ctx, "insert the lines of a refund",
		`INSERT INTO {refund_lines} (refund_id, line_id, amount) VALUES `+
			strings.TrimPrefix(strings.Repeat(`, (?, ?, ?)`, len(shares)), `, `), args...)
}

// DeleteShares is no error if the refund has no shares.
func (t *tx) DeleteShares(ctx context.Context, refundID string) error {
	_, err := t.Exec(ctx, "delete the lines of a refund",
		`DELETE FROM {refund_lines} WHERE refund_id = ?`, key(refundID))
	return err
}
