package sandbox_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// returning starts a sandbox with a front end, and returns an order and its checkout, which returns
// to back.
func returning(t *testing.T, cfg sandbox.Config,
	back string) (s *sandbox.Sandbox, order, checkout string) {
	t.Helper()
	cfg.FrontendOrigin = frontend
	s = start(t, cfg)
	order = newOrder(t, s).ID
	return s, order, s.Config().URL + "/checkout/" + order + "?return=" + url.QueryEscape(back)
}

// sendForm sends a form as a browser does from a page of an origin, and returns the status and the
// target of a redirect.
func sendForm(t *testing.T, url, form, origin, site string) (status int, location string) {
	t.Helper()
	client := &http.Client{CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"Content-Type": "application/x-www-form-urlencoded",
		"Origin": origin, "Sec-Fetch-Site": site,
		"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"} {
		r.Header.Set(name, value)
	}
	res, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode, res.Header.Get("Location")
}

// sent sends the form of the checkout page itself.
func sent(t *testing.T, url, action string) (location string) {
	t.Helper()
	status, location := sendForm(t, url, "action="+action, "null", "same-origin")
	if status != http.StatusSeeOther {
		t.Fatalf("%s: status %d", action, status)
	}
	return location
}

func TestCheckoutReturn_SendsTheBrowserBackWithTheProof(t *testing.T) {
	s, order, checkout := returning(t, sandbox.Config{}, frontend+"/course/go?from=home#buy")
	paid := sent(t, checkout, "pay")
	payments, err := s.Gateway().Payments(order)
	if err != nil || len(payments) != 1 {
		t.Fatalf("%v, %d payments", err, len(payments))
	}
	u, err := url.Parse(paid)
	if err != nil {
		t.Fatal(err)
	}
	id := payments[0].ID
	want := url.Values{"from": {"home"}, "gateway_order_id": {order}, "gateway_payment_id": {id},
		"gateway_signature": {s.Gateway().Signature(order, id)}}
	if diff := cmp.Diff(want, u.Query()); diff != "" || u.Host != "localhost:5173" ||
		u.Path != "/course/go" || u.Fragment != "buy" {
		t.Errorf("%s\n%s", paid, diff)
	}
	if again := sent(t, checkout, "pay"); again != paid {
		t.Errorf("a second click leads to %s", again)
	}
	if status, h := get(t, checkout); status != http.StatusSeeOther || h.Get("Location") != paid ||
		h.Get("Cache-Control") != "no-store" {
		t.Errorf("the checkout of a paid order: %d %v", status, h)
	}
}

// get makes a request without following a redirect.
func get(t *testing.T, url string) (status int, h http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode, res.Header
}

func TestCheckoutReturn_FailureAndCancel(t *testing.T) {
	_, _, checkout := returning(t, sandbox.Config{}, frontend+"/course/go")
	body := page(t, http.StatusOK, http.MethodGet, checkout, "")
	contains(t, body, `href="`+frontend+`/course/go?payment=cancelled"`, `value="late"`)
	if got := sent(t, checkout, "fail"); got != frontend+"/course/go?payment=failed" {
		t.Errorf("a failed payment leads to %s", got)
	}
}

func TestCheckoutReturn_PaidLate(t *testing.T) {
	p := newPlatform(t)
	s, order, checkout := returning(t, sandbox.Config{WebhookURL: p.URL}, frontend+"/course/go")
	s.Gateway().SetLateTime(time.Second)
	for range 2 { // a double click
		if got := sent(t, checkout, "late"); got != frontend+"/course/go?payment=pending" {
			t.Errorf("it leads to %s", got)
		}
	}
	if payments, err := s.Gateway().Payments(order); err != nil || len(payments) != 1 {
		t.Fatalf("%v, %d payments", err, len(payments))
	}
	for deadline := time.Now().Add(timeLimit); ; time.Sleep(10 * time.Millisecond) {
		if o, err := s.Gateway().Order(order); err == nil && o.Status == sandbox.OrderPaid {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the payment is not captured")
		}
	}
}

