package inbox

import (
	"context"
	"fmt"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
)

// Muted returns the kinds of notifications that the actor has muted, in the order of [Kinds].
// Error: [core.ErrUnauthenticated].
func (s *Service) Muted(
	ctx context.Context, actor core.Actor,
) ([]core.NotificationKind, error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	muted, err := mutedBy(ctx, s.store, actor.UserID)
	return muted, core.Wrap("read the muted kinds of notifications", err)
}

// SetMuted replaces the kinds of notifications that the actor has muted: none are written of these
// from now on. It returns them as Muted does. Errors: [core.ErrUnauthenticated], also if the user
// is deleted during the call, [core.ErrInvalidRequest] for a kind that there is not.
func (s *Service) SetMuted(
	ctx context.Context, actor core.Actor, muted []core.NotificationKind,
) (stored []core.NotificationKind, err error) {
	if err := actor.Require(); err != nil {
		return nil, err
	}
	for i, kind := range muted {
		err := core.Require(slices.Contains(kinds, kind), fmt.Sprint("muted/", i),
			"must be a kind of notifications")
		if err != nil {
			return nil, err
		}
	}
	err = s.base.ChangeOfUndeleted(ctx, actor.UserID, func(tx Tx, _ *core.Changes) error {
		before, err := mutedBy(ctx, tx, actor.UserID)
		if err != nil {
			return err
		}
		for _, kind := range kinds {
			m := core.Mute{UserID: actor.UserID, Kind: kind}
			was, is := slices.Contains(before, kind), slices.Contains(muted, kind)
			switch {
			case is && !was:
				err = tx.InsertMute(ctx, m)
			case was && !is:
				err = tx.DeleteMute(ctx, m)
			}
			if err != nil {
				return err
			}
		}
		stored, err = mutedBy(ctx, tx, actor.UserID)
		return err
	})
	return stored, core.Wrap("mute notifications", err)
}

// mutedBy returns the kinds that a user has muted, in the order of kinds. It leaves out those that
// another version knows.
func mutedBy(
	ctx context.Context, r core.MuteReader, userID string,
) ([]core.NotificationKind, error) {
	mutes, err := r.Mutes(ctx, []string{userID})
	if err != nil {
		return nil, err
	}
	muted := []core.NotificationKind{}
	for _, kind := range kinds {
		if slices.Contains(mutes, core.Mute{UserID: userID, Kind: kind}) {
			muted = append(muted, kind)
		}
	}
	return muted, nil
}
