package purchase

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/study"
)

// Reader reads purchases, with their lines.
type Reader interface {
	Purchase(ctx context.Context, id string) (Purchase, error)
	// PurchaseState reads a purchase with what completing it by a payment depends on.
	// paymentID may be "".
	PurchaseState(ctx context.Context, id, paymentID string) (State, error)
	// PurchasesByOrder lists the purchases that have an order of the gateway, the
	// latest first. There are several only if the gateway repeats an order id.
	PurchasesByOrder(ctx context.Context, orderID string) ([]Purchase, error)
	// PurchaseOfReference reads the purchase of a sale that was made elsewhere.
	PurchaseOfReference(ctx context.Context, source, reference string) (Purchase, error)
	OwnReader
	// OpenPurchase reads the open purchase (created or pending) of a user and an offer.
	OpenPurchase(ctx context.Context, userID, offerID string) (Purchase, error)
	// PurchasesByPayment lists the purchases that a payment has completed, the first
	// completed one first. There are several only if the gateway repeats an order id.
	PurchasesByPayment(ctx context.Context, paymentID string) ([]Purchase, error)
	study.CauseReader
	// RedeemingPurchase reads the purchase, open or completed, with which a user has
	// redeemed a coupon.
	RedeemingPurchase(ctx context.Context, userID, couponID string) (Purchase, error)
	// UnpaidPurchases lists at most limit purchases that have an order, are pending or
	// failed, and were created in [from, to), by creation time and id. The list starts
	// after the given purchase; the zero Purchase is before all.
	UnpaidPurchases(ctx context.Context, from, to time.Time, after Purchase,
		limit int) ([]Purchase, error)
	// OpenPurchasesWithCoupon lists a page of the open purchases that hold a redemption and
	// were created before a time, the oldest first.
	OpenPurchasesWithCoupon(ctx context.Context, before time.Time,
		page core.PageRequest) ([]Purchase, error)
	// PaidPurchases lists at most limit purchases that a payment has completed, also
	// refunded ones, and that were created before a time, by creation time and id. The list
	// starts after the given position.
	PaidPurchases(ctx context.Context, before time.Time, after core.Position,
		limit int) ([]Purchase, error)
}

// Writer writes purchases, and their lines apart.
type Writer interface {
	// InsertPurchase adds a purchase. It returns [core.ErrDuplicate] if the user has an open
	// purchase of the course, if the payment has completed another purchase, if the user has
	// redeemed the coupon with another purchase, or if another one has the reference.
	InsertPurchase(ctx context.Context, p Purchase) error
	// UpdatePurchase stores after in place of before. It reports whether it did: not if the
	// stored status, order, coupon, refunded amount or pending amount is no longer that of
	// before. Errors: those of InsertPurchase.
	UpdatePurchase(ctx context.Context, before, after Purchase) (bool, error)
	// DeletePurchase deletes a purchase that has the status and the coupon of p. It reports
	// whether it did.
	DeletePurchase(ctx context.Context, p Purchase) (bool, error)
	// InsertLines adds the lines of a purchase, of which there must be one.
	InsertLines(ctx context.Context, lines []Line) error
	// UpdateLine stores the refunds, the end and the expiry of a line.
	UpdateLine(ctx context.Context, l Line) error
	DeleteLines(ctx context.Context, purchaseID string) error
}

// Store replaces before, which was read in the transaction after locking the user, by
// after. It returns [core.ErrDuplicate] if a program that does not lock users has changed the
// purchase meanwhile: Base.ChangeOfUser then runs the transaction again.
func Store(ctx context.Context, tx Writer, before, after Purchase) error {
	stored, err := tx.UpdatePurchase(ctx, before, after)
	if err == nil && !stored {
		err = fmt.Errorf("store a purchase: %w", core.ErrDuplicate)
	}
	if err != nil {
		return err
	}
	return StoreLines(ctx, tx, before, after)
}

// Insert inserts a purchase with its lines.
func Insert(ctx context.Context, tx Writer, p Purchase) error {
	if err := tx.InsertPurchase(ctx, p); err != nil || len(p.Lines) == 0 {
		return err
	}
	return tx.InsertLines(ctx, p.Lines)
}

// StoreLines stores the lines of after in place of those of before.
func StoreLines(ctx context.Context, tx Writer, before, after Purchase) error {
	if slices.EqualFunc(before.Lines, after.Lines, Line.IsSame) {
		for i, l := range after.Lines {
			if l == before.Lines[i] {
				continue
			}
			if err := tx.UpdateLine(ctx, l); err != nil {
				return err
			}
		}
		return nil
	}
	// Another order takes the purchase over.
	if err := tx.DeleteLines(ctx, before.ID); err != nil || len(after.Lines) == 0 {
		return err
	}
	return tx.InsertLines(ctx, after.Lines)
}

// OwnReader reads purchases with the titles of their courses, without their lines.
type OwnReader interface {
	PurchaseWithTitle(ctx context.Context, id string) (Own, error)
	// PurchasesOfUser lists a page of the purchases of a user, the newest first, without those
	// whose order is not open yet.
	PurchasesOfUser(ctx context.Context, userID string, page core.PageRequest) ([]Own,
		error)
}

// OfProvider keeps the purchases of a provider. Two might give the same id to their orders or
// payments.
func OfProvider(list []Purchase, provider string) []Purchase {
	return slices.DeleteFunc(list, func(p Purchase) bool { return p.Provider != provider })
}

// FirstMatching returns the first purchase that fulfils the first condition. If there is
// none, it tries the next condition, and at last returns the first purchase. list must
// not be empty.
func FirstMatching(list []Purchase, conditions ...func(Purchase) bool) Purchase {
	for _, fulfils := range conditions {
		if i := slices.IndexFunc(list, fulfils); i >= 0 {
			return list[i]
		}
	}
	return list[0]
}
