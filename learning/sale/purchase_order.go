package sale

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/study"
)

// OrderRequest is what a user wants to buy.
type OrderRequest struct {
	CourseID   string // "" for a bundle
	BundleID   string // "" for a course
	CouponCode string // of a coupon that reduces the price; "" for none
	Currency   string // ISO 4217; "" for that of the platform
	Language   string // the Accept-Language of the request, at most MaxLanguage; may be ""
	// Metadata is what a host keeps with the purchase. The gateway gets what fits, and events of
	// the purchase have it. An open order that is answered again keeps its own. It must come from
	// the host, never from the user.
	Metadata core.Metadata
}

// Order is the data that a client's checkout needs to pay.
type Order struct {
	PurchaseID string
	Provider   string // as that of a [purchase.Purchase]
	OrderID    string // "" if the course was free
	KeyID      string // the public key of the provider
	// ClientSecret and CheckoutURL are those of an [OpenedOrder].
	ClientSecret string
	CheckoutURL  string
	Amount       core.Money
	Currency     string
}

// orderOf returns what the buyer needs to pay p. keyID is the public key of its provider.
func orderOf(p purchase.Purchase, keyID string) Order {
	return Order{PurchaseID: p.ID, Provider: p.Provider, OrderID: p.OrderID, KeyID: keyID,
		ClientSecret: p.ClientSecret, CheckoutURL: p.CheckoutURL, Amount: p.Amount,
		Currency: p.Currency}
}

// MaxLanguage is the length of the longest language of an [OrderRequest], in code points.
const MaxLanguage = 200

// OpenOrder returns the order with which the actor can pay a course or a bundle. If there is none,
// it opens one at the provider that takes the currency. An open order at another price, in another
// currency or with another coupon is replaced, and so is one of more than [askOrderAfter] that the
// provider has closed. A user has at most one open order for a course or a bundle, also with
// concurrent calls in many processes: OpenOrder stores the purchase with a lease before it calls
// the gateway, and concurrent calls wait for its order or for the end of the lease. If the course
// is free, OpenOrder enrols the actor without an order.
//
// Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest] for metadata that is not valid (see
// [core.Metadata.Check]) and for a course and a bundle at once, [people.ErrUserNotFound],
// [catalog.ErrCourseNotFound], [bundle.ErrBundleNotFound], [catalog.ErrCourseEnded],
// [study.ErrCoursesRequired], [offer.ErrCouponNotFound], [offer.ErrCouponUnusable],
// [payment.ErrCurrencyNotSold], [study.ErrAlreadyEnrolled], [ErrPaymentProcessing],
// [payment.ErrNotConfigured], and what a [BuyPolicy] refuses with. If the gateway fails, no
// purchase stays. Waiting calls give up after one lease plus a margin, so that a hanging gateway
// does not add up time-outs.
func (s *Service) OpenOrder(
	ctx context.Context, actor core.Actor, r OrderRequest,
) (Order, error) {
	// Check the user, the course and the coupon.
	want, err := s.check(ctx, actor, r)
	if err != nil {
		return Order{}, err
	}

	// Open the order, or wait while another call opens it: one margin longer than its lease, which
	// lasts for the time-out and a margin.
	waitCtx, cancel := context.WithTimeout(ctx, s.base.Timeout+2*lease.Margin)
	defer cancel()
	var order Order
	waitErr := lease.Poll(waitCtx, func() (done bool, _ error) { // tries again after growing pauses
		order, err = s.openOrWait(ctx, want)
		isDone := !errors.Is(err, errStateChanged)
		return isDone, nil // err is the result, and does not end the waiting by itself
	})
	if waitErr != nil {
		return Order{}, fmt.Errorf("wait for an order that is being opened: %w", waitErr)
	}
	return order, err
}

// errStateChanged means that another call has changed what this one had read, or is about to. The
// caller must read the state again, after a pause.
var errStateChanged = errors.New("learning: the state has changed")

