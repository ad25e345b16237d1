package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sale"
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
	if err := assess.RemoveAnswersOf(ctx, tx, userID); err != nil {
		return err
	}
	// The submissions before the files that they use.
	if err := assess.RemoveSubmissionsOf(ctx, tx, userID, at); err != nil {
		return err
	}
	if err := catalog.RemoveUploadsOf(ctx, asCatalog(tx), userID, at); err != nil {
		return err
	}
	if err := tx.RemoveReviews(ctx, userID); err != nil {
		return err
	}
	if err := tx.DeleteNotes(ctx, userID); err != nil {
		return err
	}
	if err := catalog.RemoveUnusedFilesOf(ctx, asCatalog(tx), changes, userID, at); err != nil {
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
	if err := sale.ForgetRefundReasonsOf(ctx, tx, userID); err != nil {
		return err
	}
	return nil
}
