package learning

import (
	"context"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/learning/core"
)

// removeUser deletes the personal data of a user and keeps the id as deleted, also
// if the user was unknown. Purchases, enrolments and certificates stay. A record that was changed
// or restored in a later second than that of the event stays.
func (p *Platform) removeUser(ctx context.Context, tx Tx, changes *core.Changes, e IdentityEvent,
	known bool) (accountChange, error) {
	id, at := e.User.ID, e.sent()

	// Lock the account, or insert an unknown user as deleted.
	lock := func() (account, error) { return lockAccount(ctx, tx, id) }
	if !known {
		tombstone := User{ID: id, CreatedAt: p.base.Now(), ChangedAt: at, DeletedAt: at}
		lock = func() (account, error) { return insertAccount(ctx, tx, tombstone) }
	}
	before, err := lock()
	if err != nil {
		return accountChange{}, err
	}

	// Remove the personal data from the record, unless the record is newer than the event.
	scrubbed := true // an unknown user is inserted without data
	if before.Known {
		if scrubbed, err = tx.ScrubUser(ctx, id, at); err != nil {
			return accountChange{}, err
		}
	}
	if !scrubbed {
		p.base.Log.WarnContext(ctx, "a deletion is older than the record of the user and was ignored",
			"user", id, "sent", at)
		return accountChange{before: before, after: before}, nil
	}

	// Collect the event, and delete the rows that belong to the user.
	if !before.Deleted { // a repeated deletion is no event
		changes.Add(EventUserDeleted, "user", id, core.EventData{UserID: id})
	}
	deleted := account{AccountState: core.AccountState{Known: true, Deleted: true, DeletedAt: at}}
	done := accountChange{before: before, after: deleted, recordChanged: true}
	return done, removeData(ctx, tx, changes, id, p.base.Now())
}

// removeData deletes what belongs to a user alone. Complaints of the user stay to be decided,
// without the id, the marks of quizzes stay without answers, and enrolments and refunds without the
// reasons that admins gave. The application is deleted before the role, in the order in which an
// approval writes them: of two concurrent transactions one waits at the row of the application.
func removeData(
	ctx context.Context, tx Tx, changes *core.Changes, userID string, at time.Time,
) error {
	noWords := core.RowWords{List: UserWords, RowID: userID}
	if err := replaceUserWords(ctx, tx, noWords); err != nil {
		return err
	}
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
	if err := removeUploadsOf(ctx, asCatalog(tx), userID, at); err != nil {
		return err
	}
	if err := tx.RemoveReviews(ctx, userID); err != nil {
		return err
	}
	if err := tx.DeleteNotes(ctx, userID); err != nil {
		return err
	}
	if err := removeUnusedFilesOf(ctx, asCatalog(tx), changes, userID, at); err != nil {
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
	return tx.DeleteRole(ctx, userID)
}

// forgetRefundReasons removes what admins wrote about the refunds of a user.
func forgetRefundReasons(ctx context.Context, tx Tx, userID string) error {
	ids, err := tx.RefundsWithReason(ctx, userID)
	if err != nil || len(ids) == 0 { // ForgetRefundReasons needs at least one id
		return err
	}
	return tx.ForgetRefundReasons(ctx, ids)
}
