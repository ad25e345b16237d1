package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// maxProviderID is the length of the longest storable id of the gateway, in bytes.
const maxProviderID = 191

// PaymentProof is the proof of a payment that the gateway's checkout gives to a client.
type PaymentProof struct {
	PurchaseID string // optional; must match if it is set
	OrderID    string
	PaymentID  string
	Signature  string // see [PaymentVerifier]
}

// VerifyPayment completes the purchase that a proof is for. It may be repeated. If the
// payment has completed another purchase, VerifyPayment logs it and completes this one
// too, because the signature proves the payment. Errors: [ErrUnauthenticated],
// [ErrGatewayNotConfigured], [ErrInvalidPaymentSignature], [ErrPurchaseNotFound] if the actor has
// no purchase with this order, and [ErrPaymentReturned] if the payment came late and the coupon of
// the purchase cannot be redeemed again.
func (p *Platform) VerifyPayment(ctx context.Context, actor Actor, proof PaymentProof) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if p.gateway == nil {
		return ErrGatewayNotConfigured
	}
	if !validID(proof.PaymentID, maxProviderID) || !p.gateway.VerifyPayment(proof.OrderID, proof.PaymentID, proof.Signature) {
		return ErrInvalidPaymentSignature
	}
	purchase, err := p.purchaseOfProof(ctx, actor.UserID, proof)
	if err != nil {
		return err
	}
	return p.complete(ctx, purchase, proof.PaymentID, true)
}

// purchaseOfProof returns the user's purchase that a proof is for. If several purchases
// have the order, it returns the one that the proof names, else an open one.
func (p *Platform) purchaseOfProof(ctx context.Context, userID string, proof PaymentProof) (Purchase, error) {
	list, err := p.store.PurchasesByOrder(ctx, proof.OrderID)
	if err != nil {
		return Purchase{}, fmt.Errorf("find the purchase of an order: %w", err)
	}
	list = slices.DeleteFunc(list, func(o Purchase) bool {
		return o.UserID != userID || (proof.PurchaseID != "" && proof.PurchaseID != o.ID)
	})
	if len(list) == 0 {
		return Purchase{}, ErrPurchaseNotFound
	}
	return firstMatching(list, isOpen, isPaidBy(proof.PaymentID), isFailed), nil
}

// firstMatching returns the first purchase that fulfils the first condition. If there is
// none, it tries the next condition, and at last returns the first purchase. list must
// not be empty.
func firstMatching(list []Purchase, conditions ...func(Purchase) bool) Purchase {
	for _, fulfils := range conditions {
		if i := slices.IndexFunc(list, fulfils); i >= 0 {
			return list[i]
		}
	}
	return list[0]
}

func isOpen(p Purchase) bool   { return p.Status.Open() }
func isFailed(p Purchase) bool { return p.Status == PurchaseFailed }

func isPaidBy(paymentID string) func(Purchase) bool {
	return func(p Purchase) bool { return p.PaymentID == paymentID }
}

// ReceiveGatewayWebhook verifies a webhook of the payment gateway. It completes the purchase
// of a captured payment as [System.CapturePayment] does, and counts a refund that was
// processed or has failed, each refund once. It returns nil for a signed
// event with invalid content, which it logs, because a repetition would fail too.
// Errors: [ErrInvalidWebhook], [ErrGatewayNotConfigured].
func (p *Platform) ReceiveGatewayWebhook(ctx context.Context, body []byte, signature string) error {
	if p.gateway == nil {
		return ErrGatewayNotConfigured
	}
	event, err := p.gateway.VerifyWebhook(body, signature)
	if errors.Is(err, ErrMalformedEvent) {
		p.log.WarnContext(ctx, "a signed gateway event is not of the expected shape", "error", err)
		return nil
	}
	switch {
	case err != nil:
		return err
	case event.Refund.ID != "":
		return p.receiveRefund(ctx, event)
	case event.Payment.Captured:
		return p.System().CapturePayment(ctx, event.Payment)
	}
	return nil
}

