package sale

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// ErrReferenceUsed is the failure of a sale whose reference is that of another one.
var ErrReferenceUsed = &core.Error{Kind: core.Conflict, Code: "reference_used",
	Message: "This reference was used for another sale"}

// The lengths of the longest reference and source of a [SaleElsewhere], in code points.
const (
	MaxReference = 200
	MaxSource    = 40
)

// SaleElsewhere is a sale that was made outside of the platform: by an invoice, in an app store or
// in another system.
type SaleElsewhere struct {
	UserID   string
	CourseID string
	Amount   core.Money // what was paid; may be 0
	Currency string     // ISO 4217
	// Reference is the number of the sale where it was made, which Source names, such as "invoice".
	// Both together name one sale.
	Reference string
	Source    string
	SoldAt    time.Time // zero for now
	Paper     bool      // whether it gets a receipt, if there is a seller
}

// check returns an error that names the first wrong field.
func (e SaleElsewhere) check(now time.Time) error {
	_, isCurrency := core.Decimals(e.Currency)
	most := catalog.MaxPriceIn(e.Currency)
	return cmp.Or(
		core.RequireText("reference", e.Reference, 1, MaxReference),
		core.RequireText("source", e.Source, 1, MaxSource),
		core.Require(isCurrency, "currency", "must be a currency of ISO 4217"),
		core.Require(e.Amount >= 0 && e.Amount <= most, "amount",
			fmt.Sprintf("must be from 0 to %s", core.FormatMoney(most, e.Currency))),
		core.Require(core.IsStorableTime(e.SoldAt), "soldAt", core.StorableTimeRule),
		core.Require(!e.SoldAt.After(now), "soldAt", "must not be in the future"),
	)
}

// RecordSale stores a sale that was made elsewhere as a completed purchase: it enrols the buyer,
// unless the buyer is enrolled, and counts in the revenue of the day on which it was made. The
// course may be a draft. The same sale again returns the purchase of the first call, and changes
// nothing. Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest],
// [people.ErrUserNotFound], also for a deleted user, [catalog.ErrCourseNotFound],
// [ErrReferenceUsed].
func (s *Service) RecordSale(
	ctx context.Context, actor core.Actor, e SaleElsewhere,
) (OwnPurchase, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return OwnPurchase{}, err
	}
	return s.recordSale(ctx, actor.UserID, e)
}

// RecordSale is [Service.RecordSale] for the host itself.
func (host System) RecordSale(ctx context.Context, e SaleElsewhere) (OwnPurchase, error) {
	return host.service.recordSale(ctx, "", e)
}

// recordSale is RecordSale by an admin; "" for the host.
func (s *Service) recordSale(ctx context.Context, by string, e SaleElsewhere) (OwnPurchase, error) {
	// Check the sale, its buyer and its course.
	e.Reference, e.Source = strings.TrimSpace(e.Reference), strings.TrimSpace(e.Source)
	e.SoldAt = e.SoldAt.UTC().Truncate(time.Microsecond)
	if err := e.check(s.base.Now()); err != nil {
		return OwnPurchase{}, err
	}
	if err := s.people.RequireRecord(ctx, core.Actor{UserID: e.UserID}); err != nil {
		return OwnPurchase{}, err
	}
	course, err := s.catalog.Any(ctx, e.CourseID)
	if err != nil {
		return OwnPurchase{}, err
	}

	// Store it, in a transaction that has locked the buyer.
	var p Purchase
	err = s.base.ChangeOfUser(ctx, e.UserID, func(tx Tx, changes *core.Changes) error {
		if err := core.RequireUndeleted(ctx, tx, e.UserID); err != nil {
			return err
		}
		var isNew bool
		p, isNew, err = s.ForRooms().RecordSale(ctx, tx, changes, e, course)
		if err == nil && isNew && by != "" {
			decide(changes, DecisionSaleRecorded, by, p, Refund{})
		}
		return err
	})
	switch {
	case errors.Is(err, core.ErrUnauthenticated): // the buyer was deleted meanwhile
		err = s.people.RequireRecord(ctx, core.Actor{UserID: e.UserID})
	case errors.Is(err, core.ErrNoRecord): // the course was deleted meanwhile
		err = catalog.ErrCourseNotFound
	}
	if err != nil {
		return OwnPurchase{}, core.Wrap("record a sale", err)
	}
	return OwnPurchase{Purchase: p, CourseTitle: course.Title}, nil
}