// wanted is what a user wants to buy, and for which price.
type wanted struct {
	userID string
	offer.Offer
	offer.Price
	coupon   offer.Coupon    // the zero Coupon for none
	sold     []purchase.Sold // the courses of a bundle
	unit     core.Money      // the step in which the provider counts
	language string
	metadata core.Metadata
}

// check returns what a user wants to buy after checking the user, the metadata, the offer and the
// coupon. Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest], [people.ErrUserNotFound],
// [catalog.ErrCourseNotFound], [catalog.ErrCourseEnded], [study.ErrCoursesRequired],
// [offer.ErrCouponNotFound], [offer.ErrCouponUnusable].
func (s *Service) check(
	ctx context.Context, actor core.Actor, r OrderRequest,
) (w wanted, err error) {
	if err := actor.Require(); err != nil {
		return wanted{}, err
	}
	err = cmp.Or(r.Metadata.Check(), core.RequireText("language", r.Language, 0, MaxLanguage))
	if err != nil {
		return wanted{}, err
	}
	if err := s.people.RequireRecord(ctx, actor); err != nil { // there must be a user to lock
		return wanted{}, err
	}

	// The course must be published, and the coupon valid now; it is the zero Coupon if there is no
	// code. Whether this user can redeem it is decided later, by decideOrder and by redeem.
	w.userID, w.language = actor.UserID, r.Language
	w.metadata = maps.Clone(r.Metadata) // which the caller may change
	if w.Offer, err = s.offered(ctx, r.CourseID, r.BundleID); err != nil {
		return wanted{}, err
	}
	if err := s.mayStillBuy(ctx, actor, w.Offer); err != nil {
		return wanted{}, err
	}
	if w.coupon, err = s.offers.ValidCoupon(ctx, w.Offer, r.CouponCode); err != nil {
		return wanted{}, err
	}
	if w.Price, err = s.offers.Price(w.Offer, w.coupon, r.Currency); err != nil {
		return wanted{}, err
	}
	w.sold = purchase.SoldOf(w.Offer, w.Currency, s.currency)
	w.unit = s.desk.Step(w.Price.Provider, w.Currency)
	return w, s.buyPolicy.Require(ctx, actor, w.Offer, w.Price)
}

// purchase returns a new purchase of what is wanted, which has no order yet. It holds a redemption
// of the coupon if there is one: the caller takes it.
func (w wanted) purchase(s orderState, id string, at time.Time) purchase.Purchase {
	provider := ""
	if w.Amount > 0 && w.Price.Provider != nil {
		provider = w.Provider.Name()
	}
	p := purchase.Purchase{
		ID: id, UserID: w.userID, CourseID: w.CourseID, Amount: w.Amount, Currency: w.Currency,
		Provider: provider, ListPrice: w.Listed,
		Status: purchase.Created, CouponID: w.coupon.ID, CouponCode: w.coupon.Code,
		HoldsCoupon: w.coupon.ID != "", Metadata: w.metadata,
		TermDays: w.Course.Terms.Days, TermUntil: w.Course.Terms.Until,
		CreatedAt: at, UpdatedAt: at,
	}
	if w.BundleID != "" {
		p.BundleID, p.BundleTitle = w.BundleID, w.Title
		missing := purchase.Missing(w.sold, s.enrolledIn, at)
		p.Lines = purchase.NewLines(id, w.userID, w.Amount, w.unit, missing, at)
	}
	return p
}

// orderState is what a user has of a course, and of the coupon of an offer.
type orderState struct {
	enrolled study.Enrollment  // in the course; zero if there is none
	open     purchase.Purchase // the open purchase of the offer; zero if there is none
	// lease is that to open the order of that purchase; zero, and so expired, if there is none.
	lease core.Lease
	// redeemed is the purchase that holds a redemption of the coupon; zero if there is none.
	redeemed purchase.Purchase

	enrolledIn map[string]study.Enrollment // in the courses of a bundle, by course
}