// CapturePayment completes the purchase of a captured payment. A payment that
// cannot complete a purchase is logged and returns nil, because the gateway would
// repeat its webhook after an error. The order decides which purchase is completed,
// because a browser can write the notes. If the order is unknown, the purchase in the
// notes is completed, if the amount and the currency of the payment, as far as it has
// them, match, and if the payment has completed no other purchase.
func (s System) CapturePayment(ctx context.Context, paid Payment) error {
	p := s.platform
	if paid.PurchaseID == "" || paid.ID == "" {
		return nil // docs/api.md §6: silently ignored
	}
	if !validID(paid.ID, maxProviderID) {
		p.log.WarnContext(ctx, "payment whose id cannot be kept", "order", paid.OrderID)
		return nil
	}

	// The order decides, and the notes only if the order is unknown.
	purchase, err := p.purchaseOfOrder(ctx, paid)
	isOrdered := !errors.Is(err, ErrNoRecord)
	if !isOrdered {
		purchase, err = p.store.Purchase(ctx, paid.PurchaseID)
	}
	switch {
	case errors.Is(err, ErrNoRecord):
		p.log.WarnContext(ctx, "payment for an unknown purchase",
			"payment", paid.ID, "order", paid.OrderID)
		return nil
	case err != nil:
		return fmt.Errorf("find the purchase of a payment: %w", err)
	}
	if !p.matches(ctx, purchase, paid) && !isOrdered {
		return nil
	}
	err = p.complete(ctx, purchase, paid.ID, isOrdered)
	if errors.Is(err, ErrPaymentReturned) {
		return nil
	}
	return err
}

// purchaseOfOrder returns the purchase with the order of a payment. If several have the
// order, it returns the one in the notes, else the one that this payment has completed,
// so that a repeated event completes no other purchase. Error: [ErrNoRecord].
func (p *Platform) purchaseOfOrder(ctx context.Context, paid Payment) (Purchase, error) {
	if paid.OrderID == "" {
		return Purchase{}, ErrNoRecord
	}
	list, err := p.store.PurchasesByOrder(ctx, paid.OrderID)
	if err != nil {
		return Purchase{}, err
	}
	if len(list) == 0 {
		return Purchase{}, ErrNoRecord
	}
	isNamed := func(o Purchase) bool { return o.ID == paid.PurchaseID }
	return firstMatching(list, isNamed, isPaidBy(paid.ID), isOpen, isFailed), nil
}

// matches reports whether the amount and the currency of a payment, as far as it has them, are
// those of its purchase. It logs a difference.
func (p *Platform) matches(ctx context.Context, purchase Purchase, paid Payment) bool {
	sameAmount := paid.Amount == nil || *paid.Amount == purchase.Amount
	sameCurrency := paid.Currency == "" || paid.Currency == purchase.Currency
	if sameAmount && sameCurrency {
		return true
	}
	amount := "?"
	if paid.Amount != nil {
		amount = paid.Amount.String()
	}
	p.log.WarnContext(ctx, "payment differs from its purchase",
		"purchase", purchase.ID, "payment", paid.ID, "order", paid.OrderID,
		"paid", strings.TrimSpace(amount+" "+paid.Currency),
		"expected", purchase.Amount.String()+" "+purchase.Currency)
	return false
}

// paymentState is what completing a purchase by a payment depends on.
type paymentState struct {
	PurchaseState
	redeemed Purchase // with which the user holds the coupon of a failed purchase; zero for none
}

// readPaymentState reads the state in a transaction that has locked the user.
func readPaymentState(
	ctx context.Context, tx Tx, purchaseID, paymentID string,
) (s paymentState, err error) {
	s.PurchaseState, err = tx.PurchaseState(ctx, purchaseID, paymentID)
	if err != nil || s.Status != PurchaseFailed || s.CouponID == "" {
		return s, err
	}
	s.redeemed, err = tx.RedeemingPurchase(ctx, s.UserID, s.CouponID)
	if errors.Is(err, ErrNoRecord) {
		err = nil
	}
	return s, err
}

// paymentResult is what a captured payment does to its purchase.
type paymentResult int

