package sandbox_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestControl_RejectsMistakes(t *testing.T) {
	p := newPlatform(t, 500)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	order := newOrder(t, s)
	s.HoldWebhooks(true)
	payment := pay(t, s, order.ID)
	refused := s.Deliveries()[0].ID
	for _, test := range []struct {
		method, path, body string
		status             int
		says               string
	}{
		{"POST", "/sandbox/orders/" + order.ID + "/payments", `{"action":"steal"}`, 400,
			"pay, fail or authorize"},
		{"POST", "/sandbox/orders/" + order.ID + "/payments", `{"action":"pay"}`, 400,
			"already paid"},
		{"POST", "/sandbox/orders/" + order.ID + "/payments", `{"action":"pay","agein":true}`, 400,
			"agein"},
		{"POST", "/sandbox/orders/order_x/payments", `{"action":"pay"}`, 404, "does not exist"},
		{"POST", "/sandbox/payments/pay_x/capture", ``, 404, "does not exist"},
		{"POST", "/sandbox/payments/" + payment.ID + "/capture", ``, 400,
			"Only an authorized payment"},
		{"POST", "/sandbox/payments/pay_x/refund", ``, 404, "does not exist"},
		{"POST", "/sandbox/payments/" + payment.ID + "/refund", `{"amuont":1}`, 400, "amuont"},
		{"POST", "/sandbox/refunds/rfnd_x/fail", ``, 404, "does not exist"},
		{"POST", "/sandbox/refunds/rfnd_x/process", ``, 404, "does not exist"},
		{"PUT", "/sandbox/users/user_1", `[]`, 400, "JSON object"},
		{"DELETE", "/sandbox/users/user_1", ``, 404, "does not know this user"},
		{"PUT", "/sandbox/webhooks", `{"hold":"yes"}`, 400, "JSON object"},
		{"POST", "/sandbox/webhooks/msg_x/resend", ``, 404, "no webhook with this id"},
		{"POST", "/sandbox/webhooks/" + refused + "/resend", ``, 502, "the platform answered 500"},
	} {
		status, _, body := call(t, test.method, s.Config().URL+test.path, test.body)
		if status != test.status || !strings.Contains(body, test.says) {
			t.Errorf("%s %s %s: %d %s", test.method, test.path, test.body, status, body)
		}
	}
}

func TestControl_PayAnswersTheProof(t *testing.T) {
	s := start(t, sandbox.Config{})
	order := newOrder(t, s)
	_, _, body := call(t, "POST", s.Config().URL+"/sandbox/orders/"+order.ID+"/payments",
		`{"action":"pay","amount":7,"notes":{"a":"b"}}`)
	var got struct {
		ID     string
		Amount int64
		Notes  map[string]string
		Proof  map[string]string
	}
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	if got.Amount != 7 || got.Notes["a"] != "b" ||
		got.Proof["gateway_signature"] != s.Gateway().Signature(order.ID, got.ID) {
		t.Errorf("the answer is %s", body)
	}
}

func TestCapture_CountsThePayment(t *testing.T) {
	s := start(t, sandbox.Config{})
	order := newOrder(t, s)
	authorized, err := s.Gateway().Authorize(order.ID)
	if err != nil {
		t.Fatal(err)
	}
	captured, err := s.Gateway().Capture(authorized.ID)
	if err != nil || captured.ID != authorized.ID || captured.Status != sandbox.PaymentCaptured ||
		!captured.Captured {
		t.Errorf("%+v, %v", captured, err)
	}
	if order, err = s.Gateway().Order(order.ID); err != nil || order.Status != sandbox.OrderPaid ||
		order.AmountDue != 0 || order.Attempts != 1 {
		t.Errorf("%+v, %v", order, err)
	}
	if _, err := s.Gateway().Capture(authorized.ID); !errors.Is(err, sandbox.ErrNotAuthorized) {
		t.Errorf("captured twice: %v", err)
	}
}

func TestDeleteUser_IsForgotten(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	if err := s.Identity().PutUser(sandbox.User{ID: "user_1"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Identity().DeleteUser("user_1"); err != nil {
		t.Fatal(err)
	}
	waitForWebhooks(t, s)
	if _, err := s.Identity().Token("user_1"); !errors.Is(err, sandbox.ErrUnknownUser) ||
		len(s.Identity().Users()) != 0 {
		t.Errorf("a token of the deleted user: %v", err)
	}
	if got := s.Deliveries(); len(got) != 2 || got[1].Event != sandbox.UserDeleted {
		t.Errorf("webhooks %+v", got)
	}
}

func TestResend_HasTheSameIDAndBody(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	s.HoldWebhooks(true)
	if err := s.Identity().PutUser(sandbox.User{ID: "user_1"}); err != nil {
		t.Fatal(err)
	}
	held := s.Deliveries()
	if len(held) != 1 || held[0].State != sandbox.DeliveryHeld || len(p.received()) != 0 {
		t.Fatalf("webhooks %+v", held)
	}
	s.HoldWebhooks(false)
	for range 2 {
		if err := s.Resend(t.Context(), held[0].ID); err != nil {
			t.Fatal(err)
		}
	}
	got := p.received()
	if len(got) != 2 || got[0].header.Get("hook-id") != got[1].header.Get("hook-id") ||
		string(got[0].body) != string(got[1].body) {
		t.Fatalf("received %+v", got)
	}
	for _, h := range got {
		if err := verifyWebhook(s, h); err != nil {
			t.Error(err)
		}
	}
	if d := s.Deliveries()[0]; d.State != sandbox.DeliveryDone || d.Attempts != 2 {
		t.Errorf("%+v", d)
	}
}
