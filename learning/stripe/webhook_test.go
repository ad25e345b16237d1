package stripe_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/stripe"
)

// sentAt is the time of the signatures below.
const sentAt = 1_492_774_577

// signed returns the v1 signature of a body.
func signed(secret string, at int64, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.%s", at, body)
	return hex.EncodeToString(mac.Sum(nil))
}

// read reads a webhook at some time after sentAt.
func read(t *testing.T, after time.Duration, body, header string,
	secrets ...string) (payment.Event, error) {
	t.Helper()
	c, err := stripe.New(key, publishableKey, stripe.WithWebhookSecrets(secrets...),
		stripe.WithClock(fixedClock(time.Unix(sentAt, 0).Add(after))))
	if err != nil {
		t.Fatal(err)
	}
	return c.ReadWebhook(payment.Webhook{Body: []byte(body), Header: func(name string) string {
		if name != "Stripe-Signature" {
			t.Errorf("the header %s is read", name)
		}
		return header
	}})
}

// A signature of openssl, so that the test does not repeat an error of the code:
//
//	printf '1492774577.{}' | openssl dgst -sha256 -hmac whsec_sesame
const opensslSignature = "2f15f147f763cf9fd6477081d5022f5d98987d11c1677de40654155fe172056b"

func TestReadWebhook_Signatures(t *testing.T) {
	const body = `{}`
	right, old := signed("whsec_sesame", sentAt, body), signed("whsec_old", sentAt, body)
	if right != opensslSignature {
		t.Fatalf("the test signs %s", right)
	}
	for header, ok := range map[string]bool{
		"t=1492774577,v1=" + right:                  true,
		"v1=" + right + ",t=1492774577":             true,
		"t=1492774577,v1=" + old:                    true,
		"t=1492774577,v1=x,v1=" + old + ",v0=y":     true,
		"t=1492774577,v1=" + right + ",v1=" + right: true,
		"t=1492774577,v0=" + right:                  false,
		"t=1492774578,v1=" + right:                  false,
		"t=,v1=" + right:                            false,
		"v1=" + right:                               false,
		"t=1492774577":                              false,
		"t=1492774577,v1=":                          false,
		"":                                          false,
		right:                                       false,
		"t=1492774577,v1=" + strings.ToUpper(right):     false,
		"t=1492774577,v1=" + right[:63]:                 false,
		"t=99999999999999999999,v1=" + right:            false,
		"t=9223372036854775807,v1=" + right:             false,
		"t=-9223372036854775808,v1=" + right:            false,
		"t=1492774577 ,v1=" + right:                     false,
		"t=1492774577,v1=" + signed("", sentAt, body):   false,
		"t=1492774577,v1=" + signed("x", sentAt, body):  false,
		"t=1492774577,v1=" + signed("whsec_old", 1, ""): false,
	} {
		_, err := read(t, time.Second, body, header, "whsec_sesame", "whsec_old")
		if (err == nil) != ok || err != nil && !errors.Is(err, core.ErrInvalidWebhook) {
			t.Errorf("%s: %v", header, err)
		}
	}
	header := "t=1492774577,v1=" + right
	if _, err := read(t, 0, body, header); !errors.Is(err, core.ErrInvalidWebhook) {
		t.Errorf("without a secret: %v", err)
	}
	if _, err := read(t, 0, body+" ", header,
		"whsec_sesame"); !errors.Is(err, core.ErrInvalidWebhook) {
		t.Errorf("another body: %v", err)
	}
	for after, ok := range map[time.Duration]bool{300 * time.Second: true, -300 * time.Second: true,
		301 * time.Second: false, -301 * time.Second: false, 365 * 24 * time.Hour: false} {
		if _, err := read(t, after, body, header, "whsec_sesame"); (err == nil) != ok {
			t.Errorf("after %v: %v", after, err)
		}
	}
}

func TestReadWebhook_SaysWhatToAskFor(t *testing.T) {
	const intent = `{"id":"pi_1","object":"payment_intent","status":"succeeded"}`
	const charge = `{"id":"ch_1","object":"charge","payment_intent":"pi_1"}`
	const refund = `{"id":"re_1","object":"refund","payment_intent":{"id":"pi_1"}}`
	const dispute = `{"id":"du_1","object":"dispute","payment_intent":"pi_1"}`
	order := payment.Event{ChangedOrder: "pi_1"}
	refunds := payment.Event{ChangedRefunds: "pi_1"}
	disputes := payment.Event{ChangedDisputes: "pi_1"}
	none := payment.Event{}
	for _, test := range []struct {
		kind, object string
		want         payment.Event
		err          error
	}{
		{"payment_intent.succeeded", intent, order, nil},
		{"payment_intent.processing", intent, order, nil},
		{"payment_intent.canceled", intent, order, nil},
		{"payment_intent.payment_failed", intent, order, nil},
		{"charge.refunded", charge, refunds, nil},
		{"refund.created", refund, refunds, nil},
		{"refund.updated", refund, refunds, nil},
		{"refund.failed", refund, refunds, nil},
		{"charge.dispute.created", dispute, disputes, nil},
		{"charge.dispute.updated", dispute, disputes, nil},
		{"charge.dispute.closed", dispute, disputes, nil},
		{"charge.succeeded", charge, none, nil},
		{"charge.updated", charge, none, nil},
		{"customer.created", `{"id":"cus_1"}`, none, nil},
		{"charge.refunded", `{"id":"ch_1","payment_intent":null}`, none, nil},
		{"", `{}`, none, nil},
		{"payment_intent.succeeded", `{}`, none, core.ErrMalformedEvent},
		{"refund.created", `null`, none, core.ErrMalformedEvent},
		{"payment_intent.succeeded", `[]`, none, core.ErrMalformedEvent},
		{"payment_intent.succeeded", `{"id":`, none, core.ErrMalformedEvent},
	} {
		body := `{"id":"evt_1","object":"event","type":"` + test.kind + `","data":{"object":` +
			test.object + `}}`
		got, err := read(t, 0, body, fmt.Sprintf("t=%d,v1=%s", sentAt,
			signed("whsec_sesame", sentAt, body)), "whsec_sesame")
		if got != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s %s: %+v, %v", test.kind, test.object, got, err)
		}
	}
}

// The sandbox signs independently of this package.
func TestReadWebhook_OfTheSandbox(t *testing.T) {
	type hook struct {
		body   []byte
		header http.Header
	}
	hooks := make(chan hook, 20)
	platform := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		hooks <- hook{body, r.Header}
	}))
	t.Cleanup(platform.Close)
	c, s := newSandbox(t, sandbox.Config{WebhookURL: platform.URL})
	id := open(t, c)
	event := func(_ any, err error) payment.Event {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		h := <-hooks
		got, err := c.ReadWebhook(payment.Webhook{Body: h.body, Header: h.header.Get})
		if err != nil {
			t.Errorf("%s: %v", h.body, err)
		}
		return got
	}
	if got := event(s.Process(id)); got.ChangedOrder != id {
		t.Errorf("%+v", got)
	}
	if got := event(s.Pay(id)); got.ChangedOrder != id {
		t.Errorf("%+v", got)
	}
	if got := event(s.Dispute(id)); got.ChangedDisputes != id {
		t.Errorf("%+v", got)
	}
	if got := event(s.Refund(id, sandbox.WithAmount(1))); got.ChangedRefunds != id {
		t.Errorf("%+v", got)
	}
}
