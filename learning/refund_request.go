package learning

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/lease"
)

// RefundRequest is what an admin asks for. A repeated request with the same Key gets the answer of
// the first one for 24 hours and refunds nothing more, whichever admin repeats it. While the first one
// runs, the second one waits for its answer.
type RefundRequest struct {
	PurchaseID string
	Amount     *Money // nil for all that is left
	Reason     string // at most MaxRefundReason code points; may be ""
	Key        string // up to MaxRefundKey visible characters of ASCII; "" for none
}

// RefundPurchase refunds an amount of a completed purchase at the gateway, or all that is
// left, and returns the purchase. The amount is reserved in the database
// before the gateway is called, so that concurrent and repeated calls refund no more than
// was paid. While a refund of the same amount is pending, a call continues that one and
// starts no other, because the answer to the earlier call may have been lost. If the gateway
// processes the refund later, the amount is not counted yet in the returned purchase.
//
// Errors: [ErrUnauthenticated], [ErrForbidden], [ErrInvalidRequest],
// [ErrGatewayNotConfigured], [ErrPurchaseNotFound], [ErrKeyReused], and [ErrNotRefundable] if the
// purchase is not completed, if less is left, or if the gateway refuses. After any other error the
// refund may have been made: it stays pending, and [System.ReconcilePurchases] finds out.
func (p *Platform) RefundPurchase(ctx context.Context, actor Actor, r RefundRequest) (Purchase, error) {
	if err := actor.RequireRole(Admin); err != nil {
		return Purchase{}, err
	}
	r.Reason = strings.TrimSpace(r.Reason)
	if !isText(r.Reason, 0, MaxRefundReason) || !isRefundKey(r.Key) || (r.Amount != nil && *r.Amount <= 0) {
		return Purchase{}, ErrInvalidRequest
	}
	if p.gateway == nil {
		return Purchase{}, ErrGatewayNotConfigured
	}

	// Wait while another call answers a request with the same key.
	waitCtx, cancel := context.WithTimeout(ctx, p.timeout+3*lease.Margin)
	defer cancel()
	var purchase Purchase
	var err error
	waitErr := lease.Poll(waitCtx, func() (done bool, _ error) {
		purchase, err = p.refundOrWait(ctx, r, actor.UserID)
		return !errors.Is(err, errStateChanged), nil
	})
	if waitErr != nil {
		return Purchase{}, fmt.Errorf("wait for the answer to a request with the same key: %w", waitErr)
	}
	return purchase, err
}

// refundOrWait reserves a refund, requests it from the gateway, and stores the answer to a request
// with a key. It returns errStateChanged if another call is answering the request.
func (p *Platform) refundOrWait(ctx context.Context, r RefundRequest, by string) (Purchase, error) {
	begun, err := p.beginRefund(ctx, r, by)
	if err != nil || begun.isAnswered {
		return begun.answer, err
	}

	// The call continues if the caller cancels the request, so that its outcome is stored.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), p.timeout+lease.Margin)
	defer cancel()
	answer, err := p.finishRefund(ctx, begun.refund)
	if begun.lease.Holder == "" {
		return answer, err
	}
	outcome := RefundUnanswered
	switch {
	case err == nil:
		outcome = RefundAccepted
	case errors.Is(err, ErrNotRefundable):
		outcome = RefundDeclined
	}
	switch keyErr := p.answerKey(ctx, r, begun.lease, outcome, answer); {
	case errors.Is(keyErr, lease.ErrLost): // another call continues the refund and answers
		return Purchase{}, errStateChanged
	case keyErr != nil:
		return Purchase{}, errors.Join(err, keyErr)
	}
	return answer, err
}

// begunRefund is the result of beginRefund: a refund to be requested, or an answer.
type begunRefund struct {
	refund     Refund
	lease      Lease // to answer the request; zero if it has no key
	isAnswered bool  // whether the request with this key was answered before
	answer     Purchase
	declined   error // [ErrNotRefundable]; it is stored with the key, so it ends no transaction
}

// beginRefund stores a pending refund and reserves its amount, or finds the pending refund that the
// request continues. Errors: [ErrPurchaseNotFound], [ErrNotRefundable], [ErrKeyReused],
// errStateChanged.
func (p *Platform) beginRefund(
	ctx context.Context, r RefundRequest, by string,
) (begun begunRefund, err error) {
	purchase, err := p.store.Purchase(ctx, r.PurchaseID)
	if errors.Is(err, ErrNoRecord) {
		return begun, ErrPurchaseNotFound
	}
	if err != nil {
		return begun, fmt.Errorf("read a purchase: %w", err)
	}
	err = p.inUserTx(ctx, purchase.UserID, func(tx Tx, _ *outbox) (err error) {
		begun, err = p.runBeginRefund(ctx, tx, r, by)
		return err
	})
	if errors.Is(err, lease.ErrHeld) {
		err = errStateChanged
	}
	if err == nil {
		err = begun.declined
	}
	return begun, wrap("reserve a refund", err)
}

