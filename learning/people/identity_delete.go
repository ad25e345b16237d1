package people

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

// removeUser deletes the personal data of a user and keeps the id as deleted, also
// if the user was unknown. Purchases, enrolments and certificates stay. A record that was changed
// or restored in a later second than that of the event stays.
func (s *Service) removeUser(ctx context.Context, tx Tx, changes *core.Changes, e IdentityEvent,
	known bool) (accountChange, error) {
	id, at := e.User.ID, e.sent()

	// Lock the Account, or insert an unknown user as deleted.
	lock := func() (Account, error) { return lockAccount(ctx, tx, id) }
	if !known {
		tombstone := User{ID: id, CreatedAt: s.base.Now(), ChangedAt: at, DeletedAt: at}
		lock = func() (Account, error) { return insertAccount(ctx, tx, tombstone) }
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
		s.base.Log.WarnContext(ctx, "a deletion is older than the record of the user and was ignored",
			"user", id, "sent", at)
		return accountChange{before: before, after: before}, nil
	}

	// Collect the event, and delete the rows that belong to the user.
	if !before.Deleted { // a repeated deletion is no event
		changes.Add(EventUserDeleted, "user", id, core.EventData{UserID: id})
	}
	deleted := Account{AccountState: core.AccountState{Known: true, Deleted: true, DeletedAt: at}}
	done := accountChange{before: before, after: deleted, recordChanged: true}

	// The application is deleted before the role, in the order in which an approval writes them: of
	// two concurrent transactions one waits at the row of the application.
	if err := replaceUserWords(ctx, tx, id, nil); err != nil {
		return accountChange{}, err
	}
	if err := tx.ForgetUser(ctx, changes, id, s.base.Now()); err != nil {
		return accountChange{}, err
	}
	return done, tx.DeleteRole(ctx, id)
}
