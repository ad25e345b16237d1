package sale

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// The public failures of payments.
var (
	ErrPaymentReturned = &core.Error{Kind: core.Conflict, Code: "payment_returned",
		Message: "This coupon cannot be used any more. Your payment is being refunded."}
	ErrPaymentOfEnded = &core.Error{Kind: core.Conflict, Code: "payment_of_ended",
		Message: "This course has ended. Your payment is being refunded."}
	ErrPaymentProcessing = &core.Error{Kind: core.Conflict, Code: "payment_processing",
		Message: "Your payment is being processed"}
)

// VerifyPayment completes the purchase that a proof is for. It may be repeated. If the payment has
// completed another purchase, VerifyPayment logs it and completes this one too, because the proof
// is for its order. Errors: [core.ErrUnauthenticated], [core.ErrInvalidRequest] if the provider
// needs a field that is missing, [ErrGatewayNotConfigured], [ErrInvalidPaymentSignature],
// [ErrPaymentIncomplete], [purchase.ErrNotFound] if the actor has no purchase with this order, and
// [ErrPaymentReturned] or [ErrPaymentOfEnded] if the payment came late: the coupon of the purchase
// cannot be redeemed again, or the course has ended.
func (s *Service) VerifyPayment(
	ctx context.Context, actor core.Actor, proof payment.Proof,
) error {
	if err := actor.Require(); err != nil {
		return err
	}
	if s.desk.IsEmpty() {
		return payment.ErrNotConfigured
	}

	// The purchases of this user with the order say which provider is to check the proof.
	list, err := s.purchasesOfProof(ctx, actor.UserID, proof)
	if err != nil {
		return err
	}
	provider := payment.NameGateway // which tells a wrong signature from an unknown order by itself
	if len(list) > 0 {
		provider = list[0].Provider
	}
	paid, err := s.desk.CheckProof(ctx, provider, proof)
	if len(list) == 0 && errors.Is(err, payment.ErrNotConfigured) {
		return purchase.ErrNotFound
	}
	if err != nil {
		return err
	}

	// Complete the purchase. An open one comes first, because the proof says that it is paid,
	// whatever else the payment has completed; then one that this has completed, then a failed one.
	if len(list) == 0 {
		return purchase.ErrNotFound
	}
	p := purchase.FirstMatching(list, isOpen, isPaidBy(paid.ID), isFailed)
	_ = s.matches(ctx, p, paid) // only logs, because a payment of the order is proven
	const isProven = true
	return s.complete(ctx, p, paid.ID, isProven)
}

// purchasesOfProof lists the user's purchases that a proof can be for: those with its order, and
// with the id that it names, if it names one.
func (s *Service) purchasesOfProof(ctx context.Context, userID string,
	proof payment.Proof) ([]purchase.Purchase, error) {
	if !text.ValidID(proof.OrderID, payment.MaxID) { // no order has it
		return nil, nil
	}
	list, err := s.store.PurchasesByOrder(ctx, proof.OrderID)
	if err != nil {
		return nil, fmt.Errorf("find the purchase of an order: %w", err)
	}
	list = slices.DeleteFunc(list, func(o purchase.Purchase) bool {
		return o.UserID != userID || proof.PurchaseID != "" && proof.PurchaseID != o.ID
	})
	if len(list) > 0 { // one provider checks the proof
		list = purchase.OfProvider(list, list[0].Provider)
	}
	return list, nil
}

// isOpen, isFailed and isPaidBy are conditions for FirstMatching.
func isOpen(p purchase.Purchase) bool   { return p.Status.Open() }
func isFailed(p purchase.Purchase) bool { return p.Status == purchase.Failed }

// isPaidBy returns the condition that a payment has completed the purchase.
func isPaidBy(paymentID string) func(purchase.Purchase) bool {
	return func(p purchase.Purchase) bool { return p.PaymentID == paymentID }
}

