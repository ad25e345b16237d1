package contracttest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

// mac returns the HMAC-SHA256 of a text in lower-case hex.
func mac(secret, text string) string {
	h := hmac.New(sha256.New, []byte(secret))
	h.Write([]byte(text))
	return hex.EncodeToString(h.Sum(nil))
}

// standardSignature returns the signature of a text as Standard Webhooks defines it. secret is the
// key in base64 after "whsec_".
func standardSignature(tb testing.TB, secret, text string) string {
	tb.Helper()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	check(tb, err)
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}
