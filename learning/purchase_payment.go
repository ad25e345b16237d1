package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// maxProviderID is the longest id of the gateway that can be kept, in bytes.
const maxProviderID = 191

// PaymentProof is what the gateway's checkout gives to a client that has paid.
type PaymentProof struct {
	PurchaseID string // optional; must match when it is there
	OrderID    string
	PaymentID  string
	Signature  string // see [PaymentVerifier]
}

// VerifyPayment completes the purchase that a client proves to have paid; doing
// so again is the same success. A payment that has completed another purchase is
// logged, and completes this one too: the signature proves it. Errors:
// [ErrInvalidPaymentSignature], and [ErrPurchaseNotFound] for an unknown order and
// for somebody else's.
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

// purchaseOfProof finds the user's purchase that a proof is for. The gateway may
// give one order id to several purchases: then it is the one that the proof names,
// else an open one.
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

// firstMatching returns a purchase of the list, which must not be empty: the first that
// fulfils the earliest condition that any fulfils, else the first of all.
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

// VerifyGatewayWebhook reports whether the payment gateway has signed a webhook.
func (p *Platform) VerifyGatewayWebhook(body []byte, signature string) (bool, error) {
	if p.gateway == nil {
		return false, ErrGatewayNotConfigured
	}
	return p.gateway.VerifyWebhook(body, signature), nil
}

// CapturePayment takes in a verified webhook that says a payment was captured.
// What cannot be completed, and would not be by being sent again, is logged and
// no error. A known order decides which purchase it is, since a browser can write
// notes. Without one the purchase of the notes is completed if the amount and the
// currency, where the gateway tells them, are its own, and the payment has
// completed no other purchase.
func (p *Platform) CapturePayment(ctx context.Context, paid Payment) error {
	if paid.PurchaseID == "" || paid.ID == "" {
		return nil // docs/api.md §6: silently ignored
	}
	if !validID(paid.ID, maxProviderID) {
		p.log.WarnContext(ctx, "payment whose id cannot be kept", "order", paid.OrderID)
		return nil
	}
	purchase, ordered, err := p.purchaseOf(ctx, paid)
	switch {
	case errors.Is(err, ErrNoRecord):
		p.log.WarnContext(ctx, "payment for an unknown purchase", "payment", paid.ID, "order", paid.OrderID)
		return nil
	case err != nil:
		return fmt.Errorf("find the purchase of a payment: %w", err)
	}
	if p.compare(ctx, purchase, paid) != nil && !ordered {
		return nil
	}
	if err := p.complete(ctx, purchase, paid.ID, ordered); !errors.Is(err, errPaymentUsed) {
		return err
	}
	return nil
}

// purchaseOf finds the purchase that a payment is for, and reports whether the
// payment's order is that of the purchase. Otherwise only the notes say so.
func (p *Platform) purchaseOf(ctx context.Context, paid Payment) (purchase Purchase, ordered bool, err error) {
	if paid.OrderID != "" {
		purchase, err = p.purchaseOfOrder(ctx, paid)
		if !errors.Is(err, ErrNoRecord) {
			return purchase, true, err
		}
	}
	purchase, err = p.store.Purchase(ctx, paid.PurchaseID)
	return purchase, false, err
}

