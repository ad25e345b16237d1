package people

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

// SetMetadata replaces all metadata of a user; an empty map removes it. Only admins see it: in the
// report of users, and in [User]. The user gets it in the export, and it is removed with the user.
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest] for metadata
// that is not valid (see [core.Metadata.Check]), [ErrUserNotFound], also for a deleted user.
func (s *Service) SetMetadata(
	ctx context.Context, actor core.Actor, userID string, m core.Metadata,
) error {
	if err := actor.RequireRole(core.Admin); err != nil {
		return err
	}
	if err := m.Check(); err != nil {
		return err
	}
	// A deletion of the user changes the same row, so it comes before or after.
	err := s.base.InTx(ctx, func(tx Tx) error {
		stored, err := tx.SetUserMetadata(ctx, userID, m)
		if err == nil && !stored {
			err = ErrUserNotFound
		}
		return err
	})
	return core.Wrap("set the metadata of a user", err)
}