// ReceiveWebhook verifies a webhook of the provider with a name. It completes the purchase of a
// captured payment as [System.CapturePayment] does, counts a refund that was processed or has
// failed, each refund once, and asks the provider about what it reports as changed. It returns nil
// for a signed event with invalid content, which it logs, because a repetition would fail too.
// Errors: [core.ErrInvalidWebhook], [ErrGatewayNotConfigured].
func (s *Service) ReceiveWebhook(ctx context.Context, provider string, w payment.Webhook) error {
	// Verify the signature before anything is read.
	event, err := s.desk.ReadWebhook(provider, w)
	if errors.Is(err, core.ErrMalformedEvent) {
		s.base.Log.WarnContext(ctx, "a signed event of a provider is not of the expected shape",
			"provider", provider, "error", err)
		return nil
	}
	switch {
	case err != nil:
		return err // such as ErrInvalidWebhook
	case event.Refund.ID != "":
		return s.receiveRefund(ctx, provider, event)
	case event.Payment.Captured:
		return s.capture(ctx, provider, event.Payment)
	}
	return s.askChanged(ctx, provider, event) // nothing for an event that the platform does not need
}

// CapturePayment completes the purchase of a captured payment of the gateway. The order decides
// which purchase that is, because a browser can write the notes. If the order is unknown, it is the
// purchase in the notes, but it is completed only if the amount and the currency of the payment, as
// far as it has them, match, and if the payment has completed no other purchase. CapturePayment
// logs a payment that cannot complete a purchase and returns nil, because the gateway would repeat
// its webhook after an error. A payment without an id or without a purchase in its notes is ignored
// and not logged. CapturePayment does not look at [Payment.Captured].
func (host System) CapturePayment(ctx context.Context, paid payment.Payment) error {
	return host.service.capture(ctx, payment.NameGateway, paid)
}