// runBeginRefund is the transaction of beginRefund, which has locked the buyer.
func (p *Platform) runBeginRefund(
	ctx context.Context, tx Tx, r RefundRequest, by string,
) (begun begunRefund, err error) {
	// Read the whole state.
	purchase, err := tx.Purchase(ctx, r.PurchaseID)
	if err != nil {
		return begun, err
	}
	pending, err := tx.PendingRefundsOf(ctx, purchase.ID)
	if err != nil {
		return begun, err
	}
	key, err := p.readKeyState(ctx, tx, r)
	if err != nil {
		return begun, err
	}
	now := p.now()

	// A request with a known key is answered, waits, or continues its refund.
	switch decideKey(key, r, now) {
	case keyMisused:
		return begun, ErrKeyReused
	case keyAwaited:
		return begun, errStateChanged
	case keyAnswered:
		if key.key.Outcome == RefundDeclined {
			return begun, ErrNotRefundable
		}
		purchase.Status, purchase.RefundedAmount = key.key.Status, key.key.RefundedAmount
		return begunRefund{isAnswered: true, answer: purchase}, nil
	case keyContinued:
		if begun.refund, err = tx.Refund(ctx, key.key.RefundID); err == nil {
			begun.lease, err = p.takeKey(ctx, tx, r, key)
		}
		return begun, err
	}

	// A new request continues a pending refund of its amount, or reserves the amount.
	begun.refund, begun.declined = decideReservation(purchase, pending, r.Amount)
	if begun.declined == nil && begun.refund.ID == "" {
		begun.refund.ID, begun.refund.Reason, begun.refund.CreatedBy = p.newID(), r.Reason, by
		begun.refund.CreatedAt, begun.refund.UpdatedAt = now, now
		reserved := purchase.refunded(0, -begun.refund.Amount, now)
		if err := storePurchase(ctx, tx, purchase, reserved); err != nil {
			return begun, err
		}
		if err := tx.InsertRefund(ctx, begun.refund); err != nil {
			return begun, err
		}
	}

	// Store the key, with its answer if that is known.
	if r.Key == "" {
		return begun, nil
	}
	if begun.declined != nil {
		return begun, p.storeKey(ctx, tx, r, key, RefundKey{
			Outcome: RefundDeclined, Status: purchase.Status,
			RefundedAmount: purchase.RefundedAmount,
		})
	}
	err = p.storeKey(ctx, tx, r, key, RefundKey{RefundID: begun.refund.ID})
	if err == nil {
		begun.lease, err = p.takeKey(ctx, tx, r, key)
	}
	return begun, err
}

// decideReservation returns the pending refund that a request continues, or a new one without an id.
// amount is nil for all that is left. Error: [ErrNotRefundable].
//
//	status     amount                                      result
//	any other  any                                         ErrNotRefundable
//	completed  that of a pending refund                    that refund
//	completed  nil, and nothing is left that is not pending  the oldest pending refund, if there is one
//	completed  more than is left, or nothing is left       ErrNotRefundable
//	completed  any other                                   a new refund
func decideReservation(purchase Purchase, pending []Refund, amount *Money) (Refund, error) {
	if purchase.Status != PurchaseCompleted {
		return Refund{}, ErrNotRefundable
	}
	left := purchase.Amount - purchase.RefundedAmount - purchase.PendingRefunds
	wanted := left
	if amount != nil {
		wanted = *amount
	}
	for _, r := range pending {
		if r.Amount == wanted || amount == nil && left == 0 {
			return r, nil
		}
	}
	if wanted <= 0 || wanted > left {
		return Refund{}, ErrNotRefundable
	}
	return Refund{
		PurchaseID: purchase.ID, PaymentID: purchase.PaymentID, Amount: wanted,
		Currency: purchase.Currency, Status: RefundPending,
	}, nil
}

// finishRefund requests a refund from the gateway, unless its outcome is known, and returns the
// purchase. Error: [ErrNotRefundable], if the gateway refuses.
func (p *Platform) finishRefund(ctx context.Context, r Refund) (Purchase, error) {
	switch r.Status {
	case RefundPending:
		if err := p.requestRefund(ctx, r, p.timeout); err != nil {
			return Purchase{}, wrap("refund a purchase", err)
		}
	case RefundFailed:
		return Purchase{}, ErrNotRefundable
	}
	purchase, err := p.store.Purchase(ctx, r.PurchaseID)
	return purchase, wrap("read a refunded purchase", err)
}

// requestRefund asks the gateway for a pending refund, and applies the answer. It may be
// repeated, because the id of the refund is the idempotency key. It returns [ErrNotRefundable] if
// the gateway refuses.
func (p *Platform) requestRefund(ctx context.Context, r Refund, timeout time.Duration) error {
	got, err := p.createRefund(ctx, r, timeout)
	switch {
	case errors.Is(err, ErrRefundRefused):
		p.log.WarnContext(ctx, "refund refused by the gateway", "refund", r.ID, "purchase", r.PurchaseID, "payment", r.PaymentID, "error", err)
		got = GatewayRefund{Status: RefundFailed, RefundID: r.ID, PurchaseID: r.PurchaseID, PaymentID: r.PaymentID, Amount: r.Amount}
		if err := p.applyRefund(ctx, r.PurchaseID, got); err != nil {
			return err
		}
		return ErrNotRefundable
	case err != nil:
		p.log.WarnContext(ctx, "refund of unknown outcome", "refund", r.ID, "purchase", r.PurchaseID, "payment", r.PaymentID)
		return fmt.Errorf("ask the gateway: %w", err)
	}
	return p.applyRefund(ctx, r.PurchaseID, got)
}

func (p *Platform) createRefund(ctx context.Context, r Refund, timeout time.Duration) (GatewayRefund, error) {
	ctx, cancel := context.WithTimeout(ctx, min(timeout, p.timeout))
	defer cancel()
	got, err := p.gateway.CreateRefund(ctx, NewRefund{ID: r.ID, PurchaseID: r.PurchaseID, PaymentID: r.PaymentID, Amount: r.Amount, Currency: r.Currency})
	if err == nil && !validID(got.ID, maxProviderID) {
		return GatewayRefund{}, errors.New("the gateway answered no usable refund id")
	}
	got.RefundID, got.PurchaseID = r.ID, r.PurchaseID
	return got, err
}