const (
	paymentRepeated   paymentResult = iota // nothing: the purchase was decided before
	paymentIsReturned                      // nothing: the payment is or was returned
	paymentRefused                         // nothing: the payment completes no second purchase
	paymentCompletes                       // it completes the purchase
	paymentReplaces                        // the same, and the order that holds the coupon fails
	paymentRedeems                         // the same, if the coupon allows one more redemption
	paymentReturns                         // the payment is returned
)

// decidePayment returns what a captured payment does to its purchase. A payment is proven by a
// signature for the order of the purchase, or if the gateway names that order.
//
//	status                  payment              coupon redeemed by           result
//	completed, refunded     any                  any                          paymentRepeated
//	refunded, IsReturned()  any                  any                          paymentIsReturned
//	any other               used and not proven  any                          paymentRefused
//	created, pending        any other            any                          paymentCompletes
//	failed                  any other            there is none                paymentCompletes
//	failed                  any other            nothing                      paymentRedeems
//	failed                  any other            an open order of the course  paymentReplaces
//	failed                  any other            any other purchase           paymentReturns
//
// If the coupon allows no more redemptions, paymentRedeems becomes paymentReturns: the UPDATE of the
// coupon finds out, because the lock of the user does not lock the coupon.
func decidePayment(s paymentState, isProven bool) paymentResult {
	switch {
	case s.IsReturned():
		return paymentIsReturned
	case s.Status == PurchaseCompleted, s.Status == PurchaseRefunded:
		return paymentRepeated
	case s.PaymentUsed && !isProven:
		return paymentRefused
	case s.Status != PurchaseFailed, s.CouponID == "":
		return paymentCompletes
	case s.redeemed.ID == "":
		return paymentRedeems
	case s.redeemed.CourseID == s.CourseID && s.redeemed.Status.Open():
		return paymentReplaces
	}
	return paymentReturns
}

// completion is one call of [Platform.complete].
type completion struct {
	purchaseID string
	paymentID  string
	isProven   bool
	title      string // of the course, for events

	// The result of the last run of its transaction:
	result paymentResult
	before paymentState
	refund Refund // of a payment that is returned
}

// complete completes a purchase by a captured payment, increments the number of students of the
// course, and enrols the user, in one transaction. However often and concurrently it is called,
// there is one enrolment, the number grows by one, and the first payment stays. See decidePayment
// for isProven. A payment that completes nothing is logged. A late payment whose coupon cannot be
// redeemed again is refunded instead, and complete returns [ErrPaymentReturned].
func (p *Platform) complete(
	ctx context.Context, purchase Purchase, paymentID string, isProven bool,
) error {
	c := completion{purchaseID: purchase.ID, paymentID: paymentID, isProven: isProven}
	var err error
	if c.title, err = p.eventTitle(ctx, purchase.CourseID); err != nil {
		return fmt.Errorf("complete a purchase: %w", err)
	}
	err = p.inUserTx(ctx, purchase.UserID, func(tx Tx, out *outbox) error {
		return p.runCompletion(ctx, tx, out, &c)
	})
	if err != nil {
		return fmt.Errorf("complete a purchase: %w", err)
	}
	p.logCompletion(ctx, c)
	switch c.result {
	case paymentReturns:
		p.refundAtOnce(ctx, c.refund)
		return ErrPaymentReturned
	case paymentIsReturned:
		return ErrPaymentReturned
	}
	return nil
}

