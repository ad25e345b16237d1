package learning

import "context"

// removeData deletes what belongs to a user alone. What the user has reported stays to be
// decided, without the id, and enrolments and refunds stay without the reasons that admins gave. The application is deleted
// before the role, in the order in which an approval writes them: the row of the
// application keeps the two transactions apart.
func removeData(ctx context.Context, tx Tx, userID string) error {
	if err := tx.DeleteApplication(ctx, userID); err != nil {
		return err
	}
	// The days first, as a visit locks them.
	if err := tx.DeleteTimeDays(ctx, userID); err != nil {
		return err
	}
	if err := tx.DeleteTimeEntries(ctx, userID); err != nil {
		return err
	}
	if err := removeChats(ctx, tx, userID); err != nil {
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
	if err != nil || len(ids) == 0 {
		return err
	}
	return tx.ForgetRefundReasons(ctx, ids)
}
