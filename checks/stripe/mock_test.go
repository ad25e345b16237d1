// Package stripe checks learning/stripe and the Stripe of the sandbox with programs of Stripe,
// which no host compiles: stripe-mock, which validates requests against Stripe's description of its
// API, and stripe-go, which signs and reads webhooks.
package stripe

import (
	"bufio"
	"errors"
	"net/http"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/stripe"
)

// startMock builds and starts stripe-mock, and returns its URL. It refuses requests that name
// another version of the API than its own.
func startMock(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "stripe-mock")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program,
		"github.com/stripe/stripe-mock")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build stripe-mock: %v\n%s", err, out)
	}
	mock := exec.CommandContext(t.Context(), program, "-http-addr", "127.0.0.1:0",
		"-strict-version-check")
	out, err := mock.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := mock.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = mock.Process.Kill()
		_ = mock.Wait()
	})
	listens := regexp.MustCompile(`127\.0\.0\.1:\d+`)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if address := listens.FindString(lines.Text()); address != "" {
			go func() { // so that the program does not wait for a reader
				for lines.Scan() {
				}
			}()
			return "http://" + address
		}
	}
	t.Fatal("stripe-mock did not start")
	return ""
}

// statuses is a transport that records what was asked and answered.
type statuses struct {
	mu  sync.Mutex
	got []string
}

func (s *statuses) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.got = append(s.got, r.Method+" "+r.URL.Path+" "+res.Status)
	}
	return res, err
}

// stripe-mock answers each request that it finds valid with the same example, whatever was asked,
// so that the client takes some of the answers for invalid ones.
func TestClient_RequestsAreValidForStripe(t *testing.T) {
	seen := &statuses{}
	c, err := stripe.New("sk_test_123", "pk_test_123", stripe.WithURL(startMock(t)),
		stripe.WithTransport(seen), stripe.WithTimeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	invalid := func(err error) {
		t.Helper()
		if err != nil && !errors.Is(err, payment.ErrIncomplete) &&
			!strings.Contains(err.Error(), "the answer of Stripe is invalid") {
			t.Error(err)
		}
	}
	ctx := t.Context()
	_, err = c.CreateOrder(ctx, payment.NewOrder{PurchaseID: "p1", Attempt: 1, Title: "Sailing",
		Amount: 10_00, Currency: "USD", Metadata: core.Metadata{"campaign": "spring"}})
	invalid(err)
	_, err = c.Order(ctx, "pi_1")
	invalid(err)
	_, err = c.CheckProof(ctx, payment.Proof{OrderID: "pi_1"})
	invalid(err)
	invalid(c.CancelOrder(ctx, "pi_1"))
	_, err = c.Disputes(ctx, "pi_1")
	invalid(err)
	_, err = c.Refunds(ctx, "pi_1")
	invalid(err)
	_, err = c.CreateRefund(ctx, payment.NewRefund{ID: "r1", PurchaseID: "p1", PaymentID: "pi_1",
		Amount: 1_00, Currency: "USD"})
	invalid(err)
	if errors.Is(err, payment.ErrRefundRefused) {
		t.Error(err)
	}
	want := []string{"POST /v1/payment_intents 200 OK", "GET /v1/payment_intents/pi_1 200 OK",
		"GET /v1/payment_intents/pi_1 200 OK", "POST /v1/payment_intents/pi_1/cancel 200 OK",
		"GET /v1/disputes 200 OK", "GET /v1/refunds 200 OK", "GET /v1/refunds 200 OK",
		"POST /v1/refunds 200 OK"}
	if diff := cmp.Diff(want, seen.got); diff != "" {
		t.Error(diff)
	}
}
