package sale

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// maxProviderID is the length of the longest id of the gateway that is stored, in bytes: that of
// the columns, which fits into a key of every engine.
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
// too, because the signature proves the payment. Errors: [core.ErrUnauthenticated],
// [ErrGatewayNotConfigured], [ErrInvalidPaymentSignature], [ErrPurchaseNotFound] if the actor has
// no purchase with this order, and [ErrPaymentReturned] if the payment came late and the coupon of
// the purchase cannot be redeemed again.
func (s *Service) VerifyPayment(
	ctx context.Context, actor core.Actor, proof PaymentProof,
) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if s.gateway == nil {
		return ErrGatewayNotConfigured
	}

	// The signature proves that the order was paid with this payment.
	if !text.ValidID(proof.PaymentID, maxProviderID) ||
		!s.gateway.VerifyPayment(proof.OrderID, proof.PaymentID, proof.Signature) {
		return ErrInvalidPaymentSignature
	}

	// Complete the purchase of this user that has the order.
	purchase, err := s.purchaseOfProof(ctx, actor.UserID, proof)
	if err != nil {
		return err
	}
	const isProven = true
	return s.complete(ctx, purchase, proof.PaymentID, isProven)
}

// purchaseOfProof returns the user's purchase that a proof is for: one with its order, and
// with the id that it names, if it names one. If there are several, an open one comes first, then
// one that this payment has completed, then a failed one. The open one comes first, because the
// signature proves that it is paid, whatever else the payment has completed. Error:
// [ErrPurchaseNotFound].
func (s *Service) purchaseOfProof(ctx context.Context, userID string,
	proof PaymentProof) (Purchase, error) {
	list, err := s.store.PurchasesByOrder(ctx, proof.OrderID)
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

// isOpen, isFailed and isPaidBy are conditions for firstMatching.
func isOpen(p Purchase) bool   { return p.Status.Open() }
func isFailed(p Purchase) bool { return p.Status == PurchaseFailed }

// isPaidBy returns the condition that a payment has completed the purchase.
func isPaidBy(paymentID string) func(Purchase) bool {
	return func(p Purchase) bool { return p.PaymentID == paymentID }
}

// ReceiveGatewayWebhook verifies a webhook of the payment gateway. It completes the purchase
// of a captured payment as [System.CapturePayment] does, and counts a refund that was
// processed or has failed, each refund once. It returns nil for a signed
// event with invalid content, which it logs, because a repetition would fail too.
// Errors: [core.ErrInvalidWebhook], [ErrGatewayNotConfigured].
func (s *Service) ReceiveGatewayWebhook(
	ctx context.Context, body []byte, signature string,
) error {
	if s.gateway == nil {
		return ErrGatewayNotConfigured
	}

	// Verify the signature before anything is read.
	event, err := s.gateway.VerifyWebhook(body, signature)
	if errors.Is(err, core.ErrMalformedEvent) {
		s.base.Log.WarnContext(ctx, "a signed gateway event is not of the expected shape", "error",
			err)
		return nil
	}
	switch {
	case err != nil:
		return err // such as ErrInvalidWebhook
	case event.Refund.ID != "":
		return s.receiveRefund(ctx, event)
	case event.Payment.Captured:
		return s.System().CapturePayment(ctx, event.Payment)
	}
	return nil // an event that the platform does not need
}

// CapturePayment completes the purchase of a captured payment. The order decides which purchase
// that is, because a browser can write the notes. If the order is unknown, it is the purchase in
// the notes, but it is completed only if the amount and the currency of the payment, as far as it
// has them, match, and if the payment has completed no other purchase. CapturePayment logs a
// payment that cannot complete a purchase and returns nil, because the gateway would repeat its
// webhook after an error. A payment without an id or without a purchase in its notes is ignored
// and not logged. CapturePayment does not look at [Payment.Captured].
func (host System) CapturePayment(ctx context.Context, paid Payment) error {
	s := host.service
	if paid.PurchaseID == "" || paid.ID == "" {
		return nil // docs/api.md §6: silently ignored
	}
	if !text.ValidID(paid.ID, maxProviderID) {
		s.base.Log.WarnContext(ctx, "payment whose id cannot be kept", "order", paid.OrderID)
		return nil
	}

	// The order decides, and the notes only if the order is unknown.
	purchase, err := s.purchaseOfOrder(ctx, paid)
	isOrdered := !errors.Is(err, core.ErrNoRecord)
	if !isOrdered {
		purchase, err = s.store.Purchase(ctx, paid.PurchaseID)
	}
	switch {
	case errors.Is(err, core.ErrNoRecord):
		s.base.Log.WarnContext(ctx, "payment for an unknown purchase",
			"payment", paid.ID, "order", paid.OrderID)
		return nil
	case err != nil:
		return fmt.Errorf("find the purchase of a payment: %w", err)
	}

	// Complete it. A payment of its order is proven, and a different amount is only logged: matches
	// does that. complete refuses a payment that is not proven and has completed another purchase.
	isMatch := s.matches(ctx, purchase, paid)
	if !isMatch && !isOrdered {
		return nil
	}
	err = s.complete(ctx, purchase, paid.ID, isOrdered)
	if errors.Is(err, ErrPaymentReturned) { // the refund is stored: no webhook need repeat this
		return nil
	}
	return err
}

// purchaseOfOrder returns the purchase with the order of a payment. If several have the
// order, it returns the one in the notes, else the one that this payment has completed,
// so that a repeated event completes no other purchase, else an open one, else a failed one. It
// returns [core.ErrNoRecord] if there is none, also for a payment without an order.
func (s *Service) purchaseOfOrder(ctx context.Context, paid Payment) (Purchase, error) {
	if paid.OrderID == "" {
		return Purchase{}, core.ErrNoRecord
	}
	list, err := s.store.PurchasesByOrder(ctx, paid.OrderID)
	if err != nil {
		return Purchase{}, err
	}
	if len(list) == 0 {
		return Purchase{}, core.ErrNoRecord
	}
	isNamed := func(o Purchase) bool { return o.ID == paid.PurchaseID }
	return firstMatching(list, isNamed, isPaidBy(paid.ID), isOpen, isFailed), nil
}

// matches reports whether the amount and the currency of a payment, as far as it has them, are
// those of its purchase. It logs a difference.
func (s *Service) matches(ctx context.Context, purchase Purchase, paid Payment) bool {
	sameAmount := paid.Amount == nil || *paid.Amount == purchase.Amount
	sameCurrency := paid.Currency == "" || paid.Currency == purchase.Currency
	if sameAmount && sameCurrency {
		return true
	}
	amount := "?"
	if paid.Amount != nil {
		amount = paid.Amount.String()
	}
	s.base.Log.WarnContext(ctx, "payment differs from its purchase",
		"purchase", purchase.ID, "payment", paid.ID, "order", paid.OrderID,
		"paid", strings.TrimSpace(amount+" "+paid.Currency),
		"expected", purchase.Amount.String()+" "+purchase.Currency)
	return false
}
