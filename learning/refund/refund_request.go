package refund

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/purchase"
)

// Request is what an admin asks for. A repeated request with the same Key gets the answer of
// the first one for 24 hours and refunds nothing more, whichever admin repeats it. While the first
// one runs, the second one waits for its answer.
type Request struct {
	PurchaseID string
	Amount     *core.Money // nil for all that is left
	// CourseIDs are courses of the purchase of a bundle, each once: all that is left of their lines
	// is refunded. Then Amount is nil. nil for no courses.
	CourseIDs []string
	Reason    string // at most MaxReason code points; may be ""
	Key       string // up to MaxKey visible characters of ASCII; "" for none
}

// Refund refunds an amount of a completed purchase at the gateway, or all that is left, and returns
// the purchase. One of a sale that was made elsewhere is marked as refunded: the money is given
// back where it was paid. The amount is reserved in the database before the gateway is called, so
// that concurrent and repeated calls refund no more than was paid. While a refund of the same
// amount, or of the same lines and amount, is pending, a call continues that one and starts no
// other, because the answer to the earlier call may have been lost. If the gateway processes the
// refund later, the amount is not counted yet in the returned purchase.
//
// Errors: [core.ErrUnauthenticated], [core.ErrForbidden], [core.ErrInvalidRequest],
// [payment.ErrNotConfigured], [purchase.ErrNotFound], [ErrKeyReused], and [ErrNotRefundable] if the
// purchase is not completed, if less is left, or if the gateway refuses. After any other error the
// refund may have been made: it stays pending, and the reconciliation finds out.
func (s *Service) Refund(ctx context.Context, actor core.Actor,
	r Request) (purchase.Purchase, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return purchase.Purchase{}, err
	}
	r.Reason = strings.TrimSpace(r.Reason)
	isAmount := r.Amount == nil || *r.Amount > 0
	err := cmp.Or(core.RequireText("reason", r.Reason, 0, MaxReason),
		core.Require(isRefundKey(r.Key), "Idempotency-Key",
			fmt.Sprintf("must have at most %d visible ASCII characters", MaxKey)),
		core.Require(isAmount, "amount", "must be greater than 0"), r.checkCourseIDs())
	if err != nil {
		return purchase.Purchase{}, err
	}
	if s.desk.IsEmpty() {
		if err := s.requireManual(ctx, r.PurchaseID); err != nil {
			return purchase.Purchase{}, err
		}
	}

	// Wait while another call answers a request with the same key: one margin longer than its
	// lease, which lasts for the time-out and two margins.
	waitCtx, cancel := context.WithTimeout(ctx, s.base.Timeout+3*lease.Margin)
	defer cancel()
	var p purchase.Purchase
	waitErr := lease.Poll(waitCtx, func() (done bool, _ error) {
		p, err = s.refundOrWait(ctx, r, actor.UserID)
		isDone := !errors.Is(err, errAwaited)
		return isDone, nil // err is the result, and does not end the waiting by itself
	})
	if waitErr != nil {
		return purchase.Purchase{}, fmt.Errorf(
			"wait for the answer to a request with the same key: %w", waitErr)
	}
	return p, err
}

// Currency returns the currency of a purchase, for an admin who is about to send an amount. Errors:
// [core.ErrUnauthenticated], [core.ErrForbidden], [purchase.ErrNotFound].
func (s *Service) Currency(ctx context.Context, actor core.Actor, id string) (string, error) {
	if err := actor.RequireRole(core.Admin); err != nil {
		return "", err
	}
	p, err := s.store.Purchase(ctx, id)
	if errors.Is(err, core.ErrNoRecord) {
		return "", purchase.ErrNotFound
	}
	return p.Currency, core.Wrap("read a purchase", err)
}

// requireManual returns [payment.ErrNotConfigured] unless a purchase can be refunded without a
// provider.
func (s *Service) requireManual(ctx context.Context, purchaseID string) error {
	p, err := s.store.Purchase(ctx, purchaseID)
	if err != nil && !errors.Is(err, core.ErrNoRecord) {
		return fmt.Errorf("read a purchase: %w", err)
	}
	if p.Provider != payment.NameManual {
		return payment.ErrNotConfigured
	}
	return nil
}

