package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// VerifyPayment implements [learning.PaymentVerifier]: the signature is the HMAC
// with SHA-256 of "<order id>|<payment id>", keyed with the key secret, in
// lowercase hex (docs/api.md §6). Any other text of
// any length returns false. An id with a "|" is refused, and so is an empty one: the
// signature of order "a|b" and payment "c" is also that of "a" and "b|c".
func (c *Client) VerifyPayment(orderID, paymentID, signature string) bool {
	if orderID == "" || paymentID == "" || strings.Contains(orderID+paymentID, "|") {
		return false
	}
	return signed(c.keySecret, []byte(orderID+"|"+paymentID), signature)
}

// VerifyWebhook implements [learning.PaymentVerifier]: the signature is the HMAC
// with SHA-256 of the exact body, keyed with any of the webhook secrets, in
// lowercase hex.
func (c *Client) VerifyWebhook(body []byte, signature string) bool {
	for _, secret := range c.webhookSecrets {
		if signed(secret, body, signature) {
			return true
		}
	}
	return false
}

// signed compares in constant time. It compares the hex text instead of the decoded bytes,
// because the signature must be lowercase: a body then has exactly one valid signature.
func signed(secret string, message []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(message)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}
