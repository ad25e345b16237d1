package payment

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/core"
)

// MaxID is the length of the longest id of a provider that is stored, in bytes: that of the
// columns, which fits into a key of every engine.
const MaxID = 191

// Desk asks the provider with a name, within a time limit. Each method that asks returns
// [ErrNotConfigured] if the host does not use the provider any more.
type Desk struct {
	Providers Providers
	Timeout   time.Duration // of each call
}

// IsEmpty reports whether there are no providers.
func (d Desk) IsEmpty() bool { return len(d.Providers) == 0 }

// KeyID returns the public key of a provider, and that of the first provider for "", which is what
// a free purchase has; "" if there is none.
func (d Desk) KeyID(name string) string {
	if p, err := d.Providers.Named(name); err == nil {
		return p.KeyID()
	}
	if name != "" || d.IsEmpty() {
		return ""
	}
	return d.Providers[0].Provider.KeyID()
}

// CreateOrder is [Orders.CreateOrder]. An id that cannot be stored is an error.
func (d Desk) CreateOrder(ctx context.Context, name string, o NewOrder) (OpenedOrder, error) {
	opened, err := ask(ctx, d, name, d.Timeout,
		func(ctx context.Context, p Provider) (OpenedOrder, error) { return p.CreateOrder(ctx, o) })
	if err == nil && !text.ValidID(opened.ID, MaxID) {
		return OpenedOrder{}, errors.New("the provider answered no usable order id")
	}
	return opened, err
}

// Order is [Orders.Order].
func (d Desk) Order(ctx context.Context, name, orderID string) (OrderReport, error) {
	report, err := ask(ctx, d, name, d.Timeout,
		func(ctx context.Context, p Provider) (OrderReport, error) { return p.Order(ctx, orderID) })
	return report, core.Wrap("ask the provider for an order", err)
}

// CancelOrder is [Orders.CancelOrder].
func (d Desk) CancelOrder(ctx context.Context, name, orderID string) error {
	_, err := ask(ctx, d, name, d.Timeout, func(ctx context.Context, p Provider) (struct{}, error) {
		return struct{}{}, p.CancelOrder(ctx, orderID)
	})
	return core.Wrap("cancel an order", err)
}

// CheckProof is [Provider.CheckProof]. A payment whose id cannot be stored is not proven.
func (d Desk) CheckProof(ctx context.Context, name string, proof Proof) (Payment, error) {
	paid, err := ask(ctx, d, name, d.Timeout,
		func(ctx context.Context, p Provider) (Payment, error) { return p.CheckProof(ctx, proof) })
	switch {
	case core.IsPublic(err):
		return Payment{}, err
	case err != nil:
		return Payment{}, fmt.Errorf("check the proof of a payment: %w", err)
	case !text.ValidID(paid.ID, MaxID):
		return Payment{}, ErrInvalidSignature
	}
	return paid, nil
}

// CreateRefund is [Refunds.CreateRefund]. An id that cannot be stored is an error. timeout limits
// the request if it is shorter than that of the desk.
func (d Desk) CreateRefund(
	ctx context.Context, name string, timeout time.Duration, r NewRefund,
) (Refund, error) {
	got, err := ask(ctx, d, name, min(timeout, d.Timeout),
		func(ctx context.Context, p Provider) (Refund, error) { return p.CreateRefund(ctx, r) })
	if err == nil && !text.ValidID(got.ID, MaxID) {
		return Refund{}, errors.New("the provider answered no usable refund id")
	}
	return got, err
}

// Refunds is [Refunds.Refunds].
func (d Desk) Refunds(ctx context.Context, name, paymentID string) ([]Refund, error) {
	list, err := ask(ctx, d, name, d.Timeout,
		func(ctx context.Context, p Provider) ([]Refund, error) { return p.Refunds(ctx, paymentID) })
	return list, core.Wrap("ask the provider for refunds", err)
}

// Disputes is [Refunds.Disputes].
func (d Desk) Disputes(ctx context.Context, name, paymentID string) ([]Dispute, error) {
	list, err := ask(ctx, d, name, d.Timeout,
		func(ctx context.Context, p Provider) ([]Dispute, error) {
			return p.Disputes(ctx, paymentID)
		})
	return list, core.Wrap("ask the provider for disputes", err)
}

// ReadWebhook is [Provider.ReadWebhook].
func (d Desk) ReadWebhook(name string, w Webhook) (Event, error) {
	p, err := d.Providers.Named(name)
	if err != nil {
		return Event{}, err
	}
	return p.ReadWebhook(w)
}

// RequireStep returns an error if the provider counts a currency in steps of which an amount is not
// a multiple. It returns nil for a provider that is not used any more and for a currency that the
// provider does not take: who asks the provider is refused later.
func (d Desk) RequireStep(name, field string, amount core.Money, currency string) error {
	p, err := d.Providers.Named(name)
	if err != nil {
		return nil
	}
	rule, takes := p.Accepts(currency)
	if !takes {
		return nil
	}
	return core.Require(amount%rule.Step == 0, field, "must be a multiple of "+
		core.FormatMoney(rule.Step, currency))
}

// Step returns the step in which a provider counts a currency; 1 for no provider.
func (d Desk) Step(p Provider, currency string) core.Money {
	if p != nil {
		if rule, takes := p.Accepts(currency); takes {
			return rule.Step
		}
	}
	return 1
}

// StepOf is Step for the provider with a name, which may not be used any more.
func (d Desk) StepOf(name, currency string) core.Money {
	p, err := d.Providers.Named(name)
	if err != nil {
		return 1
	}
	return d.Step(p, currency)
}

// ask calls do with the provider of a name, within a time limit.
func ask[T any](ctx context.Context, d Desk, name string, timeout time.Duration,
	do func(ctx context.Context, p Provider) (T, error)) (T, error) {
	p, err := d.Providers.Named(name)
	if err != nil {
		var none T
		return none, err
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return do(ctx, p)
}
