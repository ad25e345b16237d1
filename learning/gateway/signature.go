package gateway

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// VerifyPayment implements [sale.PaymentVerifier]. The signature is the HMAC-SHA256 of
// "<order id>|<payment id>", keyed with the key secret, in lowercase hex (docs/api.md §6).
// VerifyPayment returns false for any other text, and if an id is empty or contains "|",
// because order "a|b" with payment "c" has the same signature as "a" with "b|c".
func (c *Client) VerifyPayment(orderID, paymentID, signature string) bool {
	if orderID == "" || paymentID == "" || strings.Contains(orderID+paymentID, "|") {
		return false
	}
	return signed(c.keySecret, []byte(orderID+"|"+paymentID), signature)
}

// hasSigned reports whether the signature of a webhook was made with one of the webhook secrets.
// Without secrets none is right.
func (c *Client) hasSigned(body []byte, signature string) bool {
	for _, secret := range c.webhookSecrets {
		if signed(secret, body, signature) {
			return true
		}
	}
	return false
}

// signed reports whether signature is the HMAC-SHA256 of message with a secret. It compares in
// constant time, so that the time says nothing about the right signature. It compares the hex text
// instead of the decoded bytes, because the signature must be lowercase: a body then has exactly
// one valid signature.
func signed(secret string, message []byte, signature string) bool {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(message)
	return hmac.Equal([]byte(hex.EncodeToString(mac.Sum(nil))), []byte(signature))
}
