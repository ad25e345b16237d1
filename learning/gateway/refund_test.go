package gateway_test

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/payment"
)

var newRefund = payment.NewRefund{ID: "refund-1", PurchaseID: "p1", PaymentID: "pay_1",
	Amount: 100_05, Currency: "INR"}

func TestCreateRefund_Request(t *testing.T) {
	var got []string
	c := newGateway(t, func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		body, _ := io.ReadAll(r.Body)
		got = []string{r.Method, r.RequestURI, id, secret, r.Header.Get("X-Refund-Idempotency"),
			string(body)}
		_, _ = io.WriteString(w,
			`{"id":"rfnd_1","entity":"refund","payment_id":"pay_1","amount":10005,"currency":"INR","status":"processed","notes":[]}`)
	})
	refund, err := c.CreateRefund(t.Context(), newRefund)
	want := payment.Refund{ID: "rfnd_1", PaymentID: "pay_1", Amount: 100_05,
		Currency: "INR", Status: payment.RefundProcessed, RefundID: "refund-1", PurchaseID: "p1"}
	if diff := cmp.Diff(want, refund); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	request := []string{"POST", "/v1/payments/pay_1/refund", keyID, keySecret, "refund-1",
		`{"amount":10005,"notes":{"purchaseId":"p1","refundId":"refund-1"}}` + "\n"}
	if diff := cmp.Diff(request, got); diff != "" {
		t.Error(diff)
	}
}

func TestCreateRefund_OnlyAClearRefusalIsRefused(t *testing.T) {
	for status, want := range map[int]bool{400: true, 404: true, 422: true, 401: false, 403: false,
		408: false, 409: false, 425: false, 429: false, 500: false, 302: false} {
		c := newGateway(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
		if _, err := c.CreateRefund(t.Context(), newRefund); err == nil ||
			errors.Is(err, payment.ErrRefundRefused) != want {
			t.Errorf("status %d: %v, refused must be %t", status, err, want)
		}
	}
}

func TestCreateRefund_Answers(t *testing.T) {
	for body, status := range map[string]payment.RefundStatus{
		`{"id":"rfnd_1"}`:                       payment.RefundPending,
		`{"id":"rfnd_1","status":"pending"}`:    payment.RefundPending,
		`{"id":"rfnd_1","status":"failed"}`:     payment.RefundFailed,
		`{"id":"rfnd_1","payment_id":"pay_2"}`:  "",
		`{"id":"rfnd_1","amount":10006}`:        "",
		`{"id":"rfnd_1","currency":"USD"}`:      "",
		`{"status":"processed"}`:                "",
		`<!doctype html><title>502 Bad</title>`: "",
	} {
		got, err := newGateway(t, says(body)).CreateRefund(t.Context(), newRefund)
		if got.Status != status || (err == nil) != (status != "") ||
			errors.Is(err, payment.ErrRefundRefused) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
}

func TestCreateRefund_InvalidArguments(t *testing.T) {
	c := newGateway(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for _, change := range []func(r *payment.NewRefund){
		func(r *payment.NewRefund) { r.ID = "" },
		func(r *payment.NewRefund) { r.PaymentID = "" },
		func(r *payment.NewRefund) { r.PaymentID = ".." },
		func(r *payment.NewRefund) { r.Amount = 0 },
	} {
		r := newRefund
		change(&r)
		if _, err := c.CreateRefund(t.Context(), r); err == nil {
			t.Errorf("%+v is accepted", r)
		}
	}
	if _, err := c.Refunds(t.Context(), ".."); err == nil {
		t.Error("an id of dots is accepted")
	}
}

func TestRefunds_List(t *testing.T) {
	c := newGateway(t, func(w http.ResponseWriter, r *http.Request) {
		if r.RequestURI != "/v1/payments/pay_1/refunds?count=100" {
			t.Errorf("the URL is %s", r.RequestURI)
		}
		_, _ = io.WriteString(w,
			`{"items":[{"id":"rfnd_1","payment_id":"pay_1","amount":100,"currency":"INR","status":"processed","notes":{"refundId":"r1","purchaseId":"p1"}},
			{"id":"rfnd_2","amount":200,"status":"failed","notes":[]}]}`)
	})
	got, err := c.Refunds(t.Context(), "pay_1")
	want := []payment.Refund{
		{ID: "rfnd_1", PaymentID: "pay_1", Amount: 1_00, Currency: "INR",
			Status: payment.RefundProcessed, RefundID: "r1", PurchaseID: "p1"},
		{ID: "rfnd_2", PaymentID: "pay_1", Amount: 2_00, Status: payment.RefundFailed}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, %s", err, diff)
	}
	for _, body := range []string{`{}`, `{"items":[{"amount":1}]}`,
		`{"items":[{"id":"rfnd_1","payment_id":"pay_2"}]}`, `no`} {
		if got, err := newGateway(t, says(body)).Refunds(t.Context(), "pay_1"); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
}

func TestVerifyWebhook_Refunds(t *testing.T) {
	c := newClient(t, "https://pay.example.com", gateway.WithWebhookSecrets("hooks"))
	refund := `"refund":{"entity":{"id":"rfnd_1","payment_id":"pay_1","amount":100,"currency":"INR","status":"created","notes":[]}}`
	captured := `"payment":{"entity":{"id":"pay_1","order_id":"order_1","amount":500,"currency":"INR","notes":{"purchaseId":"p1"}}}`
	want := payment.Refund{ID: "rfnd_1", PaymentID: "pay_1", Amount: 1_00, Currency: "INR",
		Status: payment.RefundProcessed}
	failed := want
	failed.Status = payment.RefundFailed
	paid := payment.Payment{ID: "pay_1", OrderID: "order_1", PurchaseID: "p1",
		Amount: new(core.Money(500)), Currency: "INR", Captured: true}
	for body, test := range map[string]struct {
		want payment.Event
		err  error
	}{
		`{"event":"refund.processed","payload":{` + refund +
			`}}`: {payment.Event{Refund: want}, nil},
		`{"event":"refund.failed","payload":{` + refund +
			`}}`: {payment.Event{Refund: failed}, nil},
		`{"event":"refund.processed","payload":{` + captured + `,` + refund +
			`}}`: {payment.Event{Payment: paid, Refund: want}, nil},
		`{"event":"refund.created","payload":{` + refund +
			`}}`: {payment.Event{}, nil},
		`{"event":"refund.processed","payload":{` + captured +
			`}}`: {payment.Event{}, core.ErrMalformedEvent},
		`{"event":"refund.failed","payload":{"refund":{"entity":{"payment_id":"p"}}}}`: {
			payment.Event{}, core.ErrMalformedEvent},
		`{"event":"refund.processed","payload":{"refund":{"entity":{"id":"rfnd_1"}}}}`: {
			payment.Event{}, core.ErrMalformedEvent},
		`{"event":"refund.processed","payload":{"refund":{"entity":{"id":1,"a":"b"}}}}`: {
			payment.Event{}, core.ErrMalformedEvent},
		`{"event":"refund.speed_changed","payload":{"refund":{"entity":{"id":"rfnd"}}}}`: {
			payment.Event{}, nil},
	} {
		got, err := readWebhook(c, []byte(body), hmacHex("hooks", body))
		if diff := cmp.Diff(test.want, got); diff != "" || !errors.Is(err, test.err) {
			t.Errorf("%s: %v, %s", body, err, diff)
		}
	}
}
