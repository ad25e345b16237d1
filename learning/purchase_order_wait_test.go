package learning_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/purchase"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/study"
)

// leasedStore is a store in which another call always holds the lease to open the order.
type leasedStore struct{ learning.Store }

func (leasedStore) AccountState(context.Context, string) (core.AccountState, error) {
	return core.AccountState{Known: true}, nil
}

func (leasedStore) Course(_ context.Context, id string) (catalog.Course, error) {
	return catalog.Course{ID: id, Price: 10_00, Published: true}, nil
}

func (leasedStore) Enrollment(context.Context, string, string) (study.Enrollment, error) {
	return study.Enrollment{}, core.ErrNoRecord
}

func (leasedStore) OpenPurchase(context.Context, string, string) (purchase.Purchase, error) {
	return purchase.Purchase{ID: "purchase", Status: purchase.Created}, nil
}

func (leasedStore) Lease(_ context.Context, name string) (core.Lease, error) {
	return core.Lease{Name: name, Holder: "another", ExpiresAt: time.Now().Add(time.Second)},
		nil
}

func TestOpenOrder_WaitIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const timeout = 10 * time.Second
		p, err := learning.New(leasedStore{}, learning.WithProviderTimeout(timeout))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		begun := time.Now()
		_, err = p.Sales.OpenOrder(ctx, learning.Actor{UserID: "ada", Role: core.Student},
			sale.OrderRequest{CourseID: "go"})
		var public *learning.Error
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &public) {
			t.Errorf("the error is %v", err)
		}
		if waited := time.Since(begun); waited <= roomtest.Lease || waited > 2*roomtest.Lease {
			t.Errorf("OpenOrder returned after %v; a lease lasts %v", waited, roomtest.Lease)
		}
	})
}
