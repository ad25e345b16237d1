package sandbox_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// newOrder opens an order over HTTP.
func newOrder(tb testing.TB, s *sandbox.Sandbox) sandbox.Order {
	tb.Helper()
	body := `{"amount":49900,"currency":"INR","receipt":"purchase_1","notes":{"purchaseId":"purchase_1","courseTitle":"Bread"}}`
	status, _, answer := call(tb, "POST", s.Config().URL+"/v1/orders", body, gatewayKey(s))
	if status != http.StatusOK {
		tb.Fatalf("create order: %d %s", status, answer)
	}
	return decode[sandbox.Order](tb, []byte(answer))
}

func TestCreateOrder_AnswerHasTheFormatOfTheOrdersAPI(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := start(t, sandbox.Config{Clock: func() time.Time { return now }})
	url := s.Config().URL + "/v1/orders"
	for name, test := range map[string]struct {
		body  string
		notes any
	}{
		"with notes": {
			`{"amount":100,"currency":"INR","receipt":"r","notes":{"purchaseId":"p"}}`,
			map[string]any{"purchaseId": "p"}},
		"without notes": {`{"amount":100,"currency":"INR","receipt":"r"}`, []any{}},
		"empty notes":   {`{"amount":100,"currency":"INR","receipt":"r","notes":{}}`, []any{}},
		"list of notes": {`{"amount":100,"currency":"INR","receipt":"r","notes":[]}`, []any{}},
		"null notes": {`{"amount":100,"currency":"INR","receipt":"r","notes":null,"unknown":1}`,
			[]any{}},
	} {
		t.Run(name, func(t *testing.T) {
			status, h, body := call(t, "POST", url, test.body, gatewayKey(s))
			if status != http.StatusOK ||
				!strings.HasPrefix(h.Get("Content-Type"), "application/json") {
				t.Fatalf("%d %s", status, body)
			}
			got := decode[map[string]any](t, []byte(body))
			id := fmt.Sprint(got["id"])
			if !strings.HasPrefix(id, "order_") {
				t.Errorf("id = %q", id)
			}
			want := map[string]any{"id": id, "entity": "order", "amount": 100.0, "amount_paid": 0.0,
				"amount_due": 100.0, "currency": "INR",
				"receipt": "r", "status": "created", "attempts": 0.0, "notes": test.notes,
				"created_at": 1_700_000_000.0}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	if created, stored := s.Gateway().OrdersCreated(),
		len(s.Gateway().Orders()); created != 5 || stored != 5 {
		t.Errorf("%d orders counted, %d stored, want 5", created, stored)
	}
}

func TestCreateOrder_InvalidIsRejected(t *testing.T) {
	s := start(t, sandbox.Config{})
	many := make([]string, 16)
	for i := range many {
		many[i] = fmt.Sprintf(`"k%d":"v"`, i)
	}
	order := func(amount, currency, receipt, notes string) string {
		return fmt.Sprintf(`{"amount":%s,"currency":%s,"receipt":%s,"notes":%s}`, amount, currency,
			receipt, notes)
	}
	for name, test := range map[string]struct{ body, field string }{
		"amount too small":     {order(`99`, `"INR"`, `"r"`, `{}`), "amount"},
		"amount negative":      {order(`-100`, `"INR"`, `"r"`, `{}`), "amount"},
		"amount with decimals": {order(`100.5`, `"INR"`, `"r"`, `{}`), "amount"},
		"amount as float":      {order(`100.0`, `"INR"`, `"r"`, `{}`), "amount"},
		"amount as text":       {order(`"100"`, `"INR"`, `"r"`, `{}`), "amount"},
		"amount too large":     {order(`1e30`, `"INR"`, `"r"`, `{}`), "amount"},
		"amount null":          {order(`null`, `"INR"`, `"r"`, `{}`), "amount"},
		"no amount":            {`{"currency":"INR"}`, "amount"},
		"no currency":          {`{"amount":100}`, "currency"},
		"currency of two":      {order(`100`, `"IN"`, `"r"`, `{}`), "currency"},
		"currency of digits":   {order(`100`, `"123"`, `"r"`, `{}`), "currency"},
		"currency a number":    {order(`100`, `356`, `"r"`, `{}`), "currency"},
		"receipt of 41": {order(`100`, `"INR"`, `"`+strings.Repeat("é", 41)+`"`, `{}`),
			"receipt"},
		"16 notes": {order(`100`, `"INR"`, `"r"`, `{`+strings.Join(many, ",")+`}`),
			"notes"},
		"note of 257": {order(`100`, `"INR"`, `"r"`,
			`{"k":"`+strings.Repeat("é", 257)+`"}`), "notes"},
		"note a number": {order(`100`, `"INR"`, `"r"`, `{"k":1}`), "notes"},
		"notes a list":  {order(`100`, `"INR"`, `"r"`, `["k"]`), "notes"},
		"not JSON":      {`amount=100`, ""},
		"too large": {order(`100`, `"INR"`, `"`+strings.Repeat("r", 300<<10)+`"`, `{}`),
			""},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, body := call(t, "POST", s.Config().URL+"/v1/orders", test.body,
				gatewayKey(s))
			got := decode[struct{ Error sandbox.APIError }](t, []byte(body)).Error
			want := sandbox.APIError{Code: "BAD_REQUEST_ERROR", Field: test.field}
			diff := cmp.Diff(want, got, cmpopts.IgnoreFields(want, "Description"))
			if status != http.StatusBadRequest || diff != "" || got.Description == "" {
				t.Errorf("%d %s\n%s", status, body, diff)
			}
		})
	}
	if n := len(s.Gateway().Orders()); n != 0 {
		t.Errorf("%d orders were stored", n)
	}
}

func TestCreateOrder_AtTheLimits(t *testing.T) {
	s := start(t, sandbox.Config{})
	notes := sandbox.Notes{}
	for i := range 15 {
		notes[fmt.Sprint(i)] = strings.Repeat("é", 256)
	}
	if _, err := s.Gateway().CreateOrder(sandbox.Order{Amount: 100, Currency: "INR",
		Receipt: strings.Repeat("é", 40), Notes: notes}); err != nil {
		t.Error(err)
	}
}

func TestGatewayAPI_RequiresTheKey(t *testing.T) {
	s := start(t, sandbox.Config{})
	o := newOrder(t, s)
	id, secret := s.Config().GatewayKeyID, s.Config().GatewayKeySecret
	for name, auth := range map[string]func(*http.Request){
		"none":         func(*http.Request) {},
		"wrong secret": func(r *http.Request) { r.SetBasicAuth(id, "wrong") },
		"wrong id":     func(r *http.Request) { r.SetBasicAuth("wrong", secret) },
		"bearer":       header("Authorization", "Bearer "+secret),
	} {
		for _, route := range []string{"POST /v1/orders", "GET /v1/orders/" + o.ID + "/payments"} {
			method, path, _ := strings.Cut(route, " ")
			status, _, body := call(t, method, s.Config().URL+path,
				`{"amount":100,"currency":"INR"}`, auth)
			if status != http.StatusUnauthorized ||
				!strings.Contains(body, `{"error":{"code":"BAD_REQUEST_ERROR"`) {
				t.Errorf("%s, %s: %d %s", name, route, status, body)
			}
		}
	}
	if n := s.Gateway().OrdersCreated(); n != 1 {
		t.Errorf("%d orders, want the first alone", n)
	}
}

func TestPayments_UnknownOrderIsABadRequest(t *testing.T) {
	s := start(t, sandbox.Config{})
	if status, _, body := call(t, "GET", s.Config().URL+"/v1/orders/order_x/payments", "",
		gatewayKey(s)); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, body)
	}
}

func TestOnOrder_RunsAfterTheOrderIsStoredAndBeforeTheAnswer(t *testing.T) {
	s := start(t, sandbox.Config{})
	answer := httptest.NewRecorder()
	ran := 0
	s.Gateway().OnOrder(func(o sandbox.Order) {
		ran++
		if _, err := s.Gateway().Order(o.ID); err != nil {
			t.Error(err)
		}
		if answer.Body.Len() != 0 {
			t.Error("the answer was written before the hook ran")
		}
	})
	r := httptest.NewRequest("POST", "/v1/orders", strings.NewReader(anOrder))
	gatewayKey(s)(r)
	s.ServeHTTP(answer, r)
	s.Gateway().OnOrder(nil)
	newOrder(t, s)
	if ran != 1 || answer.Code != http.StatusOK {
		t.Errorf("the hook ran %d times, status %d", ran, answer.Code)
	}
}
