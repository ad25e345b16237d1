package learningtest_test

import (
	"context"
	"errors"
	"testing"

	"github.com/openlectern/openlectern/internal/providertest"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestLate_SelectedRequestTimesOutAfterItsEffect(t *testing.T) {
	kit := learningtest.New(t)
	late := &providertest.Late{Effects: kit.Sandbox.Gateway().OrdersCreated}
	options, err := late.Providers(kit.Sandbox)
	if err != nil {
		t.Fatal(err)
	}
	on := learningtest.New(t, learningtest.WithSandbox(kit.Sandbox),
		learningtest.WithPlatform(options...))
	course, ada := on.Course(t, "go", 10_00), on.Person(t, "ada", core.Student)
	kit.Sandbox.Gateway().Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultHang, After: true})
	late.Next(1)
	if _, err := on.Platform.Sales.OpenOrder(t.Context(), ada,
		sale.OrderRequest{CourseID: course}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the request that is late: %v", err)
	}
	if n := kit.Sandbox.Gateway().OrdersCreated(); n != 1 {
		t.Errorf("%d orders at the gateway, want 1", n)
	}
	if _, err := on.Platform.Sales.OpenOrder(t.Context(), ada,
		sale.OrderRequest{CourseID: course}); err != nil {
		t.Errorf("the next request: %v", err)
	}
}
