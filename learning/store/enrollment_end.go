package store

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

type pastEnrollmentRow struct {
	ID string `db:"id"`
	enrollmentRow
	EndedAt   timestamp   `db:"ended_at"`
	EndedBy   optionalKey `db:"ended_by"`
	EndReason string      `db:"end_reason"`
}

func (r *pastEnrollmentRow) pastEnrollment() study.PastEnrollment {
	return study.PastEnrollment{
		ID:         r.ID,
		Enrollment: r.enrollment(),
		EndedAt:    r.EndedAt.Time(),
		EndedBy:    string(r.EndedBy),
		EndReason:  r.EndReason,
	}
}

func (t *tx) InsertPastEnrollment(ctx context.Context, e study.PastEnrollment) error {
	return t.Insert(ctx, "insert a past enrolment", `
		INSERT INTO {past_enrollments} (id, user_id, course_id, purchase_id, reason, granted_by,
			granted_at, created_at, ended_at, ended_by, end_reason,
			metadata, expires_at, grant_expires_at, has_override, open_all, override_by, override_at,
			override_reason)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		key(e.ID), key(e.UserID), key(e.CourseID), key(e.PurchaseID), optionalText(e.Reason),
		optionalKey(e.GrantedBy), optional(e.GrantedAt), timestamp(e.CreatedAt),
		timestamp(e.EndedAt),
		optionalKey(e.EndedBy), optionalText(e.EndReason), metadata(e.Metadata),
		optional(e.ExpiresAt), optional(e.GrantExpiresAt), e.HasOverride, e.OpenAll,
		optionalKey(e.DecidedBy), optional(e.DecidedAt), optionalText(e.WhyDecided))
}

// EndedMetadata reads at most one row: a purchase pays one enrolment, and its past one is marked
// before the purchase can pay another.
func (t *tx) EndedMetadata(
	ctx context.Context, userID, courseID, purchaseID string,
) (core.Metadata, error) {
	var m metadata
	err := t.q.Get(ctx, "read the metadata of a past enrolment", &m, `
		SELECT metadata FROM {past_enrollments}
		WHERE user_id = ? AND course_id = ? AND purchase_id = ? AND restored_at IS NULL
		ORDER BY id LIMIT 1`,
		key(userID), key(courseID), key(purchaseID))
	if errors.Is(err, core.ErrNoRecord) {
		err = nil
	}
	return core.Metadata(m), err
}

// RestorePastEnrollment records that an enrolment by a purchase was given back. The row stays, as
// the record of who ended it. It is no error if there is none.
func (t *tx) RestorePastEnrollment(
	ctx context.Context, userID, courseID, purchaseID string, at time.Time,
) error {
	_, err := t.Exec(ctx, "restore a past enrolment", `
		UPDATE {past_enrollments} SET restored_at = ?
		WHERE user_id = ? AND course_id = ? AND purchase_id = ? AND restored_at IS NULL`,
		timestamp(at), key(userID), key(courseID), key(purchaseID))
	return err
}

// ForgetEnrollmentReasons removes the texts that admins wrote about the enrolments of a user, and
// the metadata.
func (t *tx) ForgetEnrollmentReasons(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "remove the reasons of enrolments",
		`UPDATE {enrollments} SET reason = NULL, override_reason = NULL, metadata = NULL
		WHERE user_id = ? AND (reason IS NOT NULL OR override_reason IS NOT NULL
			OR metadata IS NOT NULL)`,
		key(userID))
	return err
}

// ForgetPastEnrollmentReasons removes the texts that admins wrote about the past enrolments of a
// user, the reason of the enrolment and that of its end, and the metadata.
func (t *tx) ForgetPastEnrollmentReasons(ctx context.Context, userID string) error {
	_, err := t.Exec(ctx, "remove the reasons of past enrolments",
		`UPDATE {past_enrollments} SET reason = NULL, end_reason = NULL, override_reason = NULL,
			metadata = NULL
		WHERE user_id = ?`,
		key(userID))
	return err
}

// DeleteEnrollment reports whether the user was enrolled.
func (t *tx) DeleteEnrollment(ctx context.Context, userID, courseID string) (bool, error) {
	return t.Update(ctx, "delete an enrolment",
		`DELETE FROM {enrollments} WHERE user_id = ? AND course_id = ?`, key(userID), key(courseID))
}
