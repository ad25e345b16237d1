package gateway_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/payment"
)

// Signatures of openssl, so that the test does not repeat an error of the code:
//
//	printf 'order_1|pay_1' | openssl dgst -sha256 -hmac 'sesame of the key'
const (
	opensslPayment = "3656f919343a503b1a0200289093fc09ef84d3a7f1f8160d82fcfcb72d7c780e"
	opensslWebhook = "27ed0d2ece54f83e32f1592e8637033b9579f765994f40f9ce5fcae990ad7c85"
)

func hmacHex(secret, message string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(message))
	return hex.EncodeToString(m.Sum(nil))
}

// isSigned reports whether the signature of a webhook is right.
func isSigned(c *gateway.Client, body []byte, signature string) bool {
	_, err := readWebhook(c, body, signature)
	return !errors.Is(err, core.ErrInvalidWebhook)
}

// readWebhook reads a webhook with a signature.
func readWebhook(c *gateway.Client, body []byte, signature string) (payment.Event, error) {
	return c.ReadWebhook(payment.Webhook{Body: body, Header: func(name string) string {
		if name == gateway.SignatureHeader {
			return signature
		}
		return ""
	}})
}

// isProven reports whether a proof of payment is accepted. Any other is a wrong signature, or has
// too few parts.
func isProven(c *gateway.Client, orderID, paymentID, signature string) bool {
	paid, err := c.CheckProof(context.Background(), payment.Proof{OrderID: orderID,
		PaymentID: paymentID, Signature: signature})
	isRefused := errors.Is(err, payment.ErrInvalidSignature) ||
		errors.Is(err, core.ErrInvalidRequest)
	if err != nil && !isRefused {
		panic(err)
	}
	return err == nil && paid.ID == paymentID && paid.Captured
}

// createOrder opens an order and returns its id.
func createOrder(ctx context.Context, c *gateway.Client, o payment.NewOrder) (string, error) {
	opened, err := c.CreateOrder(ctx, o)
	return opened.ID, err
}

// payments lists the payments of an order.
func payments(ctx context.Context, c *gateway.Client, orderID string) ([]payment.Payment, error) {
	report, err := c.Order(ctx, orderID)
	return report.Payments, err
}

// wrong returns invalid signatures, derived from a valid one.
func wrong(right string) map[string]string {
	flipped := strings.Map(func(r rune) rune {
		if r == '0' {
			return '1'
		}
		return '0'
	}, right)
	bytes, _ := hex.DecodeString(right)
	return map[string]string{
		"none": "", "one character": "a", "half": right[:32], "all but one": right[:63],
		"one more": right + "0", "twice": right + right,
		"very long": strings.Repeat(right, 20_000), "zeros": strings.Repeat("0", 64),
		"changed": flipped, "last changed": right[:63] + string(right[63]^1),
		"uppercase": strings.ToUpper(right), "raw bytes": string(bytes),
		"with space before": " " + right, "with line break": right + "\n",
		"with 0x": "0x" + right, "with sha256=": "sha256=" + right,
		"not hex": strings.Repeat("z", 64), "NUL": right[:63] + "\x00",
		"wide": strings.Repeat("ａ", 64),
	}
}

func TestSignatures_OfOpenSSL(t *testing.T) {
	c := newClient(t, "https://pay.example.com", gateway.WithWebhookSecrets("sesame of the hooks"))
	if !isProven(c, "order_1", "pay_1", opensslPayment) {
		t.Error("the payment's signature is rejected")
	}
	if !isSigned(c, []byte(`{"event":"payment.captured"}`), opensslWebhook) {
		t.Error("the webhook's signature is rejected")
	}
}

func TestVerifyPayment_InvalidSignature(t *testing.T) {
	c := newClient(t, "https://pay.example.com", gateway.WithWebhookSecrets("hooks"))
	right := hmacHex(keySecret, "order_1|pay_1")
	if !isProven(c, "order_1", "pay_1", right) {
		t.Error("the valid signature is rejected")
	}
	for name, signature := range wrong(right) {
		if isProven(c, "order_1", "pay_1", signature) {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, signature := range map[string]string{
		"of another order":    hmacHex(keySecret, "order_2|pay_1"),
		"of another payment":  hmacHex(keySecret, "order_1|pay_2"),
		"of both swapped":     hmacHex(keySecret, "pay_1|order_1"),
		"without the bar":     hmacHex(keySecret, "order_1pay_1"),
		"with another secret": hmacHex("hooks", "order_1|pay_1"),
		"with the public id":  hmacHex(keyID, "order_1|pay_1"),
		"with no secret":      hmacHex("", "order_1|pay_1"),
	} {
		if isProven(c, "order_1", "pay_1", signature) {
			t.Errorf("a signature %s: accepted", name)
		}
	}
}

// One signature must not stand for two pairs of ids.
func TestVerifyPayment_IDWithABar(t *testing.T) {
	c := newClient(t, "https://pay.example.com")
	for _, ids := range [][2]string{{"a|b", "c"}, {"a", "b|c"}, {"", "pay_1"}, {"order_1", ""},
		{"|", "|"}, {"", ""}} {
		if isProven(c, ids[0], ids[1], hmacHex(keySecret, ids[0]+"|"+ids[1])) {
			t.Errorf("%q: accepted", ids)
		}
	}
}

func TestVerifyWebhook_AnySecretAndTheExactBody(t *testing.T) {
	c := newClient(t, "https://pay.example.com", gateway.WithWebhookSecrets("new", "old"))
	body := `{"event":"payment.captured","note":"é ` + "\u2028" + `"}` + "\n"
	for _, secret := range []string{"new", "old"} {
		if !isSigned(c, []byte(body), hmacHex(secret, body)) {
			t.Errorf("signed with the %s secret: rejected", secret)
		}
	}
	for _, other := range []string{body + " ", strings.TrimSpace(body),
		strings.Replace(body, "é", `\u00e9`, 1), ""} {
		if isSigned(c, []byte(other), hmacHex("new", body)) {
			t.Errorf("another body is accepted: %q", other)
		}
	}
	for name, signature := range wrong(hmacHex("new", body)) {
		if isSigned(c, []byte(body), signature) {
			t.Errorf("%s: accepted", name)
		}
	}
	for _, secret := range []string{"", "oldest", keySecret, "new,old"} {
		if isSigned(c, []byte(body), hmacHex(secret, body)) {
			t.Errorf("signed with %q: accepted", secret)
		}
	}
}

func TestVerifyWebhook_WithoutASecret(t *testing.T) {
	c := newClient(t, "https://pay.example.com")
	for _, signature := range []string{"", hmacHex("", "{}"), hmacHex(keySecret, "{}")} {
		if isSigned(c, []byte("{}"), signature) {
			t.Errorf("%q: accepted", signature)
		}
	}
}

func FuzzVerify(f *testing.F) {
	c := newClient(f, "https://pay.example.com", gateway.WithWebhookSecrets("hooks"))
	f.Add("order_1", "pay_1", "00")
	f.Add("a|b", "c", strings.Repeat("0", 64))
	f.Fuzz(func(t *testing.T, order, payment, signature string) {
		right := hmacHex(keySecret, order+"|"+payment)
		bad := order == "" || payment == "" || strings.Contains(order+payment, "|")
		if isProven(c, order, payment, right) == bad {
			t.Error("wrong result for the valid signature")
		}
		if signature != right && isProven(c, order, payment, signature) {
			t.Error("an invalid payment signature is accepted")
		}
		if signature != hmacHex("hooks", order) && isSigned(c, []byte(order), signature) {
			t.Error("an invalid webhook signature is accepted")
		}
	})
}
