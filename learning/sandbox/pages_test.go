package sandbox_test

import (
	"crypto/sha256"
	"encoding/base64"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// page fetches a page as a browser does and checks what all pages owe: a title, a viewport for
// phones, nothing that a strict policy would block, and a style sheet that the policy lets through.
func page(tb testing.TB, want int, method, url, form string) string {
	tb.Helper()
	status, h, body := call(tb, method, url, form,
		header("Accept", "text/html,application/xhtml+xml,*/*;q=0.8"),
		header("Content-Type", "application/x-www-form-urlencoded"))
	if status != want || !strings.HasPrefix(h.Get("Content-Type"), "text/html") {
		tb.Fatalf("%s: %d %s %s", url, status, h.Get("Content-Type"), body)
	}
	for _, part := range []string{`<html lang="en">`, `<title>`,
		`name="viewport" content="width=device-width, initial-scale=1"`, "<h1>", "<main"} {
		if !strings.Contains(body, part) {
			tb.Errorf("%s lacks %s", url, part)
		}
	}
	if bad := regexp.MustCompile(`<script|<link|<img|\son\w+=|\sstyle=|javascript:`).FindString(
		body); bad != "" {
		tb.Errorf("%s has %q", url, bad)
	}
	style := body[strings.Index(body, "<style>")+len("<style>") : strings.Index(body, "</style>")]
	sum := sha256.Sum256([]byte(style))
	if policy := h.Get("Content-Security-Policy"); !strings.Contains(policy,
		base64.StdEncoding.EncodeToString(sum[:])) {
		tb.Errorf("%s: the policy blocks the style sheet: %s", url, policy)
	}
	if h.Get("Cache-Control") != "no-store" {
		tb.Errorf("%s may be cached", url)
	}
	return body
}

func contains(tb testing.TB, body string, parts ...string) {
	tb.Helper()
	text := html.UnescapeString(body)
	for _, p := range parts {
		if !strings.Contains(text, p) {
			tb.Errorf("the page lacks %q", p)
		}
	}
}

func TestHome_ListsUsersOpenOrdersAndDeliveries(t *testing.T) {
	p := newPlatform(t, 404)
	s := start(t, sandbox.Config{WebhookURL: p.URL, Retry: []time.Duration{}})
	withUsers(t, s)
	paid, open := newOrder(t, s), newOrder(t, s)
	pay(t, s, paid.ID)
	waitForWebhooks(t, s)
	body := page(t, 200, "GET", s.Config().URL+"/", "")
	contains(t, body, "Ada", "Bea", "educator", "/checkout/"+open.ID, "INR 499.00", "Bread",
		"payment.captured", "given up", "last answer 404", p.URL)
	if strings.Contains(body, paid.ID) {
		t.Error("a paid order is listed as open")
	}
}

func TestHome_Empty(t *testing.T) {
	s := start(t, sandbox.Config{})
	contains(t, page(t, 200, "GET", s.Config().URL+"/", ""), "No users yet.", "None.",
		"the address of the platform is not set")
	status, _, _ := call(t, "GET", s.Config().URL+"/elsewhere", "")
	if status != http.StatusNotFound {
		t.Errorf("unknown path: %d", status)
	}
}

func TestPages_EscapeNames(t *testing.T) {
	s := start(t, sandbox.Config{})
	if err := s.Identity().PutUser(sandbox.User{ID: "user_1",
		FirstName: "<script>alert(1)</script>"}); err != nil {
		t.Fatal(err)
	}
	page(t, 200, "GET", s.Config().URL+"/", "")
	page(t, 200, "POST", s.Config().URL+"/v1/sign-in", "userId=user_1")
}

func TestSignInForm_ShowsAToken(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	withUsers(t, s)
	body := page(t, 200, "POST", s.Config().URL+"/v1/sign-in", "userId=user_2")
	contains(t, body, "Signed in as Bea", "Role educator", p.URL+"/api/user/data")
	shown := regexp.MustCompile(`(?s)<textarea[^>]*>(.*?)</textarea>`).FindStringSubmatch(body)
	if shown == nil {
		t.Fatal("no token on the page")
	}
	if claims, err := verify(t, s, shown[1]); err != nil || claims["sub"] != "user_2" {
		t.Errorf("%v %v", claims, err)
	}
}

func TestCheckoutPage_FailureThenPaymentThenReload(t *testing.T) {
	s := start(t, sandbox.Config{})
	o := newOrder(t, s)
	url := s.Config().URL + "/checkout/" + o.ID
	contains(t, page(t, 200, "GET", url, ""), "Bread", "INR 499.00", o.ID, "purchase_1",
		`value="pay"`, `value="fail"`, `method="post"`)
	contains(t, page(t, 200, "POST", url, "action=fail"), "Payment failed",
		url[strings.Index(url, "/checkout"):])
	contains(t, page(t, 200, "GET", url, ""), "Attempts so far")
	paid := page(t, 200, "POST", url, "action=pay")
	payments, err := s.Gateway().Payments(o.ID)
	if err != nil || len(payments) != 2 {
		t.Fatalf("%v, %d payments", err, len(payments))
	}
	id := payments[1].ID
	proof := `{"gateway_order_id":"` + o.ID + `","gateway_payment_id":"` + id +
		`","gateway_signature":"` + s.Gateway().Signature(o.ID, id) + `"}`
	contains(t, paid, "Paid", proof, "/api/user/verify-gateway")
	if again := page(t, 200, "GET", url, ""); again != paid {
		t.Error("reloading shows something else")
	}
	contains(t, page(t, 400, "POST", url, "action=pay"), "The order is already paid",
		"See how it was paid")
}

func TestCheckoutPage_UnknownOrder(t *testing.T) {
	s := start(t, sandbox.Config{})
	url := s.Config().URL + "/checkout/order_x"
	for _, body := range []string{page(t, 404, "GET", url, ""),
		page(t, 404, "POST", url, "action=pay"), page(t, 400, "POST", url, "")} {
		contains(t, body, "That did not work")
	}
}

func TestHome_SaysThatTheAIIsAStandIn(t *testing.T) {
	s := start(t, sandbox.Config{})
	contains(t, page(t, 200, "GET", s.Config().URL+"/", ""), "AI provider", "0 calls so far",
		"stand-ins")
	ask(t, s, prompt("", "s", "m"))
	contains(t, page(t, 200, "GET", s.Config().URL+"/", ""), "1 call so far")
}
