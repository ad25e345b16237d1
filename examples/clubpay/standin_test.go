package clubpay_test

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/payment"
)

const (
	key    = "club_key"
	secret = "club_secret"
)

// checkout and refund are what Club Pay keeps, and answers.
type (
	checkout struct {
		ID, URL, Status, Payment, Currency string
		Amount                             int64
		expires                            time.Time
	}
	refund struct {
		ID, Payment, Reference, Status, Currency string
		Amount                                   int64
	}
)

// clubPay stands in for Club Pay.
type clubPay struct {
	url string
	now func() time.Time

	mu        sync.Mutex
	checkouts map[string]*checkout // by id
	byKey     map[string]any       // what was made by the request with a key
	refunds   map[string][]*refund // by payment
}

// newClubPay serves Club Pay until the test ends. now is its time.
func newClubPay(t *testing.T, now func() time.Time) *clubPay {
	p := &clubPay{now: now, checkouts: map[string]*checkout{}, byKey: map[string]any{},
		refunds: map[string][]*refund{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /checkouts", p.open)
	mux.HandleFunc("GET /checkouts/{id}", p.onCheckout(func(*checkout) {}))
	mux.HandleFunc("POST /checkouts/{id}/cancel", p.onCheckout(func(c *checkout) {
		if c.Status == "open" {
			c.Status = "cancelled"
		}
	}))
	mux.HandleFunc("POST /refunds", p.refund)
	mux.HandleFunc("GET /payments/{id}/refunds", func(w http.ResponseWriter, r *http.Request) {
		answer(w, map[string]any{"refunds": p.refunds[r.PathValue("id")]})
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+key {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func answer(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

// open answers a new checkout, or that of the first request with the key.
func (p *clubPay) open(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Amount, ExpiresIn int64
		Currency          string
	}
	_ = json.NewDecoder(r.Body).Decode(&in)
	known := r.Header.Get("Idempotency-Key")
	if p.byKey[known] == nil {
		c := &checkout{ID: fmt.Sprint("club_", len(p.checkouts)+1), Status: "open",
			Amount: in.Amount, Currency: in.Currency,
			expires: p.now().Add(time.Duration(in.ExpiresIn) * time.Second)}
		c.URL = "https://club.example/pay/" + c.ID
		p.checkouts[c.ID], p.byKey[known] = c, c
	}
	answer(w, p.byKey[known])
}

// onCheckout answers the checkout of the path after a change. One that was open for too long
// expires.
func (p *clubPay) onCheckout(change func(*checkout)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c := p.checkouts[r.PathValue("id")]
		if c == nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if c.Status == "open" && !p.now().Before(c.expires) {
			c.Status = "expired"
		}
		change(c)
		answer(w, c)
	}
}

// refund refunds at once, and refuses what is more than is left of the payment.
func (p *clubPay) refund(w http.ResponseWriter, r *http.Request) {
	var in refund
	_ = json.NewDecoder(r.Body).Decode(&in)
	known := r.Header.Get("Idempotency-Key")
	if p.byKey[known] == nil {
		left := int64(0)
		for _, c := range p.checkouts {
			if c.Payment == in.Payment {
				left, in.Currency = c.Amount, c.Currency
			}
		}
		for _, earlier := range p.refunds[in.Payment] {
			left -= earlier.Amount
		}
		if in.Amount > left {
			w.WriteHeader(http.StatusUnprocessableEntity)
			return
		}
		in.ID, in.Status = "clubrefund_"+known, "done"
		p.refunds[in.Payment] = append(p.refunds[in.Payment], &in)
		p.byKey[known] = &in
	}
	answer(w, p.byKey[known])
}

// set gives a checkout a status, as its page does. A paid one has a payment.
func (p *clubPay) set(id, status string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.checkouts[id]
	c.Status = status
	if status == "paid" || status == "processing" {
		c.Payment = cmp.Or(c.Payment, "clubpayment_"+id)
	}
}

// sign returns a signed webhook.
func sign(body []byte) payment.Webhook {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	header := http.Header{}
	header.Set("Club-Signature", hex.EncodeToString(mac.Sum(nil)))
	return payment.Webhook{Body: body, Header: header.Get}
}

// post sends a request, and decodes the answer.
func post(t *testing.T, url, token, body string, header func(string) string, v any) (status int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	if header != nil {
		r.Header.Set("Club-Signature", header("Club-Signature"))
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var text bytes.Buffer
	_, _ = text.ReadFrom(res.Body)
	if err := json.Unmarshal(text.Bytes(), v); err != nil {
		t.Fatalf("%s: %v", text.Bytes(), err)
	}
	return res.StatusCode
}