// capture is [System.CapturePayment] for the provider with a name.
func (s *Service) capture(ctx context.Context, provider string, paid payment.Payment) error {
	// docs/api.md §6: the gateway's are silently ignored without a purchase in the notes.
	isOrdersOnly := provider != payment.NameGateway && paid.OrderID != ""
	if paid.ID == "" || paid.PurchaseID == "" && !isOrdersOnly {
		return nil
	}
	if !text.ValidID(paid.ID, payment.MaxID) {
		s.base.Log.WarnContext(ctx, "payment whose id cannot be kept", "order", paid.OrderID)
		return nil
	}

	// The order decides, and the notes only if the order is unknown.
	p, err := s.purchaseOfOrder(ctx, provider, paid)
	isOrdered := !errors.Is(err, core.ErrNoRecord)
	if !isOrdered {
		p, err = s.purchaseInNotes(ctx, provider, paid)
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
	isMatch := s.matches(ctx, p, paid)
	if !isMatch && !isOrdered {
		return nil
	}
	err = s.complete(ctx, p, paid.ID, isOrdered)
	if isReturned(err) { // the refund is stored: no webhook need repeat this
		return nil
	}
	return err
}

// purchaseOfOrder returns the purchase with the order of a payment. If several have the
// order, it returns the one in the notes, else the one that this payment has completed,
// so that a repeated event completes no other purchase, else an open one, else a failed one. It
// returns [core.ErrNoRecord] if there is none, also for a payment without an order.
func (s *Service) purchaseOfOrder(
	ctx context.Context, provider string, paid payment.Payment,
) (purchase.Purchase, error) {
	if !text.ValidID(paid.OrderID, payment.MaxID) { // no order has it
		return purchase.Purchase{}, core.ErrNoRecord
	}
	list, err := s.store.PurchasesByOrder(ctx, paid.OrderID)
	if err != nil {
		return purchase.Purchase{}, err
	}
	if list = purchase.OfProvider(list, provider); len(list) == 0 {
		return purchase.Purchase{}, core.ErrNoRecord
	}
	isNamed := func(o purchase.Purchase) bool { return o.ID == paid.PurchaseID }
	return purchase.FirstMatching(list, isNamed, isPaidBy(paid.ID), isOpen, isFailed), nil
}

// purchaseInNotes returns the purchase that the notes of a payment name. Error: [core.ErrNoRecord],
// also if another provider takes its payment.
func (s *Service) purchaseInNotes(
	ctx context.Context, provider string, paid payment.Payment,
) (purchase.Purchase, error) {
	p, err := s.store.Purchase(ctx, paid.PurchaseID)
	if err == nil && p.Provider != provider {
		err = core.ErrNoRecord
	}
	return p, err
}

// receiveRefund applies the event of a refund. If the event of its payment has not come yet, it
// completes the purchase first. It logs a refund whose payment completes none.
func (s *Service) receiveRefund(ctx context.Context, provider string, event payment.Event) error {
	got := event.Refund
	isUnknown, err := s.refunds.Receive(ctx, provider, got)
	isPaid := event.Payment.Captured && event.Payment.ID == got.PaymentID
	if isUnknown && isPaid {
		if err := s.capture(ctx, provider, event.Payment); err != nil {
			return err
		}
		// It is still unknown if the payment could not complete a purchase.
		isUnknown, err = s.refunds.Receive(ctx, provider, got)
	}
	if isUnknown {
		s.base.Log.WarnContext(ctx, "refund of an unknown payment",
			"payment", got.PaymentID, "refund", got.ID)
	}
	return err
}

// askChanged asks a provider about what an event reports as changed.
func (s *Service) askChanged(ctx context.Context, provider string, event payment.Event) error {
	if text.ValidID(event.ChangedOrder, payment.MaxID) {
		if err := s.askChangedOrder(ctx, provider, event.ChangedOrder); err != nil {
			return err
		}
	}
	if text.ValidID(event.ChangedRefunds, payment.MaxID) {
		if err := s.refunds.AskChanged(ctx, provider, event.ChangedRefunds); err != nil {
			return err
		}
	}
	if text.ValidID(event.ChangedDisputes, payment.MaxID) {
		return s.refunds.AskChangedDisputes(ctx, provider, event.ChangedDisputes)
	}
	return nil
}

// askChangedOrder asks for an order, and completes or fails the purchases that have it. An order of
// no purchase belongs to another system.
func (s *Service) askChangedOrder(ctx context.Context, provider, orderID string) error {
	list, err := s.store.PurchasesByOrder(ctx, orderID)
	if err != nil {
		return fmt.Errorf("find the purchase of an order: %w", err)
	}
	for _, p := range purchase.OfProvider(list, provider) {
		report, err := s.desk.Order(ctx, p.Provider, p.OrderID)
		if err != nil {
			return err
		}
		_, err = s.settleOrder(ctx, p, report)
		if err != nil && !isReturned(err) { // the refund is stored
			return err
		}
	}
	return nil
}

// matches reports whether the amount and the currency of a payment, as far as it has them, are
// those of its purchase. It logs a difference.
func (s *Service) matches(ctx context.Context, p purchase.Purchase, paid payment.Payment) bool {
	sameAmount := paid.Amount == nil || *paid.Amount == p.Amount
	sameCurrency := paid.Currency == "" || paid.Currency == p.Currency
	if sameAmount && sameCurrency {
		return true
	}
	amount := "?"
	if paid.Amount != nil {
		amount = core.FormatMoney(*paid.Amount, cmp.Or(paid.Currency, p.Currency))
	}
	s.base.Log.WarnContext(ctx, "payment differs from its purchase",
		"purchase", p.ID, "payment", paid.ID, "order", paid.OrderID,
		"paid", strings.TrimSpace(amount+" "+paid.Currency),
		"expected", core.FormatMoney(p.Amount, p.Currency)+" "+p.Currency)
	return false
}