// isEnrolled reports whether the user has the course, or all courses of the bundle.
func (s orderState) isEnrolled(want wanted, now time.Time) bool {
	if want.BundleID != "" {
		return len(purchase.Missing(want.sold, s.enrolledIn, now)) == 0
	}
	return purchase.Part{Enrollment: s.enrolled}.IsEnrolled(now)
}

// purchaseState returns the state of a purchase of the offer that needs no payment.
func (s orderState) purchaseState(want wanted, p purchase.Purchase) purchase.State {
	state := purchase.State{Purchase: p, Enrollment: s.enrolled, CourseTerms: want.Course.Terms}
	for _, l := range p.Lines {
		state.Parts = append(state.Parts, purchase.Part{Line: l,
			CourseTitle: purchase.FindSold(want.sold, l.CourseID).Title,
			Enrollment:  s.enrolledIn[l.CourseID]})
	}
	return state
}

// readOrderState reads the state of an offer: inside a transaction that has locked the user, or
// outside one to find out whether there is anything to change. Outside, a concurrent call may
// change the state between two reads. The enrolment is read last, so that a purchase which is
// completed before the open purchase is read is seen as an enrolment.
func readOrderState(ctx context.Context, r Reader, want wanted) (s orderState, err error) {
	// First with which purchase the user holds the coupon.
	if want.coupon.ID != "" {
		s.redeemed, err = r.RedeemingPurchase(ctx, want.userID, want.coupon.ID)
		if err != nil && !errors.Is(err, core.ErrNoRecord) {
			return s, fmt.Errorf("read the purchase with a coupon: %w", err)
		}
	}

	// Then the open purchase, and whether a call is opening its order.
	if s.open, err = r.OpenPurchase(ctx, want.userID, want.ID()); err != nil &&
		!errors.Is(err, core.ErrNoRecord) {
		return s, fmt.Errorf("read the open purchase: %w", err)
	}
	if s.open.ID != "" && s.open.OrderID == "" {
		if s.lease, err = r.Lease(ctx, orderLease(s.open.ID)); err != nil {
			return s, fmt.Errorf("read the lease of a purchase: %w", err)
		}
	}

	// Last the enrolments, which a completed purchase has.
	if want.BundleID != "" {
		s.enrolledIn, err = r.EnrollmentsIn(ctx, want.userID, want.CourseIDs())
		return s, core.Wrap("read the enrolments in a bundle", err)
	}
	s.enrolled, err = r.Enrollment(ctx, want.userID, want.CourseID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return s, fmt.Errorf("read the enrolment: %w", err)
	}
	return s, nil
}

// orderLease returns the name of the lease to open the order of a purchase.
func orderLease(purchaseID string) string { return "order:" + purchaseID }

// orderStep is the next step to the order of an offer.
type orderStep int

const (
	refuseEnrolled orderStep = iota // the user is enrolled
	refuseCoupon                    // the coupon is redeemed with another purchase, or used up
	answerOpen                      // the open order is answered
	awaitOrder                      // another call is opening the order
	// the open order has another price or coupon: ask its provider about it
	replaceOrder
	enrolFree   // the course is free: enrol without an order
	createOrder // insert a purchase and open its order
	takeOver    // open the order of a purchase whose lease has expired
)

// writes reports whether the step must be decided again and stored in a transaction. These steps
// are the last ones of the list. replaceOrder is not one of them: it asks the provider first, and
// has a transaction of its own.
func (s orderStep) writes() bool { return s >= enrolFree }