// runCompletion is the transaction of complete, which has locked the user.
func (p *Platform) runCompletion(ctx context.Context, tx Tx, out *outbox, c *completion) error {
	// Read the whole state, and decide.
	s, err := readPaymentState(ctx, tx, c.purchaseID, c.paymentID)
	if err != nil {
		return err
	}
	now := p.now()
	c.before, c.result, c.refund = s, decidePayment(s, c.isProven), Refund{}

	// Redeem the coupon of a late payment.
	switch c.result {
	case paymentRepeated, paymentIsReturned, paymentRefused:
		return nil
	case paymentReplaces: // the redemption of the open order passes to the paid one
		err = storePurchase(ctx, tx, s.redeemed, s.redeemed.failed(now))
	case paymentRedeems:
		var redeemed bool
		if redeemed, err = tx.RedeemCoupon(ctx, s.CouponID, now); err == nil && !redeemed {
			c.result = paymentReturns
		}
	}
	if err != nil {
		return err
	}

	// Store a payment that is returned. Its refund is requested after the transaction, and by
	// [System.ReconcilePurchases] until it is made.
	if c.result == paymentReturns {
		after := s.returned(c.paymentID, s.PaymentUsed, now)
		if err := storePurchase(ctx, tx, s.Purchase, after); err != nil {
			return err
		}
		c.refund = after.fullRefund(p.newID(), now)
		return tx.InsertRefund(ctx, c.refund)
	}

	// Store the completed purchase.
	after := s.completed(c.paymentID, s.PaymentUsed, now)
	if err := storePurchase(ctx, tx, s.Purchase, after); err != nil {
		return err
	}
	out.purchase(EventPurchaseCompleted, after, c.title)
	out.countSale(s.Purchase, after)

	// Enrol the user. The usual transaction may run twice, because a second run finds the purchase
	// completed and has nothing to log.
	if s.CourseDeleted || s.Enrollment.exists() {
		return nil // see logCompletion
	}
	if c.result == paymentCompletes && !s.PaymentUsed {
		tx.Repeatable()
	}
	err = p.enroll(ctx, tx, out, after.enrollment(now), c.title)
	if errors.Is(err, ErrNoRecord) { // the course was deleted after the state was read
		err = fmt.Errorf("enrol: %w", ErrDuplicate)
	}
	return err
}

// returnTimeout bounds the first request for the refund of a returned payment, because the gateway
// waits for the answer to its webhook.
const returnTimeout = 3 * time.Second

// refundAtOnce requests a refund that is stored. If that fails, [System.ReconcilePurchases]
// requests it again.
func (p *Platform) refundAtOnce(ctx context.Context, r Refund) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), min(p.timeout, returnTimeout)+lease.Margin)
	defer cancel()
	if p.gateway == nil {
		return
	}
	if err := p.requestRefund(ctx, r, returnTimeout); err != nil {
		p.log.WarnContext(ctx, "return a payment", "refund", r.ID, "purchase", r.PurchaseID, "error", err)
	}
}

// logCompletion logs what was unusual about a payment.
func (p *Platform) logCompletion(ctx context.Context, c completion) {
	log, s := p.log.With("purchase", c.purchaseID, "payment", c.paymentID), c.before
	switch {
	case c.result == paymentIsReturned:
		log.WarnContext(ctx, "payment for a purchase whose payment is returned")
		return
	case c.result == paymentReturns:
		log.WarnContext(ctx, "late payment is returned, because its coupon cannot be redeemed again",
			"user", s.UserID, "coupon", s.CouponID, "refund", c.refund.ID)
		return
	case c.result == paymentRepeated && s.Status == PurchaseRefunded:
		log.WarnContext(ctx, "payment for a refunded purchase")
		return
	case c.result == paymentRepeated:
		if s.PaymentID != c.paymentID {
			p.logDoublePayment(ctx, c)
		}
		return
	}
	if s.PaymentUsed {
		log.WarnContext(ctx, "payment has completed another purchase already",
			"order", s.OrderID, "completed", c.result != paymentRefused)
	}
	switch {
	case c.result == paymentRefused:
	case s.CourseDeleted:
		log.WarnContext(ctx, "payment for a deleted course",
			"user", s.UserID, "course", s.CourseID, "order", s.OrderID)
	case s.Enrollment.exists():
		p.logDoublePayment(ctx, c)
	}
}

func (p *Platform) logDoublePayment(ctx context.Context, c completion) {
	s := c.before
	p.log.WarnContext(ctx, "double payment", "purchase", c.purchaseID, "user", s.UserID,
		"course", s.CourseID, "order", s.OrderID, "payment", c.paymentID,
		"first_payment", s.PaymentID)
}
