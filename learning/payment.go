package learning

import (
	"context"
	"errors"
	"fmt"
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
// so again is the same success. Errors: [ErrInvalidPaymentSignature], and
// [ErrPurchaseNotFound] for an unknown order and for somebody else's.
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
	purchase, err := p.store.PurchaseByOrder(ctx, proof.OrderID)
	if errors.Is(err, ErrNoRecord) {
		return ErrPurchaseNotFound
	}
	if err != nil {
		return fmt.Errorf("find the purchase of an order: %w", err)
	}
	if purchase.UserID != actor.UserID || (proof.PurchaseID != "" && proof.PurchaseID != purchase.ID) {
		return ErrPurchaseNotFound
	}
	return p.complete(ctx, purchase, proof.PaymentID)
}

// VerifyWebhook tells whether a webhook comes from the payment gateway.
func (p *Platform) VerifyWebhook(body []byte, signature string) (bool, error) {
	if p.gateway == nil {
		return false, ErrGatewayNotConfigured
	}
	return p.gateway.VerifyWebhook(body, signature), nil
}

// CapturePayment takes in a verified webhook that says a payment was captured.
// What cannot be completed, and would not be by being sent again, is logged and
// no error. The order decides which purchase it is, since a browser can write
// notes; without an order the notes are believed only when amount and currency
// are those of the purchase.
func (p *Platform) CapturePayment(ctx context.Context, paid Payment) error {
	if paid.PurchaseID == "" || paid.ID == "" {
		return nil // interface.md, "Events": silently ignored
	}
	if !validID(paid.ID, maxProviderID) {
		p.log.WarnContext(ctx, "payment whose id cannot be kept", "order", paid.OrderID)
		return nil
	}
	purchase, err := p.purchaseOf(ctx, paid)
	switch {
	case errors.Is(err, ErrNoRecord):
		p.log.WarnContext(ctx, "payment for an unknown purchase", "payment", paid.ID, "order", paid.OrderID)
		return nil
	case err != nil:
		return fmt.Errorf("find the purchase of a payment: %w", err)
	}
	same := paid.Amount == purchase.Amount && paid.Currency == purchase.Currency
	if !same {
		p.log.WarnContext(ctx, "payment differs from its purchase", "purchase", purchase.ID, "payment", paid.ID, "order", paid.OrderID,
			"paid", paid.Amount.String()+" "+paid.Currency, "expected", purchase.Amount.String()+" "+purchase.Currency)
	}
	if !same && paid.OrderID == "" {
		return nil
	}
	if err := p.complete(ctx, purchase, paid.ID); !errors.Is(err, errPaymentUsed) {
		return err
	}
	return nil
}

func (p *Platform) purchaseOf(ctx context.Context, paid Payment) (Purchase, error) {
	if paid.OrderID != "" {
		return p.store.PurchaseByOrder(ctx, paid.OrderID)
	}
	return p.store.Purchase(ctx, paid.PurchaseID)
}

// complete brings a paid purchase to its end, in one transaction: the purchase,
// the course's number of students, the enrolment. However often and from wherever
// it is called, there is one enrolment, the number moves by one, and the first
// payment stays. [errPaymentUsed], which is logged, means that it is not completed.
func (p *Platform) complete(ctx context.Context, purchase Purchase, paymentID string) error {
	moved, err := p.settlePurchase(ctx, purchase, paymentID, true)
	owned := errors.Is(err, ErrDuplicate)
	if owned {
		// The person has the course from another purchase, and enrolments are never
		// taken away: this one is completed without.
		moved, err = p.settlePurchase(ctx, purchase, paymentID, false)
	}
	switch {
	case errors.Is(err, errPaymentUsed):
		p.log.WarnContext(ctx, "payment has completed another purchase already", "purchase", purchase.ID, "payment", paymentID)
		return err
	case err != nil:
		return fmt.Errorf("complete a purchase: %w", err)
	case !moved:
		return p.explain(ctx, purchase.ID, paymentID)
	case owned:
		p.logDouble(ctx, purchase, paymentID)
	}
	return nil
}

// settlePurchase is the transaction of complete; it tells whether this call made
// the transition. The counter comes before the insert: its row is the lock that
// brings everybody who buys the same course into one line.
func (p *Platform) settlePurchase(ctx context.Context, purchase Purchase, paymentID string, enroll bool) (moved bool, err error) {
	err = p.store.InTx(ctx, func(tx Tx) (err error) {
		moved, err = tx.CompletePurchase(ctx, purchase.ID, paymentID, p.now())
		if errors.Is(err, ErrDuplicate) {
			return errPaymentUsed
		}
		if err != nil || !moved || !enroll {
			return err
		}
		return p.enroll(ctx, tx, purchase)
	})
	return moved, err
}

// enroll counts and stores the enrolment that a purchase gives.
func (p *Platform) enroll(ctx context.Context, tx Tx, purchase Purchase) error {
	tx.AfterCommit(p.catalogueChanged)
	if err := tx.CountEnrollment(ctx, purchase.CourseID); err != nil {
		return err
	}
	return tx.InsertEnrollment(ctx, Enrollment{UserID: purchase.UserID, CourseID: purchase.CourseID, PurchaseID: purchase.ID, CreatedAt: p.now()})
}

// explain looks at a purchase that was final already, and logs what a person
// should know: money that came twice, or after a refund.
func (p *Platform) explain(ctx context.Context, id, paymentID string) error {
	now, err := p.store.Purchase(ctx, id)
	if err != nil {
		return fmt.Errorf("read a completed purchase: %w", err)
	}
	switch {
	case now.Status == PurchaseRefunded:
		p.log.WarnContext(ctx, "payment for a refunded purchase", "purchase", id, "payment", paymentID)
	case now.PaymentID != paymentID:
		p.logDouble(ctx, now, paymentID)
	}
	return nil
}

func (p *Platform) logDouble(ctx context.Context, purchase Purchase, paymentID string) {
	p.log.WarnContext(ctx, "double payment", "purchase", purchase.ID, "user", purchase.UserID, "course", purchase.CourseID,
		"order", purchase.OrderID, "payment", paymentID, "first_payment", purchase.PaymentID)
}
