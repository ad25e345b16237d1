package gateway

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/payment"
)

// CheckProof implements [payment.Provider], without a request. The signature is the HMAC-SHA256 of
// "<order id>|<payment id>", keyed with the key secret, in lowercase hex (docs/api.md §6). Any
// other text is wrong, and so is an id that contains "|", because order "a|b" with payment "c" has
// the same signature as "a" with "b|c". It returns [core.ErrInvalidRequest] if a part is missing.
func (c *Client) CheckProof(_ context.Context, p payment.Proof) (payment.Payment, error) {
	err := cmp.Or(
		core.Require(p.OrderID != "", "gateway_order_id", isMissing),
		core.Require(p.PaymentID != "", "gateway_payment_id", isMissing),
		core.Require(p.Signature != "", "gateway_signature", isMissing))
	if err != nil {
		return payment.Payment{}, err
	}
	if strings.Contains(p.OrderID+p.PaymentID, "|") ||
		!signed(c.keySecret, []byte(p.OrderID+"|"+p.PaymentID), p.Signature) {
		return payment.Payment{}, payment.ErrInvalidSignature
	}
	return payment.Payment{ID: p.PaymentID, OrderID: p.OrderID, Captured: true}, nil
}

const isMissing = "is required"

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