// CheckSale returns an error that names the first field of a sale that is wrong, or
// [ErrReferenceUsed]. It looks for neither the buyer nor the course.
func (s *ForRooms) CheckSale(ctx context.Context, e SaleElsewhere) error {
	if err := e.check(s.base.Now()); err != nil {
		return err
	}
	p, err := s.store.PurchaseOfReference(ctx, e.Source, e.Reference)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return nil
	case err == nil && !e.is(p):
		return ErrReferenceUsed
	}
	return core.Wrap("read the purchase with a reference", err)
}

// RecordSale stores a sale that was checked, in a transaction that has locked the buyer, and
// reports whether it is new. course is its course. Errors: [ErrReferenceUsed],
// [core.ErrNoRecord] if the course was deleted, and [core.ErrDuplicate] if a concurrent transaction
// has used the reference; the transaction must then run again.
func (s *ForRooms) RecordSale(
	ctx context.Context, tx Tx, changes *core.Changes, e SaleElsewhere, course catalog.Course,
) (p Purchase, isNew bool, err error) {
	// The sale may be stored already.
	p, err = tx.PurchaseOfReference(ctx, e.Source, e.Reference)
	if err == nil && !e.is(p) {
		return Purchase{}, false, ErrReferenceUsed
	}
	if !errors.Is(err, core.ErrNoRecord) {
		return p, false, err
	}

	// Store the purchase, with its event and its share of the totals.
	at := e.SoldAt
	if at.IsZero() {
		at = s.base.Now()
	}
	const paymentID, isShared = "", false // nothing was paid here
	p = Purchase{ID: s.base.NewID(), UserID: e.UserID, CourseID: e.CourseID, Amount: e.Amount,
		Currency: e.Currency, Provider: payment.NameManual, Source: e.Source, Reference: e.Reference,
		CreatedAt: at, TermDays: course.Terms.Days}.completed(paymentID, isShared, at)
	enrolled, err := tx.Enrollment(ctx, e.UserID, e.CourseID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return Purchase{}, false, err
	}
	p = p.expiring(e.terms(course, at), enrolled, at)
	if err := tx.InsertPurchase(ctx, p); err != nil {
		return Purchase{}, false, err
	}
	addPurchaseEvent(changes, EventPurchaseCompleted, p, course.Title)
	countSale(changes, Purchase{}, p)
	if e.Paper {
		if err := tx.PurchaseCompleted(ctx, p); err != nil {
			return Purchase{}, false, err
		}
	}

	// Enrol the buyer, or leave an enrolment as it is.
	if now := s.base.Now(); enrolled.Exists() && !enrolled.CanRenew(now) {
		return p, true, catalog.LockCourse(ctx, tx, e.CourseID) // it must not be deleted meanwhile
	} else if enrolled.Exists() {
		at = now // the enrolment that is given in its place begins now
	}
	return p, true, s.study.GiveAccess(ctx, tx, changes, p.cause(), enrolled, at, course.Title)
}

// terms returns the terms that the sale gives. A course that had ended when it was sold gives no
// end by that.
func (e SaleElsewhere) terms(course catalog.Course, soldAt time.Time) catalog.Terms {
	terms := catalog.Terms{Days: course.Terms.Days, Until: course.Terms.Until}
	if terms.HasEnded(soldAt) {
		terms.Until = time.Time{}
	}
	return terms
}

// is reports whether p is the purchase of the sale. Without SoldAt the time does not matter.
func (e SaleElsewhere) is(p Purchase) bool {
	isAt := e.SoldAt.IsZero() || e.SoldAt.Equal(p.CompletedAt)
	return p.UserID == e.UserID && p.CourseID == e.CourseID && p.Amount == e.Amount &&
		p.Currency == e.Currency && isAt
}