func TestCheckoutReturn_PaidLateAndAgain(t *testing.T) {
	s, order, checkout := returning(t, sandbox.Config{}, frontend+"/")
	s.Gateway().SetLateTime(time.Hour)
	sent(t, checkout, "late")
	sent(t, checkout, "pay")
	s.Close() // it does not wait for the hour
	payments, err := s.Gateway().Payments(order)
	if err != nil || len(payments) != 2 || payments[0].Status != "authorized" ||
		payments[1].Status != sandbox.PaymentCaptured {
		t.Errorf("%v, payments %+v", err, payments)
	}
}

func TestCheckoutReturn_FormOfTheFrontEnd(t *testing.T) {
	_, _, checkout := returning(t, sandbox.Config{}, frontend+"/")
	status, location := sendForm(t, checkout, "action=fail", frontend, "cross-site")
	if status != http.StatusSeeOther || location != frontend+"/?payment=failed" {
		t.Errorf("status %d, to %s", status, location)
	}
	if status, _ := sendForm(t, checkout, "action=fail", "https://elsewhere.example.org",
		"cross-site"); status != http.StatusForbidden {
		t.Errorf("from another origin: status %d", status)
	}
}

func TestCheckoutReturn_OnlyToTheFrontEnd(t *testing.T) {
	s := start(t, sandbox.Config{FrontendOrigin: frontend})
	order := newOrder(t, s).ID
	for _, back := range []string{"https://elsewhere.example.org/", "/course/go",
		"javascript:alert(1)", "//localhost:5173/", frontend + "0/",
		"http://user@localhost:5173/", "http://localhost:5173@elsewhere.example.org/",
		"http://localhost:5173\\@elsewhere.example.org/"} {
		checkout := s.Config().URL + "/checkout/" + order + "?return=" + url.QueryEscape(back)
		contains(t, page(t, http.StatusBadRequest, http.MethodGet, checkout, ""),
			"must be a URL of the front end, "+frontend)
		status, location := sendForm(t, checkout, "action=pay", "null", "same-origin")
		if status != http.StatusBadRequest || location != "" {
			t.Errorf("%s: status %d, to %s", back, status, location)
		}
	}
	if payments, _ := s.Gateway().Payments(order); len(payments) != 0 {
		t.Errorf("%d payments", len(payments))
	}
	alone := start(t, sandbox.Config{})
	checkout := alone.Config().URL + "/checkout/" + newOrder(t, alone).ID + "?return=" +
		url.QueryEscape(frontend)
	contains(t, page(t, http.StatusBadRequest, http.MethodGet, checkout, ""), "has no front end")
}

func TestCheckoutReturn_InvalidIsRejected(t *testing.T) {
	s, _, checkout := returning(t, sandbox.Config{}, frontend+"/")
	unknown := s.Config().URL + "/checkout/order_x?return=" + url.QueryEscape(frontend)
	for _, test := range []struct {
		url, action string
		status      int
	}{{checkout, "", 400}, {checkout, "steal", 400}, {unknown, "pay", 404}, {unknown, "late", 404},
		{unknown, "fail", 404}} {
		if status, location := sendForm(t, test.url, "action="+test.action, "null",
			"same-origin"); status != test.status || location != "" {
			t.Errorf("%s %q: status %d, to %s", test.url, test.action, status, location)
		}
	}
}

func TestCheckoutReturn_ProgramsGetJSON(t *testing.T) {
	_, _, checkout := returning(t, sandbox.Config{}, frontend+"/")
	for action, want := range map[string]int{"late": 400, "pay": 200} {
		if status, _, body := call(t, http.MethodPost, checkout, "action="+action,
			header("Accept", "application/json")); status != want {
			t.Errorf("%s: %d %s", action, status, body)
		}
	}
}

// Browsers apply form-action to the redirect after a form, too.
func TestPages_FormsMayLeadToTheFrontEnd(t *testing.T) {
	for origin, want := range map[string]string{frontend: "form-action 'self' " + frontend + ";",
		"": "form-action 'self';"} {
		s := start(t, sandbox.Config{FrontendOrigin: origin})
		_, h := get(t, s.Config().URL+"/")
		if policy := h.Get("Content-Security-Policy"); !strings.Contains(policy, want) {
			t.Errorf("the policy is %s", policy)
		}
	}
}
