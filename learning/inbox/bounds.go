package inbox

import (
	"context"
	"errors"
	"time"

	"github.com/openlectern/openlectern/learning/core"
)

// Bounds of the notifications of a user. The oldest are deleted.
const (
	// MaxNotifications is how many notifications a user has.
	MaxNotifications = 500
	// maxAge is how long a notification is kept.
	maxAge = 90 * 24 * time.Hour
)

const (
	// readersAtATime is how many notifications boundReaders looks at in one read.
	readersAtATime = 500
	// boundsSweep is the name of the sweep that follows the new notifications.
	boundsSweep = "notifications"
	// commitTime is longer than a transaction takes. A notification has the time at which its
	// transaction wrote it, so after this time no other one appears before it.
	commitTime = time.Minute
)

// lastID follows the ids of all notifications of one time.
const lastID = "~"

// deleteOld deletes the notifications that are older than maxAge, the oldest first, those of a user
// in one statement.
func (s *ForRooms) deleteOld(ctx context.Context) error {
	until := core.Position{At: s.base.Now().Add(-maxAge), ID: lastID}
	for {
		list, err := s.store.Readers(ctx,
			core.PageRequest{Through: until, Limit: readersAtATime})
		if err != nil || len(list) == 0 {
			return core.Wrap("list old notifications", err)
		}
		for _, userID := range readersOf(list) {
			if err := s.deleteUntil(ctx, userID, until); err != nil {
				return core.Wrap("delete old notifications", err)
			}
		}
	}
}

// deleteMost deletes the notifications of users with more than [MaxNotifications]. It follows the
// notifications that were written since its last run, so that it takes as long as there are new
// ones, however many are kept.
func (s *ForRooms) deleteMost(ctx context.Context) error {
	now := s.base.Now()
	sweep, err := core.BeginSweep(ctx, s.store, s.base, core.Sweep{Name: boundsSweep,
		StartedAt: now})
	if err != nil {
		return core.Wrap("read which notifications were looked at", err)
	}
	through := core.Position{At: now.Add(-commitTime), ID: lastID}
	for {
		list, err := s.store.Readers(ctx, core.PageRequest{After: sweep.After, Through: through,
			Limit: readersAtATime})
		if err != nil || len(list) == 0 {
			return core.Wrap("list new notifications", err)
		}
		for _, userID := range readersOf(list) {
			if err := s.keepNewest(ctx, userID); err != nil {
				return core.Wrap("delete notifications above the limit", err)
			}
		}
		next := sweep
		next.After = list[len(list)-1].At
		err = s.base.InTx(ctx, func(tx Tx) error {
			tx.Repeatable() // a second run finds the sweep moved
			_, err := tx.MoveSweep(ctx, sweep, next)
			return err
		})
		if err != nil {
			return core.Wrap("store which notifications were looked at", err)
		}
		sweep = next // if another instance has moved it, the next one looks at some again
	}
}

// keepNewest deletes all notifications of a user but the newest [MaxNotifications].
func (s *ForRooms) keepNewest(ctx context.Context, userID string) error {
	first, err := s.store.NewestNotification(ctx, userID, MaxNotifications+1)
	if errors.Is(err, core.ErrNoRecord) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.deleteUntil(ctx, userID, first)
}

// deleteUntil deletes the notifications of a user up to a position.
func (s *ForRooms) deleteUntil(
	ctx context.Context, userID string, until core.Position,
) error {
	return s.base.InTx(ctx, func(tx Tx) error {
		tx.Repeatable() // a second run deletes nothing more
		return tx.DeleteNotificationsUntil(ctx, userID, until)
	})
}

// readersOf returns the readers of notifications, each once.
func readersOf(list []ReaderPosition) (userIDs []string) {
	seen := map[string]bool{}
	for _, row := range list {
		if !seen[row.UserID] {
			seen[row.UserID] = true
			userIDs = append(userIDs, row.UserID)
		}
	}
	return userIDs
}