// purchaseOfOrder finds the purchase that has the order of a payment. If several
// have it, it is the one that the notes name, else the one that this payment has
// completed, so that an event that is sent again completes nothing more.
func (p *Platform) purchaseOfOrder(ctx context.Context, paid Payment) (Purchase, error) {
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

// errDifferent: a payment has another amount or currency than its purchase.
var errDifferent = errors.New("learning: the payment differs from its purchase")

// compare returns errDifferent, which is logged, if the gateway tells an amount or
// a currency that is not the purchase's.
func (p *Platform) compare(ctx context.Context, purchase Purchase, paid Payment) error {
	sameAmount := paid.Amount == nil || *paid.Amount == purchase.Amount
	sameCurrency := paid.Currency == "" || paid.Currency == purchase.Currency
	if sameAmount && sameCurrency {
		return nil
	}
	amount := "?"
	if paid.Amount != nil {
		amount = paid.Amount.String()
	}
	p.log.WarnContext(ctx, "payment differs from its purchase", "purchase", purchase.ID, "payment", paid.ID, "order", paid.OrderID,
		"paid", strings.TrimSpace(amount+" "+paid.Currency), "expected", purchase.Amount.String()+" "+purchase.Currency)
	return errDifferent
}

// completion says what completing a purchase demands beside the transition.
type completion struct {
	firstUse bool // the payment has completed no other purchase
	enroll   bool // the user is not enrolled yet, and is then
}

var (
	errPaymentUsed = errors.New("learning: the payment has completed another purchase")
	errEnrolled    = errors.New("learning: the user is enrolled by another purchase")
)

// relax drops the demand that a transaction has failed on, and reports whether it
// may be dropped. A proven payment completes its purchase whatever else it has
// completed. An enrolment is never taken away, so a second purchase of the course
// is completed without one.
func (c *completion) relax(err error, proven bool) bool {
	switch {
	case errors.Is(err, errPaymentUsed) && proven && c.firstUse:
		c.firstUse = false
	case errors.Is(err, errEnrolled) && c.enroll:
		c.enroll = false
	default:
		return false
	}
	return true
}

// complete brings a paid purchase to its end, in one transaction: the purchase,
// the course's number of students, the enrolment. However often and from wherever
// it is called, there is one enrolment, the number moves by one, and the first
// payment stays. A payment is proven by a signature for the order of the purchase,
// or by the gateway telling that order. One that is not completes one purchase at
// most: errPaymentUsed, which is logged, means that this one is not completed.
func (p *Platform) complete(ctx context.Context, purchase Purchase, paymentID string, proven bool) error {
	demands := completion{firstUse: true, enroll: true}
	moved, err := p.tryComplete(ctx, purchase, paymentID, demands)
	for demands.relax(err, proven) {
		moved, err = p.tryComplete(ctx, purchase, paymentID, demands)
	}
	switch {
	case errors.Is(err, errPaymentUsed):
		p.logReusedPayment(ctx, purchase, paymentID, false)
		return err
	case err != nil:
		return fmt.Errorf("complete a purchase: %w", err)
	case !moved:
		return p.logUnexpectedPayment(ctx, purchase.ID, paymentID)
	}
	if !demands.firstUse {
		p.logReusedPayment(ctx, purchase, paymentID, true)
	}
	if !demands.enroll {
		p.logDoublePayment(ctx, purchase, paymentID)
	}
	return nil
}

// tryComplete is the transaction of complete; it tells whether this call made
// the transition. The counter comes before the insert: its row is the lock that
// brings everybody who buys the same course into one line.
func (p *Platform) tryComplete(ctx context.Context, purchase Purchase, paymentID string, demands completion) (moved bool, err error) {
	err = p.store.InTx(ctx, func(tx Tx) (err error) {
		moved, err = tx.CompletePurchase(ctx, purchase.ID, paymentID, demands.firstUse, p.now())
		if errors.Is(err, ErrDuplicate) {
			return errPaymentUsed
		}
		if err != nil || !moved || !demands.enroll {
			return err
		}
		if err := p.enroll(ctx, tx, purchase); !errors.Is(err, ErrDuplicate) {
			return err
		}
		return errEnrolled
	})
	return moved, err
}

// enroll counts and stores the enrolment that a purchase gives.
func (p *Platform) enroll(ctx context.Context, tx Tx, purchase Purchase) error {
	tx.AfterCommit(p.catalogueChanged)
	if err := tx.IncrementEnrollments(ctx, purchase.CourseID); err != nil {
		return err
	}
	return tx.InsertEnrollment(ctx, Enrollment{UserID: purchase.UserID, CourseID: purchase.CourseID, PurchaseID: purchase.ID, CreatedAt: p.now()})
}

// logUnexpectedPayment looks at a purchase that was final already, and logs what a person
// should know: money that came twice, or after a refund.
func (p *Platform) logUnexpectedPayment(ctx context.Context, id, paymentID string) error {
	now, err := p.store.Purchase(ctx, id)
	if err != nil {
		return fmt.Errorf("read a completed purchase: %w", err)
	}
	switch {
	case now.Status == PurchaseRefunded:
		p.log.WarnContext(ctx, "payment for a refunded purchase", "purchase", id, "payment", paymentID)
	case now.PaymentID != paymentID:
		p.logDoublePayment(ctx, now, paymentID)
	}
	return nil
}

func (p *Platform) logReusedPayment(ctx context.Context, purchase Purchase, paymentID string, completed bool) {
	p.log.WarnContext(ctx, "payment has completed another purchase already", "purchase", purchase.ID, "payment", paymentID,
		"order", purchase.OrderID, "completed", completed)
}

func (p *Platform) logDoublePayment(ctx context.Context, purchase Purchase, paymentID string) {
	p.log.WarnContext(ctx, "double payment", "purchase", purchase.ID, "user", purchase.UserID, "course", purchase.CourseID,
		"order", purchase.OrderID, "payment", paymentID, "first_payment", purchase.PaymentID)
}
