package sale

import (
	"context"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// reasonRefunded is the reason of an enrolment's end and of a certificate's revocation.
const reasonRefunded = "The purchase was refunded"

// revokes reports whether a certificate is revoked with a change of the access, if the
// [RefundPolicy] says so. In the other cases the user still has a right to the course: a purchase or
// a grant.
func revokes(c study.AccessChange) bool {
	return c == study.AccessIsKept || c == study.AccessEnds || c == study.AccessEnded
}

// decideAccess returns what a refund does to the enrolment of the user in the course, when it is
// counted or when a counted one has failed. s is the state before it, and after is the purchase
// after it. The first row that fits decides. The column purchase is the status of after, and "as
// before" means that it has not changed, as by the refund of a part. For the last rows see
// [study.Enrollment.Without].
//
//	purchase afterwards  without it  KeepAccess  change
//	as before            any         any         AccessStays
//	completed again      any         any         AccessIsRestored
//	refunded             AccessEnds  yes         AccessIsKept
//	refunded             any other   any         the same
func decideAccess(s refundState, after Purchase, policy RefundPolicy) study.AccessChange {
	switch {
	case s.Status == after.Status:
		return study.AccessStays
	case after.Status == PurchaseCompleted: // it was refunded before, and that refund has failed
		return study.AccessIsRestored
	}
	change := s.Enrollment.Without(s.ID, s.paying)
	if change == study.AccessEnds && policy.KeepAccess {
		return study.AccessIsKept
	}
	return change
}

// accessCause is why an enrolment changes.
type accessCause struct {
	by     string // the admin; "" for the provider
	reason string
	title  string // of the course, for events
}

// changeAccess stores a change of the enrolment in the transaction of a refund or a dispute. state
// is what was before it.
func (s *Service) changeAccess(
	ctx context.Context, tx Tx, changes *core.Changes, state refundState,
	change study.AccessChange, cause accessCause,
) error {
	if change != study.AccessIsRestored {
		return s.study.TakeAccess(ctx, tx, changes, change, study.Loss{
			Enrollment: state.Enrollment, Others: state.paying, By: cause.by,
			Reason: cause.reason, CourseTitle: cause.title,
		})
	}

	// Only what the refund had ended is given back, if the user has not been enrolled since. A
	// revoked certificate stays revoked.
	ended, err := tx.ClearRefundEndedAccess(ctx, state.ID)
	if err != nil || !ended {
		return err
	}
	return s.study.RestoreAccess(ctx, tx, changes, state.cause(), state.Enrollment, cause.title)
}
