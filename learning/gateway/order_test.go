package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/payment"
)

var newOrder = payment.NewOrder{Amount: 169_915, Currency: "INR",
	PurchaseID: "0197f3a2-0000-7000-8000-000000000001", Title: "Sailing & knots"}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

func TestCreateOrder_Request(t *testing.T) {
	var got []string
	c := newGateway(t, func(w http.ResponseWriter, r *http.Request) {
		id, secret, _ := r.BasicAuth()
		body, _ := io.ReadAll(r.Body)
		got = []string{r.Method, r.RequestURI, id, secret, r.Header.Get("Content-Type"),
			string(body)}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w,
			`{"id":"order_1","entity":"order","amount":169915,"currency":"INR","notes":[],"attempts":0}`)
	})
	id, err := createOrder(t.Context(), c, newOrder)
	if err != nil || id != "order_1" {
		t.Errorf("got %q, %v", id, err)
	}
	want := []string{"POST", "/v1/orders", keyID, keySecret, "application/json",
		`{"amount":169915,"currency":"INR","receipt":"0197f3a2-0000-7000-8000-000000000001",` +
			`"notes":{"purchaseId":"0197f3a2-0000-7000-8000-000000000001","courseTitle":"Sailing \u0026 knots"}}` + "\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestCreateOrder_LongTitleIsCut(t *testing.T) {
	for title, want := range map[string]string{
		"":                              "",
		strings.Repeat("a", 256):        strings.Repeat("a", 256),
		strings.Repeat("a", 257):        strings.Repeat("a", 256),
		strings.Repeat("学", 300):        strings.Repeat("学", 256),
		strings.Repeat("a", 255) + "🎓x": strings.Repeat("a", 255) + "🎓",
	} {
		var sent string
		c := newGateway(t, func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			sent = string(body)
			_, _ = io.WriteString(w, `{"id":"order_1","amount":169915,"currency":"INR"}`)
		})
		o := newOrder
		o.Title = title
		if _, err := createOrder(t.Context(), c, o); err != nil {
			t.Error(err)
		}
		if !strings.Contains(sent, `"courseTitle":"`+want+`"}`) {
			t.Errorf("%.10q of %d bytes: sent %s", title, len(title), sent)
		}
	}
}

func TestCreateOrder_InvalidOrderIsNotSent(t *testing.T) {
	c := newGateway(t, func(http.ResponseWriter, *http.Request) { t.Error("a request was sent") })
	for name, change := range map[string]func(*payment.NewOrder){
		"a receipt of 41 characters": func(o *payment.NewOrder) {
			o.PurchaseID = strings.Repeat(
				"x", 41)
		},
		"no receipt":      func(o *payment.NewOrder) { o.PurchaseID = "" },
		"amount zero":     func(o *payment.NewOrder) { o.Amount = 0 },
		"negative amount": func(o *payment.NewOrder) { o.Amount = -1 },
	} {
		o := newOrder
		change(&o)
		if id, err := createOrder(t.Context(), c, o); err == nil || id != "" {
			t.Errorf("%s: got %q, %v", name, id, err)
		}
	}
}

// An answer that does not match the request is an error, never an order.
func TestCreateOrder_InvalidAnswer(t *testing.T) {
	for name, body := range map[string]string{
		"another amount":              `{"id":"order_sesame","amount":169914,"currency":"INR"}`,
		"amount in major units":       `{"id":"order_sesame","amount":1699.15,"currency":"INR"}`,
		"amount a string":             `{"id":"order_sesame","amount":"169915","currency":"INR"}`,
		"amount too large":            `{"id":"order_sesame","amount":1e30,"currency":"INR"}`,
		"amount zero":                 `{"id":"order_sesame","amount":0,"currency":"INR"}`,
		"another currency":            `{"id":"order_sesame","amount":169915,"currency":"USD"}`,
		"currency in lower case":      `{"id":"order_sesame","amount":169915,"currency":"inr"}`,
		"another currency, no amount": `{"id":"order_sesame","currency":"USD"}`,
		"another amount, no currency": `{"id":"order_sesame","amount":100}`,
		"currency a number":           `{"id":"order_sesame","amount":169915,"currency":356}`,
		"no id":                       `{"amount":169915,"currency":"INR"}`,
		"empty id":                    `{"id":"","amount":169915,"currency":"INR"}`,
		"id null":                     `{"id":null,"amount":169915,"currency":"INR"}`,
		"id a number":                 `{"id":7,"amount":169915,"currency":"INR"}`,
		"id with a bar":               `{"id":"order|sesame","amount":169915,"currency":"INR"}`,
		"an error with 200":           `{"error":{"code":"BAD_REQUEST_ERROR","description":"sesame"}}`,
		"null":                        `null`,
		"a list":                      `[]`,
		"a string":                    `"sesame"`,
		"nothing":                     ``,
		"HTML":                        `<html>sesame</html>`,
		"cut off":                     `{"id":"order_sesame","amount":169915,"curr`,
		"two answers":                 `{"id":"order_sesame","amount":169915,"currency":"INR"}{}`,
		"too large": `{"id":"order_sesame","amount":169915,"currency":"INR"}` +
			strings.Repeat(" ", 1<<20),
	} {
		id, err := createOrder(t.Context(), newGateway(t, says(body)), newOrder)
		if err == nil || id != "" || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: got %q, %v", name, id, err)
		}
	}
}

