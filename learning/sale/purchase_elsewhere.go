package sale

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// ErrReferenceUsed is the failure of a sale whose reference is that of another one.
var ErrReferenceUsed = &core.Error{Kind: core.Conflict, Code: "reference_used",
	Message: "This reference was used for another sale"}

// DecisionSaleRecorded is the decision of an admin to store a sale that was made elsewhere.
const DecisionSaleRecorded core.DecisionKind = "sale.recorded"

// RecordSale stores a sale that was made elsewhere as a completed purchase: it enrols the buyer,
// unless the buyer is enrolled, and counts in the revenue of the day on which it was made. The
// course or the bundle may be a draft. A bundle has a line for each course that the buyer does not
// have, or for all of them if the buyer has all. The same sale again returns the purchase of the
// first call, and changes nothing. Errors: [core.ErrUnauthenticated], [core.ErrForbidden],
// [core.ErrInvalidRequest], [people.ErrUserNotFound], also for a deleted user,
// [catalog.ErrCourseNotFound], [bundle.ErrBundleNotFound], [ErrReferenceUsed].
func (s *Service) RecordSale(
	ctx context.Context, actor core.Actor, e SaleElsewhere,
) (purchase.Own, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return purchase.Own{}, err
	}
	return s.recordSale(ctx, actor.UserID, e)
}

// RecordSale is [Service.RecordSale] for the host itself.
func (host System) RecordSale(ctx context.Context, e SaleElsewhere) (purchase.Own, error) {
	return host.service.recordSale(ctx, "", e)
}

