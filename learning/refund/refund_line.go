package refund

import (
	"context"
	"slices"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// DecideLines is DecideReservation for a request that names courses: it is for what is left of
// their lines. A pending refund is continued only by a request for the same lines and amount. The
// courses of a purchase of one course are this one. Errors: [core.ErrInvalidRequest] for a course
// that the purchase does not have, [ErrNotRefundable]. The first row that fits decides:
//
//	status     left of the lines  pending refund of the same lines  result
//	any other  any                any                               ErrNotRefundable
//	completed  0                  some                              the oldest of them
//	completed  positive           one of that amount                that refund
//	completed  0                  none                              ErrNotRefundable
//	completed  positive           none of that amount               a new refund
func DecideLines(p purchase.Purchase, pending []Refund, courseIDs []string) (Refund, error) {
	if p.BundleID == "" {
		isIts := !slices.ContainsFunc(courseIDs,
			func(id string) bool { return id != p.CourseID })
		if err := requireLines(isIts); err != nil {
			return Refund{}, err
		}
		return DecideReservation(p, pending, nil)
	}
	if p.Status != purchase.Completed {
		return Refund{}, ErrNotRefundable
	}
	shares, left, found := Chosen(p.Lines, courseIDs)
	if err := requireLines(found); err != nil {
		return Refund{}, err
	}
	for _, r := range pending {
		isSame := r.ByLines && HaveSameLines(r.Shares, shares)
		if isSame && (left == 0 || left == r.Amount) {
			return r, nil
		}
	}
	// No more than is left of all: a refund at the provider may have taken what is pending.
	if left <= 0 || left > p.Amount-p.RefundedAmount-p.PendingRefunds {
		return Refund{}, ErrNotRefundable
	}
	return Refund{
		PurchaseID: p.ID, PaymentID: p.PaymentID, Provider: p.Provider,
		Amount: left, Currency: p.Currency, Status: payment.RefundPending, ByLines: true,
		Shares: shares,
	}, nil
}

// requireLines returns an error unless a purchase has the courses of a request.
func requireLines(found bool) error {
	return core.Require(found, "courseIds", "must be courses of the purchase, each once")
}

// checkCourseIDs returns an error unless a request names each course once, and no amount beside.
func (r Request) checkCourseIDs() error {
	if r.CourseIDs == nil {
		return nil
	}
	sorted := slices.Compact(slices.Sorted(slices.Values(r.CourseIDs)))
	if err := requireLines(len(sorted) > 0 && len(sorted) == len(r.CourseIDs)); err != nil {
		return err
	}
	return core.Require(r.Amount == nil, "courseIds", "must not come with an amount")
}

// countLines returns the purchase with the lines that the report of a refund leaves, and sets the
// shares of the refund. after is the purchase after the report, and unit the step of its provider.
func (s refundState) countLines(
	d *Decision, after purchase.Purchase, unit core.Money,
) purchase.Purchase {
	if s.BundleID == "" {
		return after
	}
	was := s.refund.Status
	after.Lines, d.After.Shares, d.Shares = ApplyToLines(s.Lines,
		s.refund,
		LineReport{
			WasPending: was == payment.RefundPending && d.After.Status != was,
			IsMore:     was == payment.RefundProcessed,
			IsAgain:    d.IsAskedAgain,
			Counted:    d.Counted,
			Ends:       !s.IsReturned(),
			IsAll:      after.Status == purchase.Refunded,
		}, unit)
	return after
}

// insertRefund inserts a refund with its shares.
func insertRefund(ctx context.Context, tx InsertTx, r Refund) error {
	if err := tx.InsertRefund(ctx, r); err != nil || len(r.Shares) == 0 {
		return err
	}
	return tx.InsertShares(ctx, r.ID, r.Shares)
}

// storeShares replaces the shares of a stored refund by those of after.
func storeShares(ctx context.Context, tx Tx, stored, after Refund) error {
	if slices.Equal(stored.Shares, after.Shares) {
		return nil
	}
	if err := tx.DeleteShares(ctx, after.ID); err != nil || len(after.Shares) == 0 {
		return err
	}
	return tx.InsertShares(ctx, after.ID, after.Shares)
}