// isRefundKey reports whether a text may be a key, as [Request] says. "" may be one.
func isRefundKey(key string) bool {
	for _, c := range []byte(key) {
		if c <= ' ' || c > '~' {
			return false
		}
	}
	return len(key) <= MaxKey
}

// finishRefund requests a refund from the gateway, unless its outcome is known, and returns the
// purchase. Error: [ErrNotRefundable], if the gateway refuses or has refused it.
func (s *Service) finishRefund(ctx context.Context, r Refund) (purchase.Purchase, error) {
	// A refund that another call has decided is not requested again.
	switch r.Status {
	case payment.RefundPending:
		if err := s.requestRefund(ctx, r, s.base.Timeout); err != nil {
			return purchase.Purchase{}, core.Wrap("refund a purchase", err)
		}
	case payment.RefundFailed:
		return purchase.Purchase{}, ErrNotRefundable
	}
	// It is processed, or the gateway has accepted it. Read what is refunded now.
	p, err := s.store.Purchase(ctx, r.PurchaseID)
	return p, core.Wrap("read a refunded purchase", err)
}

// requestRefund asks the gateway for a pending refund, and applies the answer. It may be
// repeated, because the id of the refund is the idempotency key. It returns [ErrNotRefundable] if
// the gateway refuses. After any other error the refund stays pending. timeout limits the request
// if it is shorter than the time-out of providers.
func (s *Service) requestRefund(ctx context.Context, r Refund, timeout time.Duration) error {
	got, err := s.createRefund(ctx, r, timeout)

	// A refusal is applied as a report of the gateway. An unknown outcome stays pending.
	switch {
	case errors.Is(err, payment.ErrRefundRefused):
		s.base.Log.WarnContext(ctx, "refund refused by the gateway", "refund", r.ID, "purchase",
			r.PurchaseID, "payment", r.PaymentID, "error", err)
		// Without an ID at the gateway, DecideReport takes it as a refusal.
		got = payment.Refund{Status: payment.RefundFailed, RefundID: r.ID, PurchaseID: r.PurchaseID,
			PaymentID: r.PaymentID, Amount: r.Amount}
		if err := s.applyRefund(ctx, r.PurchaseID, got); err != nil {
			return err
		}
		return ErrNotRefundable
	case err != nil:
		s.base.Log.WarnContext(ctx, "refund of unknown outcome", "refund", r.ID, "purchase",
			r.PurchaseID, "payment", r.PaymentID)
		return fmt.Errorf("ask the gateway: %w", err)
	}
	return s.applyRefund(ctx, r.PurchaseID, got)
}

// createRefund asks the provider for a refund, and returns its answer with our ids, also if the
// answer has none, so that findRefund finds the stored refund.
func (s *Service) createRefund(
	ctx context.Context, r Refund, timeout time.Duration,
) (payment.Refund, error) {
	if r.isByHand() {
		return payment.Refund{ID: handRefund + r.ID, Status: payment.RefundProcessed,
			RefundID: r.ID, PurchaseID: r.PurchaseID, Amount: r.Amount}, nil
	}
	got, err := s.desk.CreateRefund(ctx, r.Provider, timeout, payment.NewRefund{ID: r.ID,
		PurchaseID: r.PurchaseID, PaymentID: r.PaymentID, Amount: r.Amount,
		Currency: r.Currency})
	got.RefundID, got.PurchaseID = r.ID, r.PurchaseID
	return got, err
}

// returnTimeout bounds the first request for the refund of a returned payment, because the gateway
// waits for the answer to its webhook.
const returnTimeout = 3 * time.Second

// RequestAtOnce requests a refund that is stored, even if ctx is done. If that fails, it only logs
// the error, because [ForRooms.ReconcilePending] requests the refund again.
func (s *ForRooms) RequestAtOnce(ctx context.Context, r Refund) {
	// The margin is the time to store the answer after the request.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx),
		min(s.base.Timeout, returnTimeout)+lease.Margin)
	defer cancel()
	if err := (*Service)(s).requestRefund(ctx, r, returnTimeout); err != nil {
		s.base.Log.WarnContext(ctx, "return a payment", "refund", r.ID, "purchase", r.PurchaseID,
			"error", err)
	}
}
