package sandbox_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestCheckout_ReturnsTheProofOfPaymentAsJSON(t *testing.T) {
	s := start(t, sandbox.Config{})
	o := newOrder(t, s)
	url := s.Config().URL + "/checkout/" + o.ID
	status, _, body := call(t, "POST", url, "action=pay", header("Accept", "application/json"))
	got := decode[map[string]string](t, []byte(body))
	payments, err := s.Gateway().Payments(o.ID)
	if status != http.StatusOK || err != nil || len(payments) != 1 {
		t.Fatalf("%d %s %v", status, body, err)
	}
	id := payments[0].ID
	want := map[string]string{"gateway_order_id": o.ID, "gateway_payment_id": id,
		"gateway_signature": mac(s.Config().GatewayKeySecret, o.ID+"|"+id)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Gateway().Signature(o.ID, id) != want["gateway_signature"] {
		t.Error("Signature differs from the checkout's")
	}
}

func TestCheckout_ReturnsErrorsAsJSON(t *testing.T) {
	s := start(t, sandbox.Config{})
	paid, open := newOrder(t, s), newOrder(t, s)
	pay(t, s, paid.ID)
	for name, test := range map[string]struct {
		order, body, reason string
		status              int
	}{
		"paid twice":     {paid.ID, "action=pay", "order_already_paid", 400},
		"fails":          {open.ID, "action=fail", "payment_failed", 200},
		"no action":      {open.ID, "", "", 400},
		"unknown action": {open.ID, "action=steal", "", 400},
		"bad form":       {open.ID, "action=%zz", "", 400},
		"unknown order":  {"order_x", "action=pay", "", 404},
	} {
		status, _, body := call(t, "POST", s.Config().URL+"/checkout/"+test.order, test.body,
			header("Accept", "application/json"))
		got := decode[struct{ Error sandbox.APIError }](t, []byte(body)).Error
		if status != test.status || got.Reason != test.reason || got.Code != "BAD_REQUEST_ERROR" {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
	if all, _ := s.Gateway().Payments(open.ID); len(all) != 1 || all[0].Status != "failed" {
		t.Errorf("payments of the open order: %+v", all)
	}
}