// decideOrder returns the next step. The first row that fits decides. "Enrolled" is without an
// enrolment that can be renewed: see [study.Enrollment.CanRenew]. The open purchase is the
// user's one of the course, and redeemed is the one with which the user holds the coupon of the
// offer. "Used up" means that the coupon of the offer has reached its limit of redemptions.
//
// A bundle is "enrolled" if all its courses are, and an order of the same offer is one for the same
// price, coupon and courses.
//
//	enrolled  redeemed, other than by open  open purchase                   price  step
//	yes       any                           any                             any    refuseEnrolled
//	no        open, of this offer           any                             any    awaitOrder
//	no        any other                     any                             any    refuseCoupon
//	no        none, but used up             an order with another coupon    any    refuseCoupon
//	no        none                          an order of the offer           any    answerOpen
//	no        none                          an order of another offer       any    replaceOrder
//	no        none                          no order, and a lease           any    awaitOrder
//	no        none                          none, or no order and no lease  0      enrolFree
//	no        none                          no order and no lease           else   takeOver
//	no        none                          none                            else   createOrder
//
// In the fourth row the open order stays, because the offer with the used-up coupon could not be
// opened in its place.
//
// In the second row another call has given up or deleted the redeeming purchase between the reads
// of the state. It is therefore seen outside a transaction only.
func decideOrder(s orderState, want wanted, now time.Time) orderStep {
	hasOpen, hasOrder := s.open.ID != "", s.open.OrderID != ""
	isOfOffer := s.open.Amount == want.Amount && s.open.Currency == want.Currency &&
		s.open.CouponID == want.coupon.ID &&
		purchase.LinesAreOf(s.open.Lines, purchase.Missing(want.sold, s.enrolledIn, now))
	switch {
	case s.isEnrolled(want, now):
		return refuseEnrolled
	case s.redeemed.ID != s.open.ID && s.redeemed.Status.Open() &&
		s.redeemed.OfferID() == want.ID():
		return awaitOrder
	case s.redeemed.ID != "" && s.redeemed.ID != s.open.ID:
		return refuseCoupon
	case hasOrder && s.open.CouponID != want.coupon.ID && want.coupon.IsUsedUp():
		return refuseCoupon
	case hasOrder && isOfOffer:
		return answerOpen
	case hasOrder:
		return replaceOrder
	case hasOpen && !s.lease.Expired(now):
		return awaitOrder
	case want.Amount == 0:
		return enrolFree
	case hasOpen:
		return takeOver
	}
	return createOrder
}

// orderDecision is a state, and the step that follows from it.
type orderDecision struct {
	state orderState
	step  orderStep
	mine  leasedPurchase // that the step has inserted or taken over; zero for other steps
}

// openOrWait reads the state and does the next step. It returns errStateChanged if the caller must
// call it again: because another call is opening the order or has changed the state, or because
// this call has given up the order of another offer. Its other errors are those of OpenOrder.
func (s *Service) openOrWait(ctx context.Context, want wanted) (Order, error) {
	// Read and decide outside a transaction, because most calls have nothing to write.
	state, err := readOrderState(ctx, s.store, want)
	if err != nil {
		return Order{}, err
	}
	d := orderDecision{state: state, step: decideOrder(state, want, s.base.Now())}

	// To write, lock the user, read and decide again.
	if d.step.writes() {
		if want.Provider == nil && d.step != enrolFree {
			return Order{}, payment.ErrNotConfigured
		}
		if d, err = s.storeOrderStep(ctx, want); err != nil {
			return Order{}, err
		}
	}

	// Answer, or go on at the provider.
	switch d.step {
	case refuseEnrolled:
		return Order{}, study.ErrAlreadyEnrolled
	case refuseCoupon:
		return Order{}, offer.ErrCouponUnusable
	case answerOpen:
		return s.answerOpen(ctx, d.state.open)
	case replaceOrder: // an error in any case: errStateChanged if another order can be opened now
		return Order{}, s.giveUpOrder(ctx, want, d.state.open)
	case enrolFree:
		return orderOf(d.mine.Purchase, s.desk.KeyID("")), nil
	case createOrder, takeOver:
		return s.openAtProvider(ctx, want, d.mine)
	}
	return Order{}, errStateChanged // awaitOrder
}
