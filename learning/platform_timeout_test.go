package learning_test

import (
	"context"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
)

// timedProvider is a gateway and an identity provider that record the time limit of the last
// call, and fail.
type timedProvider struct {
	roomtest.StubProvider
	left time.Duration
}

func (p *timedProvider) record(ctx context.Context) error {
	end, _ := ctx.Deadline() // the zero time if there is none
	p.left = time.Until(end)
	return roomtest.ErrInjected
}

func (p *timedProvider) CreateOrder(
	ctx context.Context, _ payment.NewOrder,
) (payment.OpenedOrder, error) {
	return payment.OpenedOrder{}, p.record(ctx)
}

func (p *timedProvider) Order(ctx context.Context, _ string) (payment.OrderReport, error) {
	return payment.OrderReport{}, p.record(ctx)
}

func (p *timedProvider) CreateRefund(ctx context.Context,
	_ payment.NewRefund) (payment.Refund, error) {
	return payment.Refund{}, p.record(ctx)
}

func (p *timedProvider) Refunds(ctx context.Context, _ string) ([]payment.Refund, error) {
	return nil, p.record(ctx)
}

func (p *timedProvider) GrantRole(ctx context.Context, _ string, _ learning.Role) error {
	return p.record(ctx)
}

func TestWithProviderTimeout_BoundsEachCall(t *testing.T) {
	const timeout = time.Hour
	p := &timedProvider{}
	w := roomtest.New(t, roomtest.SQLite(t))
	on := w.OtherInstance(t,
		learningtest.WithPlatform(learning.WithProvider(p), learning.WithRoles(p),
			learning.WithProviderTimeout(timeout))).Platform
	ada, boss := w.Person(t, "ada", core.Student), w.Person(t, "boss", core.Admin)
	w.Order(t, ada, w.Course(t, "old", 10_00))
	course := w.Course(t, "go", 10_00)
	_, a := w.Applied(t, "eve")
	sold := w.Sold(t, ada, w.Course(t, "sold", 10_00))
	w.Clock.Advance(2 * time.Hour)
	for name, call := range map[string]func() error{
		"an order": func() error {
			_, err := on.Sales.OpenOrder(ctx(), ada,
				sale.OrderRequest{CourseID: course})
			return err
		},
		"payments": func() error { _, err := on.System().ReconcilePurchases(ctx()); return err },
		"a refund": func() error {
			_, err := on.Refunds.Refund(ctx(), boss, refund.Request{PurchaseID: sold.ID})
			return err
		},
		"a role": func() error { return on.Staff.Approve(ctx(), boss, a.ID) },
	} {
		p.left = 0
		if err := call(); err == nil || p.left <= 0 || p.left > timeout {
			t.Errorf("%s: the limit is %v, want %v: %v", name, p.left, timeout, err)
		}
	}
}
