package learning

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
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
// [ErrGatewayNotConfigured], [ErrInvalidPaymentSignature], and [ErrPurchaseNotFound] if
// the actor has no purchase with this order.
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

// ReceiveGatewayWebhook verifies a webhook of the payment gateway and completes the
// purchase of its payment as [System.CapturePayment] does. It returns nil for a signed
// event with invalid content, which it logs, because a repetition would fail too.
// Errors: [ErrInvalidWebhook], [ErrGatewayNotConfigured].
func (p *Platform) ReceiveGatewayWebhook(ctx context.Context, body []byte, signature string) error {
	if p.gateway == nil {
		return ErrGatewayNotConfigured
	}
	paid, err := p.gateway.VerifyWebhook(body, signature)
	if errors.Is(err, ErrMalformedEvent) {
		p.log.WarnContext(ctx, "a signed gateway event is not of the expected shape", "error", err)
		return nil
	}
	if err != nil || !paid.Captured {
		return err
	}
	return p.System().CapturePayment(ctx, paid)
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

// purchaseOf returns the purchase that a payment is for. ordered is true if it was
// found by the order of the payment, and false if it was found by the notes.
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

// purchaseOfOrder returns the purchase with the order of a payment. If several have the
// order, it returns the one in the notes, else the one that this payment has completed,
// so that a repeated event completes no other purchase.
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

// errDifferent means that a payment has another amount or currency than its purchase.
var errDifferent = errors.New("learning: the payment differs from its purchase")

// compare logs a difference and returns errDifferent if the amount or the currency of
// the payment is known and differs from that of the purchase.
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

// completion holds the conditions for completing a purchase, and the title of its course.
type completion struct {
	title    string // for events
	firstUse bool   // the payment must have completed no other purchase
	enroll   bool   // the user must not be enrolled, and is enrolled
}

var (
	errPaymentUsed = errors.New("learning: the payment has completed another purchase")
	errEnrolled    = errors.New("learning: the user is enrolled by another purchase")
)

// relax removes the condition that made a transaction fail with err, and reports whether
// it did. A proven payment completes its purchase even if it has completed another one.
// A second purchase of a course is completed without an enrolment.
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

// complete completes a paid purchase, increments the number of students of the course,
// and enrols the user, in one transaction. Concurrent and repeated calls create one
// enrolment, increment the number once, and keep the first payment. A payment is proven
// by a signature for the order of the purchase, or if the gateway names that order. A
// payment that is not proven completes at most one purchase: complete logs and returns
// errPaymentUsed if it has completed another one.
func (p *Platform) complete(ctx context.Context, purchase Purchase, paymentID string, proven bool) error {
	title, err := p.eventTitle(ctx, purchase.CourseID)
	if err != nil {
		return fmt.Errorf("complete a purchase: %w", err)
	}
	demands := completion{title: title, firstUse: true, enroll: true}
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

// tryComplete runs the transaction of complete and reports whether it made the
// transition. The counter is updated before the INSERT because its row is the lock that
// serialises the purchases of a course. The usual transaction is repeatable, and the one
// of an unexpected payment is not, because its second run would not be logged.
func (p *Platform) tryComplete(ctx context.Context, purchase Purchase, paymentID string, demands completion) (moved bool, err error) {
	err = p.inTxEvents(ctx, func(tx Tx, out *outbox) (err error) {
		if demands.firstUse && demands.enroll {
			tx.Repeatable()
		}
		moved, err = tx.CompletePurchase(ctx, purchase.ID, paymentID, demands.firstUse, p.now())
		if errors.Is(err, ErrDuplicate) {
			return errPaymentUsed
		}
		if err != nil || !moved {
			return err
		}
		out.purchase(EventPurchaseCompleted, purchase, demands.title)
		if !demands.enroll {
			return nil
		}
		if err := p.enroll(ctx, tx, out, purchase, demands.title); !errors.Is(err, ErrDuplicate) {
			return err
		}
		return errEnrolled
	})
	return moved, err
}

// enroll stores the enrolment of a purchase and increments the number of students. The
// events come first, because the transaction locks the row of the course from the
// increment on.
func (p *Platform) enroll(ctx context.Context, tx Tx, out *outbox, purchase Purchase, title string) error {
	out.enrollment(EventEnrollmentCreated, purchase, title)
	if err := out.write(ctx, tx); err != nil {
		return err
	}
	tx.AfterCommit(p.catalogueChanged)
	if err := tx.IncrementEnrollments(ctx, purchase.CourseID); err != nil {
		return err
	}
	return tx.InsertEnrollment(ctx, Enrollment{UserID: purchase.UserID, CourseID: purchase.CourseID, PurchaseID: purchase.ID, CreatedAt: p.now()})
}

// logUnexpectedPayment logs a payment of a purchase that was completed by another
// payment or was refunded.
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
