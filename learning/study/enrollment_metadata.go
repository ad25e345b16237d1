package study

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
)

// SetMetadata replaces all metadata of the enrolment of a user in a course; an empty map removes
// it. Only admins see it, in the report of enrolments. It stays with the enrolment when that ends;
// another enrolment of the user begins without. The user gets it in the export, and it is removed
// with the user. Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest]
// for metadata that is not valid (see [core.Metadata.Check]), and those of EndEnrollment if there
// is no enrolment.
func (s *Service) SetMetadata(
	ctx context.Context, actor core.Actor, userID, courseID string, m core.Metadata,
) error {
	if err := actor.RequireRole(core.Admin); err != nil {
		return err
	}
	if err := m.Check(); err != nil {
		return err
	}
	stored := false
	err := s.base.InTx(ctx, func(tx Tx) (err error) {
		// Lock the user, so that the end of the enrolment, which copies it, comes before or after.
		if err = core.LockUser(ctx, tx, userID); err != nil {
			return err
		}
		// The enrolment of a deleted user gets no new data. The state is that after the lock.
		account, err := tx.AccountState(ctx, userID)
		if stored = false; err != nil || account.Deleted {
			return err
		}
		stored, err = tx.SetEnrollmentMetadata(ctx, userID, courseID, m)
		return err
	})
	if err != nil || stored {
		return core.Wrap("set the metadata of an enrolment", err)
	}
	return s.whyNotEnrolled(ctx, userID, courseID)
}
