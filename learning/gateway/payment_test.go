package gateway_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/payment"
)

func TestPayments_Fields(t *testing.T) {
	got, err := payments(t.Context(), newGateway(t, says(`{"entity":"collection","count":3,"items":[
		{"id":"pay_1","order_id":"order_1","amount":169915,"currency":"INR","status":"failed","notes":[],"refund_status":null},
		{"id":"pay_2","order_id":"order_1","amount":9007199254740993,"currency":"INR","status":"captured","captured":true,"notes":{"purchaseId":"p1","n":7,"o":{"a":[]}}},
		{"id":"pay_3","amount":1,"currency":"INR","status":"authorized"},
		{"id":"pay_4","status":"captured"},
		{"id":"pay_5","amount":null,"currency":null,"status":"captured","notes":null}
	]}`)), "order_1")
	want := []payment.Payment{
		{ID: "pay_1", OrderID: "order_1", Amount: new(core.Money(169_915)), Currency: "INR"},
		{ID: "pay_2", OrderID: "order_1", PurchaseID: "p1",
			Amount: new(core.Money(9_007_199_254_740_993)), Currency: "INR", Captured: true},
		{ID: "pay_3", OrderID: "order_1", Amount: new(core.Money(1)), Currency: "INR",
			Pending: true},
		{ID: "pay_4", OrderID: "order_1", Captured: true},
		{ID: "pay_5", OrderID: "order_1", Captured: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestPayments_OrderWithoutPayments(t *testing.T) {
	got, err := payments(t.Context(), newGateway(t, says(`{"items":[]}`)), "order_1")
	if err != nil || len(got) != 0 {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestPayments_CapturedOnlyIfNotRefunded(t *testing.T) {
	for payment, want := range map[string]bool{
		`"status":"captured"`: true,
		`"status":"captured","refund_status":null,"amount_refunded":0`:        true,
		`"status":"captured","refund_status":"partial","amount_refunded":40`:  true,
		`"status":"captured","refund_status":"full","amount_refunded":100`:    false,
		`"status":"captured","refund_status":"full"`:                          false,
		`"status":"captured","refund_status":"partial","amount_refunded":100`: false,
		`"status":"captured","amount_refunded":100`:                           false,
		`"status":"refunded","captured":true,"amount_refunded":100`:           false,
		`"status":"refunded","captured":true`:                                 false,
		`"status":"authorized"`:                                               false,
		`"status":"created"`:                                                  false,
		`"status":"failed","captured":true`:                                   false,
		`"status":"CAPTURED"`:                                                 false,
		`"status":"","captured":true`:                                         false,
		`"captured":true`:                                                     false,
	} {
		got, err := payments(t.Context(), newGateway(t,
			says(`{"items":[{"id":"pay_1","amount":100,"currency":"INR",`+payment+
				`}]}`)), "order_1")
		if err != nil || len(got) != 1 || got[0].Captured != want {
			t.Errorf("%s: got %+v, %v", payment, got, err)
		}
	}
}

func TestPayments_NotesOfAnyType(t *testing.T) {
	for notes, want := range map[string]string{
		`{"purchaseId":"p1"}`: "p1", `{"purchaseId":"p1","courseTitle":null}`: "p1",
		`[]`: "", `{}`: "", `null`: "", `"p1"`: "", `7`: "", `true`: "", `["p1"]`: "",
		`[{"purchaseId":"p1"}]`: "",
		`{"purchaseId":7}`:      "", `{"purchaseId":null}`: "", `{"purchaseId":["p1"]}`: "",
		`{"purchaseId":{"a":"p1"}}`: "", `{"purchaseid":"p1"}`: "",
	} {
		got, err := payments(t.Context(), newGateway(t,
			says(`{"items":[{"id":"pay_1","notes":`+notes+`}]}`)), "order_1")
		if err != nil || len(got) != 1 || got[0].PurchaseID != want {
			t.Errorf("%s: got %+v, %v", notes, got, err)
		}
	}
}

// If one of these counted as "unpaid", a user would pay and not get the course.
func TestPayments_InvalidAnswer(t *testing.T) {
	for name, body := range map[string]string{
		"no list":           `{"entity":"collection","count":0}`,
		"list null":         `{"items":null}`,
		"list an object":    `{"items":{}}`,
		"an error with 200": `{"error":{"description":"sesame"}}`,
		"a bare list":       `[{"id":"pay_sesame"}]`,
		"no id":             `{"items":[{"order_id":"order_1","status":"captured"}]}`,
		"a null payment":    `{"items":[null]}`,
		"another order":     `{"items":[{"id":"pay_sesame","order_id":"order_2","status":"captured"}]}`,
		"amount a fraction": `{"items":[{"id":"pay_sesame","amount":1.5}]}`,
		"null":              `null`,
		"nothing":           ``,
		"HTML":              `<html>sesame</html>`,
		"cut off":           `{"items":[{"id":"pay_sesame"}`,
		"too large":         `{"items":[]}` + strings.Repeat(" ", 1<<20),
	} {
		list, err := payments(t.Context(), newGateway(t, says(body)), "order_1")
		if err == nil || list != nil || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got %v, %v", name, list, err)
		}
	}
}

func TestPayments_PathContainsTheEscapedOrderID(t *testing.T) {
	for id, want := range map[string]string{
		"order_1":  "/v1/orders/order_1/payments",
		"a/b":      "/v1/orders/a%2Fb/payments",
		"../x":     "/v1/orders/..%2Fx/payments",
		"a?b#c%2F": "/v1/orders/a%3Fb%23c%252F/payments",
	} {
		c := newGateway(t, func(w http.ResponseWriter, r *http.Request) {
			user, secret, _ := r.BasicAuth()
			if r.Method != "GET" || r.RequestURI != want || user != keyID || secret != keySecret ||
				r.ContentLength != 0 {
				t.Errorf("%s: request %s %s with %d bytes of user %s", id, r.Method, r.RequestURI,
					r.ContentLength, user)
			}
			says(`{"items":[]}`)(w, r)
		})
		if _, err := payments(t.Context(), c, id); err != nil {
			t.Error(err)
		}
	}
	c := newGateway(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, id := range []string{"", ".", ".."} {
		if _, err := payments(t.Context(), c, id); err == nil {
			t.Errorf("%q: no error", id)
		}
	}
}

func FuzzPayments(f *testing.F) {
	f.Add(
		`{"items":[{"id":"pay_1","order_id":"order_1","amount":1,"status":"captured","notes":[]}]}`)
	f.Add(`{"items":null}`)
	f.Add(`{"items":[{"id":"a","notes":{"purchaseId":{}}}]}`)
	answer := ""
	c := newClient(f, "http://gateway.invalid",
		gateway.WithTransport(roundTrip(func() string { return answer })))
	f.Fuzz(func(t *testing.T, body string) {
		answer = body
		list, err := payments(t.Context(), c, "order_1")
		for _, p := range list {
			if err != nil || p.ID == "" || p.OrderID != "order_1" {
				t.Errorf("got %+v, %v", p, err)
			}
		}
		if id, err := createOrder(t.Context(), c, newOrder); (err == nil) != (id != "") {
			t.Errorf("got %q, %v", id, err)
		}
	})
}

// roundTrip answers without a network, which would be too slow for a fuzzer.
type roundTrip func() string

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(f())),
		Request: r}, nil
}
