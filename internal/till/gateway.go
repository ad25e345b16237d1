package till

import (
	"context"
	"errors"
	"fmt"

	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// atGateway is the till of the payment gateway.
type atGateway struct{ *sandbox.Gateway }

// Gateway returns the till of the payment gateway.
func Gateway(box *sandbox.Sandbox) Till { return atGateway{box.Gateway()} }

func (atGateway) Name() string { return payment.NameGateway }

func (g atGateway) Orders() int { return g.OrdersCreated() }

func (g atGateway) Open(purchaseID string, amount int64) (string, error) {
	o, err := g.CreateOrder(sandbox.Order{Amount: amount, Currency: "INR", Receipt: purchaseID})
	return o.ID, err
}

func (g atGateway) Pay(order string, options ...sandbox.PayOption) (string, error) {
	p, err := g.Gateway.Pay(order, options...)
	return p.ID, err
}

func (g atGateway) Fail(order string, options ...sandbox.PayOption) error {
	_, err := g.Gateway.Fail(order, options...)
	return err
}

func (g atGateway) Authorize(order string, options ...sandbox.PayOption) error {
	_, err := g.Gateway.Authorize(order, options...)
	return err
}

func (g atGateway) Proof(order, paymentID string) payment.Proof {
	return payment.Proof{OrderID: order, PaymentID: paymentID,
		Signature: g.Signature(order, paymentID)}
}

// payments returns the payments of all orders that are accepted by a condition, with the purchases
// of the orders.
func (g atGateway) payments(
	accept func(sandbox.Payment) bool,
) (all []sandbox.Payment, purchases []string, err error) {
	for _, o := range g.Gateway.Orders() {
		payments, err := g.Payments(o.ID)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range payments {
			if accept(p) {
				all, purchases = append(all, p), append(purchases, o.Receipt)
			}
		}
	}
	return all, purchases, nil
}

func (g atGateway) Captured() (all []Payment, err error) {
	payments, purchases, err := g.payments(func(p sandbox.Payment) bool { return p.Captured })
	if err != nil {
		return nil, err
	}
	for i, p := range payments {
		refunds, err := g.Refunds(p.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, Payment{ID: p.ID, PurchaseID: purchases[i], Currency: p.Currency,
			Amount: p.Amount, Refunded: p.AmountRefunded, Refunds: refunds})
	}
	return all, nil
}

func (g atGateway) Refund(paymentID string, options ...sandbox.PayOption) error {
	_, err := g.Gateway.Refund(paymentID, options...)
	return refusedBy(err, sandbox.ErrRefundTooLarge)
}

// refusedBy returns ErrRefused in place of an error that is a refusal.
func refusedBy(err, refusal error) error {
	if errors.Is(err, refusal) {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

func (g atGateway) Refunds(paymentID string) (all []Refund, err error) {
	list, err := g.Gateway.Refunds(paymentID)
	for _, r := range list {
		all = append(all, gatewayRefund(r))
	}
	return all, err
}

func gatewayRefund(r sandbox.Refund) Refund {
	return Refund{ID: r.ID, PaymentID: r.PaymentID, Key: r.Key,
		PurchaseID: r.Notes[purchaseNote], Amount: r.Amount, Currency: r.Currency,
		Status: payment.RefundStatus(r.Status)}
}

func (g atGateway) DelayRefund() {
	g.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultPending, On: sandbox.OpCreateRefund})
}

func (g atGateway) ProcessRefund(id string, options ...sandbox.PayOption) error {
	_, err := g.Gateway.ProcessRefund(id, options...)
	return refusedBy(err, sandbox.ErrRefundFinal)
}

func (g atGateway) FailRefund(id string, options ...sandbox.PayOption) error {
	_, err := g.Gateway.FailRefund(id, options...)
	return refusedBy(err, sandbox.ErrRefundFinal)
}

func (g atGateway) PaidEvent(_, paymentID string) ([]byte, error) {
	p, err := g.payment(paymentID)
	if err != nil {
		return nil, err
	}
	return g.Event(sandbox.PaymentCapturedEvent, p)
}

// payment returns the payment with an id, which has nothing but the id if it does not exist.
func (g atGateway) payment(id string) (sandbox.Payment, error) {
	found, _, err := g.payments(func(p sandbox.Payment) bool { return p.ID == id })
	if err != nil {
		return sandbox.Payment{}, fmt.Errorf("find payment %q: %w", id, err)
	}
	return append(found, sandbox.Payment{ID: id})[0], nil
}

func (g atGateway) RefundEvent(r Refund) ([]byte, error) {
	p, err := g.payment(r.PaymentID)
	if err != nil {
		return nil, err
	}
	about := sandbox.Refund{ID: r.ID, Entity: "refund", PaymentID: r.PaymentID, Amount: r.Amount,
		Currency: r.Currency, Status: string(r.Status)}
	list, err := g.Gateway.Refunds(r.PaymentID)
	if err != nil && !errors.Is(err, sandbox.ErrUnknownPayment) {
		return nil, err
	}
	for _, one := range list {
		if one.ID == r.ID {
			about.Notes, about.CreatedAt = one.Notes, one.CreatedAt
		}
	}
	return g.Gateway.RefundEvent("refund."+about.Status, p, about)
}

func (g atGateway) Signed(body []byte) payment.Webhook {
	return payment.Webhook{Body: body, Header: func(name string) string {
		if name == gateway.SignatureHeader {
			return g.SignWebhook(body)
		}
		return ""
	}}
}

func (g atGateway) Send(ctx context.Context, body []byte) error { return g.SendWebhook(ctx, body) }

func (atGateway) Operations() Operations {
	return Operations{CreateOrder: sandbox.OpCreateOrder, CreateRefund: sandbox.OpCreateRefund,
		AskForPayment: sandbox.OpListPayments, ListRefunds: sandbox.OpListRefunds}
}

func (g atGateway) OnOrder(fn func()) {
	if fn == nil {
		g.Gateway.OnOrder(nil)
		return
	}
	g.Gateway.OnOrder(func(sandbox.Order) { fn() })
}

func (g atGateway) OnRefund(fn func(Refund)) {
	if fn == nil {
		g.Gateway.OnRefund(nil)
		return
	}
	g.Gateway.OnRefund(func(r sandbox.Refund) { fn(gatewayRefund(r)) })
}