func TestCreateOrder_AnswerNeedsOnlyAnID(t *testing.T) {
	for name, body := range map[string]string{
		"only an id":             `{"id":"order_1"}`,
		"no currency":            `{"id":"order_1","amount":169915}`,
		"no amount":              `{"id":"order_1","currency":"INR"}`,
		"amount, currency null":  `{"id":"order_1","amount":null,"currency":null}`,
		"currency empty":         `{"id":"order_1","amount":169915,"currency":""}`,
		"the receipt of another": `{"id":"order_1","receipt":"another"}`,
	} {
		if id, err := createOrder(t.Context(), newGateway(t, says(body)), newOrder); err != nil ||
			id != "order_1" {
			t.Errorf("%s: got %q, %v", name, id, err)
		}
	}
}

func TestClient_ErrorNamesTheFailure(t *testing.T) {
	answers := map[string]http.HandlerFunc{
		"closed the connection": func(http.ResponseWriter,
			*http.Request) {
			panic(http.ErrAbortHandler)
		},
		"in time": func(_ http.ResponseWriter, r *http.Request) {
			// so that the server notices that the client has closed the connection
			_, _ = io.Copy(io.Discard, r.Body)
			<-r.Context().Done()
		},
		"status 302": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/sesame",
				http.StatusFound)
		},
	}
	for _, status := range []int{400, 401, 404, 409, 429, 500, 502, 503} {
		answers[fmt.Sprint("status ", status)] = func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w,
				`{"id":"order_1","amount":169915,"currency":"INR","items":[],"sesame":1}`)
		}
	}
	for want, h := range answers {
		timeout := 10 * time.Second
		if want == "in time" {
			timeout = 50 * time.Millisecond
		}
		c := newGateway(t, h, gateway.WithTimeout(timeout))
		if id, err := createOrder(t.Context(), c, newOrder); err == nil || id != "" ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: CreateOrder got %q, %v", want, id, err)
		}
		if list, err := payments(t.Context(), c, "order_1"); err == nil || list != nil ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: Payments got %v, %v", want, list, err)
		}
	}
}

func TestClient_CancelledContextEndsTheRequest(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := newGateway(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
	})
	if _, err := createOrder(ctx, c, newOrder); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The notes of an order have the metadata after those of the platform, as far as the gateway takes
// it: 15 notes of at most 256 characters.
func TestCreateOrder_MetadataThatFits(t *testing.T) {
	many := core.Metadata{"a_long": strings.Repeat("é", 257), "a_longest": strings.Repeat("é", 256),
		"a_empty": ""}
	for i := range 12 {
		many[fmt.Sprintf("key_%02d", i)] = fmt.Sprint(i)
	}
	var got struct{ Notes map[string]string }
	c := newGateway(t, func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, `{"id":"order_1"}`)
	})
	order := newOrder
	order.Metadata = many
	if _, err := createOrder(t.Context(), c, order); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"purchaseId": order.PurchaseID, "courseTitle": order.Title,
		"a_empty": "", "a_longest": strings.Repeat("é", 256)}
	for i := range 11 { // the last key has no place
		want[fmt.Sprintf("key_%02d", i)] = fmt.Sprint(i)
	}
	if diff := cmp.Diff(want, got.Notes); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}
