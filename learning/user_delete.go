package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning/core"
)

// removeData deletes what belongs to a user alone. Complaints of the user stay to be decided,
// without the id, the marks of quizzes stay without answers, and enrolments and refunds without the
// reasons that admins gave.
func removeData(
	ctx context.Context, tx Tx, changes *core.Changes, userID string, at time.Time,
) error {
	if err := tx.DeleteApplication(ctx, userID); err != nil {
		return err
	}
	// The days before the time entries, and the enrolments before the positions, in the order in
	// which addVisit and savePositionsOnce lock them. The lists have chats before their messages, as
	// DeleteChat does.
	if err := tx.DeleteTimeDays(ctx, userID); err != nil {
		return err
	}
	if err := tx.ForgetLastLectures(ctx, userID); err != nil {
		return err
	}
	for _, list := range exportlist.Lists {
		if !list.Private {
			continue
		}
		if err := tx.DeletePrivate(ctx, list, userID); err != nil {
			return err
		}
	}
	if err := removeAnswersOf(ctx, tx, userID); err != nil {
		return err
	}
	// The submissions before the files that they use.
	if err := removeSubmissionsOf(ctx, tx, userID, at); err != nil {
		return err
	}
	if err := removeUploadsOf(ctx, tx, userID, at); err != nil {
		return err
	}
	if err := tx.RemoveReviews(ctx, userID); err != nil {
		return err
	}
	if err := tx.DeleteNotes(ctx, userID); err != nil {
		return err
	}
	if err := removeUnusedFilesOf(ctx, tx, changes, userID, at); err != nil {
		return err
	}
	if err := tx.ForgetReporter(ctx, userID); err != nil {
		return err
	}
	if err := tx.ForgetEnrollmentReasons(ctx, userID); err != nil {
		return err
	}
	if err := tx.ForgetPastEnrollmentReasons(ctx, userID); err != nil {
		return err
	}
	if err := forgetRefundReasons(ctx, tx, userID); err != nil {
		return err
	}
	return nil
}

// removeUnusedFilesOf deletes the files of a user that no course uses, and adds their contents to
// the list of unused files. The files of courses stay, as the courses do. The lock comes first, so
// that no course begins to use one of them between the statements.
func removeUnusedFilesOf(
	ctx context.Context, tx Tx, changes *core.Changes, userID string, at time.Time,
) error {
	if err := tx.LockFilesOf(ctx, userID); err != nil {
		return err
	}
	removed, err := tx.UnusedFilesTotal(ctx, userID)
	if err != nil {
		return err
	}
	countFiles(changes, tx, removed.minus())
	if err := tx.InsertUnusedFilesOf(ctx, userID, at); err != nil {
		return err
	}
	return tx.DeleteUnusedFilesOf(ctx, userID)
}

// forgetRefundReasons removes what admins wrote about the refunds of a user.
func forgetRefundReasons(ctx context.Context, tx Tx, userID string) error {
	ids, err := tx.RefundsWithReason(ctx, userID)
	if err != nil || len(ids) == 0 { // ForgetRefundReasons needs at least one id
		return err
	}
	return tx.ForgetRefundReasons(ctx, ids)
}
