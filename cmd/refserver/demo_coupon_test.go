package main

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/sale"
)

// An administrator finds coupons and open reports, and a price with a coupon is lower.
func TestDemo_HasCouponsAndReports(t *testing.T) {
	t.Parallel()
	s := newSeededServer(t)
	s.seed(t, time.Now())
	admin := demoActor(demoAdmin)
	coupons, err := s.platform.Offers.Coupons(t.Context(), admin)
	if err != nil {
		t.Fatal(err)
	}
	prices := map[string]core.Money{}
	for _, c := range coupons {
		q, err := s.platform.Sales.Quote(t.Context(), demoActor("student_pavel"),
			sale.QuoteRequest{CourseID: "linux-command-line", CouponCode: c.Code})
		if err != nil {
			t.Fatalf("%s: %v", c.Code, err)
		}
		prices[c.Code] = q.Total
	}
	if diff := cmp.Diff(map[string]core.Money{"WELCOME10": 719_10, "TERMINAL-100": 699_00},
		prices); diff != "" {
		t.Errorf("prices with coupons (-want +got):\n%s", diff)
	}
	reports, err := s.platform.Community.Complaints(t.Context(), admin, community.ComplaintOpen,
		learning.PageRequest{Limit: 10})
	if err != nil || len(reports.Rows) != 2 {
		t.Errorf("%d open reports, %v", len(reports.Rows), err)
	}
}
