package store

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// enrollmentReportRow is a past enrolment or an active one. An active one has no id and no end.
type enrollmentReportRow struct {
	pastEnrollmentRow
	Title  *string     `db:"title"`  // nil if there is no course
	Amount *core.Money `db:"amount"` // nil if there is no purchase
}

// reportColumns are those of the union of active and past enrolments, which is e.
const reportColumns = `e.id, e.user_id, e.course_id, e.purchase_id, e.reason, e.granted_by,
	e.granted_at, e.created_at, e.metadata, e.expires_at, e.open_all, e.ended_at, e.ended_by,
	e.end_reason`

// EnrollmentReports lists active and past enrolments, the newest first. It reads at most one page
// from each of the two tables, in the order of an index, and sorts these rows. On a tie the order
// is by user and course.
func (r reader) EnrollmentReports(
	ctx context.Context, q study.EnrollmentQuery, page core.PageRequest,
) ([]study.EnrollmentReport, error) {
	var f filter
	if q.UserID != "" {
		f.add(`user_id = ?`, key(q.UserID))
	}
	if q.CourseID != "" {
		f.add(`course_id = ?`, key(q.CourseID))
	}

	// Both parts of the union have the same conditions, order and limit.
	active, past := r.creationHints(q)
	byCreation := order{columns: []string{"created_at", "user_id", "course_id"}, descending: true}
	tail, limit := r.engine().addPage(&f, byCreation, page)
	partArgs := append(f.args, limit)
	var rows []enrollmentReportRow
	err := r.q.List(ctx, "list the enrolments", &rows, `
		SELECT `+reportColumns+`, c.title, p.amount
		FROM (
			SELECT `+reportColumns+` FROM (SELECT '' AS id, `+enrollmentColumns+
		`, NULLIF(created_at, created_at) AS ended_at, NULL AS ended_by, '' AS end_reason
				FROM {enrollments}`+active+f.where()+tail+`) e
			UNION ALL
			SELECT `+reportColumns+` FROM (SELECT id, `+enrollmentColumns+
		`, ended_at, ended_by, COALESCE(end_reason, '') AS end_reason
				FROM {past_enrollments}`+past+f.where()+tail+`) e
		) e
			LEFT JOIN {courses} c ON c.id = e.course_id
			LEFT JOIN {purchase_lines} l ON l.id = e.purchase_id
			LEFT JOIN {purchases} p ON p.id = COALESCE(l.purchase_id, e.purchase_id)
		ORDER BY e.created_at DESC, e.user_id DESC, e.course_id DESC, e.id LIMIT ?`,
		append(append(partArgs, partArgs...), limit)...)
	if err != nil {
		return nil, err
	}
	list := make([]study.EnrollmentReport, len(rows))
	for i := range rows {
		list[i] = rows[i].report()
	}
	return list, nil
}

// creationHints returns the hints of both tables. For a page of all enrolments, MySQL and MariaDB
// would otherwise sort all rows. The hints are "" if q selects a user or a course.
func (r reader) creationHints(q study.EnrollmentQuery) (active, past string) {
	if q != (study.EnrollmentQuery{}) {
		return "", ""
	}
	d := r.engine()
	return d.ForceIndex("enrollments_by_creation"), d.ForceIndex("past_enrollments_by_creation")
}

// report returns the report of the row. It tells the origin from the purchase: there is none, or it
// cost nothing, or it was paid. A purchase that is not found counts as paid. The title is "" if the
// course was deleted.
func (r *enrollmentReportRow) report() study.EnrollmentReport {
	past := r.pastEnrollment()
	report := study.EnrollmentReport{
		Enrollment: past.Enrollment,
		Origin:     study.EnrollmentPurchased,
		EndedAt:    past.EndedAt,
		EndedBy:    past.EndedBy,
		EndReason:  past.EndReason,
	}
	if r.Title != nil {
		report.CourseTitle = *r.Title
	}
	report.PurchaseID = study.PurchaseOf(r.PurchaseID)
	switch {
	case r.PurchaseID == "":
		report.Origin = study.EnrollmentGranted
	case r.Amount != nil && *r.Amount == 0:
		report.Origin = study.EnrollmentFree
	}
	return report
}