// recordSale is RecordSale by an admin; "" for the host.
func (s *Service) recordSale(
	ctx context.Context, by string, e SaleElsewhere,
) (purchase.Own, error) {
	// Check the sale, its buyer and its course.
	e.Reference, e.Source = strings.TrimSpace(e.Reference), strings.TrimSpace(e.Source)
	e.SoldAt = e.SoldAt.UTC().Truncate(time.Microsecond)
	if err := e.Check(s.base.Now()); err != nil {
		return purchase.Own{}, err
	}
	if err := s.people.RequireRecord(ctx, core.Actor{UserID: e.UserID}); err != nil {
		return purchase.Own{}, err
	}
	sold, err := s.anyOffer(ctx, e.CourseID, e.BundleID)
	if err != nil {
		return purchase.Own{}, err
	}

	// Store it, in a transaction that has locked the buyer.
	var p purchase.Purchase
	err = s.base.ChangeOfUser(ctx, e.UserID, func(tx Tx, changes *core.Changes) error {
		if err := core.RequireUndeleted(ctx, tx, e.UserID); err != nil {
			return err
		}
		var isNew bool
		p, isNew, err = s.ForRooms().RecordSale(ctx, tx, changes, e, sold)
		if err == nil && isNew && by != "" {
			changes.Decide(core.Decision{Kind: DecisionSaleRecorded, ActorID: by, UserID: p.UserID,
				DecisionIDs: core.DecisionIDs{CourseID: p.CourseID, PurchaseID: p.ID}})
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
		return purchase.Own{}, core.Wrap("record a sale", err)
	}
	return purchase.Own{Purchase: p, CourseTitle: sold.Title}, nil
}

// CheckSale returns an error that names the first field of a sale that is wrong, or
// [ErrReferenceUsed]. It looks for neither the buyer nor the course.
func (s *ForRooms) CheckSale(ctx context.Context, e SaleElsewhere) error {
	if err := e.Check(s.base.Now()); err != nil {
		return err
	}
	p, err := s.store.PurchaseOfReference(ctx, e.Source, e.Reference)
	switch {
	case errors.Is(err, core.ErrNoRecord):
		return nil
	case err == nil && !isSale(e, p):
		return ErrReferenceUsed
	}
	return core.Wrap("read the purchase with a reference", err)
}

// RecordSale stores a sale that was checked, in a transaction that has locked the buyer, and
// reports whether it is new. sold is its course or bundle. Errors: [ErrReferenceUsed],
// [core.ErrNoRecord] if the course was deleted, and [core.ErrDuplicate] if a concurrent transaction
// has used the reference; the transaction must then run again.
func (s *ForRooms) RecordSale(
	ctx context.Context, tx Tx, changes *core.Changes, e SaleElsewhere, sold offer.Offer,
) (p purchase.Purchase, isNew bool, err error) {
	// The sale may be stored already.
	p, err = tx.PurchaseOfReference(ctx, e.Source, e.Reference)
	if err == nil && !isSale(e, p) {
		return purchase.Purchase{}, false, ErrReferenceUsed
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
	state, err := (*Service)(s).stateElsewhere(ctx, tx, e, sold, at)
	if err != nil {
		return purchase.Purchase{}, false, err
	}
	p = state.Expiring(state.Completed(paymentID, isShared, at), at)
	if err := purchase.Insert(ctx, tx, p); err != nil {
		return purchase.Purchase{}, false, err
	}
	purchase.AddEvent(changes, purchase.EventCompleted, p, sold.Title)
	purchase.CountSale(changes, purchase.Purchase{}, p)
	if e.Paper {
		if err := tx.PurchaseCompleted(ctx, p); err != nil {
			return purchase.Purchase{}, false, err
		}
	}

	// Lock the courses, which must not be deleted meanwhile, and enrol the buyer.
	if err := purchase.LockCourses(ctx, tx, p.CourseIDs()); err != nil {
		return purchase.Purchase{}, false, err
	}
	now := s.base.Now()
	state.Purchase = p
	return p, true, purchase.Give(ctx, s.study, tx, changes, state.AllParts(sold.Title), at, now)
}

// stateElsewhere returns a purchase that was made elsewhere at a time, with the enrolments of the
// buyer, before it is completed.
func (s *Service) stateElsewhere(
	ctx context.Context, tx Tx, e SaleElsewhere, sold offer.Offer, at time.Time,
) (purchase.State, error) {
	want := wanted{userID: e.UserID, Offer: sold, unit: 1,
		sold: purchase.SoldOf(sold, e.Currency, s.currency)}
	want.Amount, want.Currency = e.Amount, e.Currency
	state, err := orderState{}, error(nil)
	if sold.BundleID == "" {
		state.enrolled, err = tx.Enrollment(ctx, e.UserID, e.CourseID)
		if errors.Is(err, core.ErrNoRecord) {
			err = nil
		}
	} else {
		state.enrolledIn, err = tx.EnrollmentsIn(ctx, e.UserID, sold.CourseIDs())
	}
	if err != nil {
		return purchase.State{}, err
	}

	// The lines are those of the courses that the buyer does not have, or else all.
	of := state
	if sold.BundleID != "" && state.isEnrolled(want, s.base.Now()) {
		of = orderState{}
	}
	p := want.purchase(of, s.base.NewID(), at)
	p.Provider, p.ListPrice = payment.NameManual, 0
	p.Source, p.Reference = e.Source, e.Reference
	before := state.purchaseState(want, p)
	before.CourseTerms = e.TermsOf(sold.Course.Terms, at)
	before.TermUntil = before.CourseTerms.Until
	for i, l := range p.Lines {
		terms := e.TermsOf(purchase.FindSold(want.sold, l.CourseID).Terms, at)
		before.Parts[i].CourseTerms = terms
		before.Lines[i].TermUntil = terms.Until
	}
	return before, nil
}

// isSale reports whether p is the purchase of a sale. Without SoldAt the time does not matter.
func isSale(e SaleElsewhere, p purchase.Purchase) bool {
	isAt := e.SoldAt.IsZero() || e.SoldAt.Equal(p.CompletedAt)
	return p.UserID == e.UserID && p.CourseID == e.CourseID && p.BundleID == e.BundleID &&
		p.Amount == e.Amount &&
		p.Currency == e.Currency && isAt
}
