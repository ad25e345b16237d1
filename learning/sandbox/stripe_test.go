package sandbox_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// stripeCall sends a request of Stripe's API with a form, and returns the status and the body.
func stripeCall(t *testing.T, s *sandbox.Sandbox, method, path, key, form string) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method,
		s.Config().URL+sandbox.StripePath+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Config().StripeKey)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Idempotency-Key", key)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// newIntent creates a PaymentIntent of 500 dollars.
func newIntent(t *testing.T, s *sandbox.Sandbox) sandbox.PaymentIntent {
	t.Helper()
	p, err := s.Stripe().CreateIntent(500_00, "usd", map[string]string{"courseTitle": "Go"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestStripe_RejectsWhatStripeRejects(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	open := newIntent(t, s).ID
	for _, test := range []struct {
		method, path, form string
		status             int
		says               string
	}{
		{"POST", "/v1/payment_intents", "amount=49&currency=usd", 400, "amount_too_small"},
		{"POST", "/v1/payment_intents", "amount=50&currency=usd", 200, `"client_secret":"pi_`},
		{"POST", "/v1/payment_intents", "amount=50&currency=USD", 200, `"currency":"usd"`},
		{"POST", "/v1/payment_intents", "amount=0&currency=usd", 400, "Invalid integer"},
		{"POST", "/v1/payment_intents", "amount=5.5&currency=usd", 400, "Invalid integer"},
		{"POST", "/v1/payment_intents", "amount=150&currency=isk", 400, "divisible by 100"},
		{"POST", "/v1/payment_intents", "amount=1005&currency=kwd", 400, "divisible by 10"},
		{"POST", "/v1/payment_intents", "amount=500&currency=dollar", 400, "Invalid currency"},
		{"POST", "/v1/payment_intents", "amount=500&currency=usd&receipt=1", 400,
			"unknown parameter: receipt"},
		{"POST", "/v1/payment_intents", "amount=500&currency=usd&metadata[a]=" +
			strings.Repeat("x", 501), 400, "up to 500"},
		{"GET", "/v1/payment_intents/pi_x", "", 404, "resource_missing"},
		{"POST", "/v1/payment_intents/pi_x/cancel", "", 404, "resource_missing"},
		{"POST", "/v1/refunds", "payment_intent=" + open, 400, "does not have a successful charge"},
		{"POST", "/v1/refunds", "payment_intent=pi_x", 404, "resource_missing"},
		{"GET", "/v1/refunds?limit=101", "", 400, "from 1 to 100"},
		{"GET", "/v1/disputes?starting_after=du_x", "", 404, "resource_missing"},
	} {
		status, body := stripeCall(t, s, test.method, test.path, "", test.form)
		if status != test.status || !strings.Contains(body, test.says) {
			t.Errorf("%s %s %s: %d %s", test.method, test.path, test.form, status, body)
		}
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		s.Config().URL+"/stripe/v1/refunds", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.SetBasicAuth(s.Config().StripePublishableKey, "")
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusUnauthorized {
		t.Errorf("the publishable key: status %d", res.StatusCode)
	}
}

func TestStripe_AKeyHasOneAnswerForADay(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	file := filepath.Join(t.TempDir(), "state.json")
	s := start(t, sandbox.Config{Clock: clock, State: file})
	const form = "amount=5000&currency=usd"
	ask := func(form string) (int, string) {
		return stripeCall(t, s, "POST", "/v1/payment_intents", "p1-1", form)
	}
	_, first := ask(form)
	if _, again := ask(form); again != first || s.Stripe().IntentsCreated() != 1 {
		t.Errorf("a repetition answers %s, not %s", again, first)
	}
	if status, body := ask("amount=5001&currency=usd"); status != 400 ||
		!strings.Contains(body, "idempotency_error") {
		t.Errorf("another request with the key: %d %s", status, body)
	}
	// While a request runs, another one with its key is refused.
	s.Stripe().OnIntent(func(sandbox.PaymentIntent) {
		s.Stripe().OnIntent(nil)
		if status, body := stripeCall(t, s, "POST", "/v1/payment_intents", "p2-1", form); status !=
			409 || !strings.Contains(body, "in-progress") {
			t.Errorf("during the first request: %d %s", status, body)
		}
	})
	if status, body := stripeCall(t, s, "POST", "/v1/payment_intents", "p2-1", form); status != 200 {
		t.Errorf("%d %s", status, body)
	}
	s.Close()
	s = start(t, sandbox.Config{Clock: clock, State: file})
	if _, again := ask(form); again != first {
		t.Errorf("after a restart a repetition answers %s, not %s", again, first)
	}
	mu.Lock()
	now = now.Add(24*time.Hour + time.Second)
	mu.Unlock()
	if _, later := ask(form); later == first {
		t.Error("the key is remembered for more than a day")
	}
}

func TestStripe_StatusesOfAPayment(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	st := s.Stripe()
	type step = func(string, ...sandbox.PayOption) (sandbox.PaymentIntent, error)
	for name, test := range map[string]struct {
		steps []step
		want  []string // "" if the step is refused
	}{
		"card":      {[]step{st.Pay, st.Pay, st.Fail, st.Cancel}, []string{"succeeded", "", "", ""}},
		"declined":  {[]step{st.Fail, st.Pay}, []string{"requires_payment_method", "succeeded"}},
		"3D Secure": {[]step{st.RequireAction, st.Pay}, []string{"requires_action", "succeeded"}},
		"slow": {[]step{st.Process, st.Cancel, st.Process, st.Pay},
			[]string{"processing", "", "", "succeeded"}},
		"slow, fails": {[]step{st.Process, st.Fail, st.Cancel},
			[]string{"processing", "requires_payment_method", "canceled"}},
		"captured": {[]step{st.Authorize, st.Pay}, []string{"requires_capture", "succeeded"}},
		"released": {[]step{st.Authorize, st.Cancel}, []string{"requires_capture", "canceled"}},
		"canceled": {[]step{st.Cancel, st.Cancel, st.Pay, st.Process},
			[]string{"canceled", "", "", ""}},
	} {
		id := newIntent(t, s).ID
		var got []string
		for _, do := range test.steps {
			after, err := do(id)
			if err != nil && !errors.Is(err, sandbox.ErrIntentState) {
				t.Fatal(name, err)
			}
			got = append(got, after.Status)
			if after.Status == sandbox.IntentSucceeded && after.AmountReceived != after.Amount {
				t.Errorf("%s: received %d of %d", name, after.AmountReceived, after.Amount)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, err := st.Pay("pi_x"); !errors.Is(err, sandbox.ErrUnknownStripeID) {
		t.Errorf("an unknown intent: %v", err)
	}
}

func TestStripe_RetrievesTheChargeWithTheIntent(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	id := newIntent(t, s).ID
	latest := func(query string) any {
		_, body := stripeCall(t, s, "GET", "/v1/payment_intents/"+id+query, "", "")
		var got struct {
			LatestCharge any `json:"latest_charge"`
		}
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		return got.LatestCharge
	}
	const expand = "?expand[]=latest_charge"
	if got := latest(expand); got != nil {
		t.Errorf("before a payment: %v", got)
	}
	if _, err := s.Stripe().Pay(id); err != nil {
		t.Fatal(err)
	}
	if got, isID := latest("").(string); !isID || !strings.HasPrefix(got, "ch_") {
		t.Errorf("without expand: %v", got)
	}
	if got, isObject := latest(expand).(map[string]any); !isObject || got["refunded"] != false {
		t.Errorf("with expand: %v", got)
	}
}

func TestStripe_RefundsAndDisputesOfAPayment(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	st := s.Stripe()
	id := newIntent(t, s).ID
	if _, err := st.Pay(id); err != nil {
		t.Fatal(err)
	}
	refund := func(form string) (int, string) {
		return stripeCall(t, s, "POST", "/v1/refunds", "", "payment_intent="+id+form)
	}
	refunded := func() (int64, bool) {
		c := st.Charges(id)[0]
		return c.AmountRefunded, c.Refunded
	}
	if _, err := st.Refund(id, sandbox.WithAmount(200_00)); err != nil {
		t.Fatal(err)
	}
	if status, body := refund("&amount=30001"); status != 400 ||
		!strings.Contains(body, "greater than") {
		t.Errorf("more than is left: %d %s", status, body)
	}
	st.Faults().Next(1, sandbox.Fault{Kind: sandbox.FaultPending, On: sandbox.OpRefundIntent})
	if status, body := refund("&metadata[refundId]=r1"); status != 200 ||
		!strings.Contains(body, `"pending"`) || !strings.Contains(body, `"refundId":"r1"`) {
		t.Errorf("the rest: %d %s", status, body)
	}
	if amount, all := refunded(); amount != 500_00 || !all {
		t.Errorf("refunded %d, all %t", amount, all)
	}
	if status, body := refund(""); status != 400 ||
		!strings.Contains(body, "charge_already_refunded") {
		t.Errorf("once more: %d %s", status, body)
	}
	pending := st.Refunds(id)[1]
	if _, err := st.FailRefund(pending.ID); err != nil {
		t.Fatal(err)
	}
	if amount, all := refunded(); amount != 200_00 || all {
		t.Errorf("after a failure refunded %d, all %t", amount, all)
	}
	if _, err := st.ProcessRefund(pending.ID); err == nil {
		t.Error("a failed refund succeeds")
	}
	// The newest refund comes first, page by page.
	_, page := stripeCall(t, s, "GET", "/v1/refunds?limit=1&payment_intent="+id, "", "")
	if !strings.Contains(page, pending.ID) || !strings.Contains(page, `"has_more":true`) {
		t.Error(page)
	}
	_, page = stripeCall(t, s, "GET",
		"/v1/refunds?limit=1&payment_intent="+id+"&starting_after="+pending.ID, "", "")
	if !strings.Contains(page, st.Refunds(id)[0].ID) || !strings.Contains(page, `"has_more":false`) {
		t.Error(page)
	}
}

func TestStripe_DisputesOfAPayment(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	st := s.Stripe()
	id := newIntent(t, s).ID
	if _, err := st.Dispute(id); err == nil {
		t.Error("an intent that is not paid is disputed")
	}
	if _, err := st.Pay(id); err != nil {
		t.Fatal(err)
	}
	d, err := st.Dispute(id)
	if err != nil || d.Status != "needs_response" || d.Amount != 500_00 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err = st.LoseDispute(d.ID); err != nil || d.Status != "lost" {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err = st.WinDispute(d.ID); err == nil {
		t.Error("a closed dispute is closed again")
	}
	if _, body := stripeCall(t, s, "GET", "/v1/disputes?payment_intent="+id, "", ""); !strings.
		Contains(body, `"status":"lost"`) {
		t.Error(body)
	}
}

func TestStripeWebhook_EachChangeIsSignedAndRepeated(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, 500)
	s := start(t, sandbox.Config{WebhookURL: p.URL, Retry: []time.Duration{time.Millisecond}})
	st := s.Stripe()
	id := newIntent(t, s).ID
	do := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		waitForWebhooks(t, s)
	}
	do(st.Process(id))
	do(st.Pay(id))
	do(st.Refund(id, sandbox.WithAmount(1_00)))
	d, err := st.Dispute(id)
	do(d, err)
	do(st.WinDispute(d.ID))
	do(st.Refund(id, sandbox.WithoutWebhook()))
	do(st.FailRefund(st.Refunds(id)[1].ID))
	do(st.Cancel(newIntent(t, s).ID))
	var got []string
	for _, h := range p.received() {
		var e struct{ Type string }
		if err := json.Unmarshal(h.body, &e); err != nil || h.path != "/stripe" {
			t.Fatal(h.path, err)
		}
		got = append(got, e.Type)
		seconds, _, _ := strings.Cut(strings.TrimPrefix(h.header.Get("Stripe-Signature"), "t="), ",")
		at, err := time.ParseDuration(seconds + "s")
		if err != nil || h.header.Get("Stripe-Signature") !=
			st.SignWebhook(h.body, time.Unix(int64(at.Seconds()), 0)) {
			t.Errorf("%s: signature %s", e.Type, h.header.Get("Stripe-Signature"))
		}
	}
	// The two webhooks of a refund are sent at the same time.
	if len(got) > 4 && got[3] == "charge.refunded" {
		got[3], got[4] = got[4], got[3]
	}
	want := []string{"payment_intent.processing", "payment_intent.processing",
		"payment_intent.succeeded", "refund.created", "charge.refunded", "charge.dispute.created",
		"charge.dispute.closed", "refund.failed", "payment_intent.canceled"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStripePage_ReturnsAsStripeDoes(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{FrontendOrigin: frontend})
	s.Stripe().SetLateTime(time.Millisecond)
	page := func(p sandbox.PaymentIntent) string {
		return s.Config().URL + "/stripe/pay/" + p.ClientSecret + "?return=" +
			url.QueryEscape(frontend+"/return?from=here")
	}
	for action, want := range map[string]struct{ redirect, status string }{
		"pay":       {"succeeded", sandbox.IntentSucceeded},
		"fail":      {"failed", sandbox.IntentOpen},
		"late":      {"pending", sandbox.IntentSucceeded},
		"late-fail": {"pending", sandbox.IntentOpen},
	} {
		p := newIntent(t, s)
		to, err := url.Parse(sent(t, page(p), action))
		if err != nil {
			t.Fatal(err)
		}
		query := url.Values{"from": {"here"}, "payment_intent": {p.ID},
			"payment_intent_client_secret": {p.ClientSecret}, "redirect_status": {want.redirect}}
		if diff := cmp.Diff(query, to.Query()); diff != "" || to.Path != "/return" {
			t.Errorf("%s: %s %s", action, to, diff)
		}
		deadline := time.Now().Add(timeLimit)
		for got := ""; got != want.status; time.Sleep(time.Millisecond) {
			after, err := s.Stripe().Intent(p.ID)
			if got = after.Status; err != nil || time.Now().After(deadline) {
				t.Fatalf("%s: status %s, %v", action, got, err)
			}
		}
	}
	// The bank asks for a confirmation on a page of its own.
	p := newIntent(t, s)
	status, _ := sendForm(t, page(p), "action=confirm", "null", "same-origin")
	if after, err := s.Stripe().Intent(p.ID); status != http.StatusOK || err != nil ||
		after.Status != sandbox.IntentAction {
		t.Errorf("%d %s %v", status, after.Status, err)
	}
	for _, path := range []string{p.ID, p.ID + "_secret_x", "pi_x"} {
		if status, _, _ := call(t, "GET", s.Config().URL+"/stripe/pay/"+path, ""); status != 404 {
			t.Errorf("without the client secret: %d", status)
		}
	}
	elsewhere := s.Config().URL + "/stripe/pay/" + p.ClientSecret + "?return=https://example.org"
	if status, _, _ := call(t, "GET", elsewhere, ""); status != 400 {
		t.Errorf("a return to another origin: %d", status)
	}
	_, header, script := call(t, "GET", s.Config().URL+"/stripe/v3/", "")
	if !strings.Contains(header.Get("Content-Type"), "text/javascript") ||
		!strings.Contains(script, "confirmPayment") {
		t.Errorf("the script: %v", header)
	}
}

func TestStripeControl_FollowsTheMethods(t *testing.T) {
	t.Parallel()
	s := start(t, sandbox.Config{})
	id := newIntent(t, s).ID
	intent := "/sandbox/stripe/intents/" + id
	for _, test := range []struct {
		path, body string
		status     int
		says       string
	}{
		{intent + "/payments", `{"action":"steal"}`, 400, "pay, fail, confirm"},
		{intent + "/payments", `{"action":"process"}`, 200, `"status":"processing"`},
		{intent + "/cancel", ``, 400, "status of processing"},
		{intent + "/payments", `{"action":"pay","withoutWebhook":true}`, 200, `"succeeded"`},
		{intent + "/refund", `{"amount":100,"notes":{"a":"b"}}`, 200, `"metadata":{"a":"b"}`},
		{intent + "/dispute", ``, 200, `"status":"needs_response"`},
		{"/sandbox/stripe/intents/pi_x/refund", ``, 404, "No such payment_intent"},
		{"/sandbox/stripe/refunds/re_x/fail", ``, 404, "No such refund"},
		{"/sandbox/stripe/disputes/du_x/win", ``, 404, "No such dispute"},
	} {
		status, _, body := call(t, "POST", s.Config().URL+test.path, test.body)
		if status != test.status || !strings.Contains(body, test.says) {
			t.Errorf("%s %s: %d %s", test.path, test.body, status, body)
		}
	}
	for _, path := range []string{"/sandbox/stripe/intents", intent + "/refunds",
		intent + "/disputes"} {
		if _, _, body := call(t, "GET", s.Config().URL+path, ""); !strings.Contains(body, id) {
			t.Errorf("%s: %s", path, body)
		}
	}
}
