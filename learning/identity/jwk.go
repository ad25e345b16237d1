package identity

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math/big"
	"slices"
	"strings"
)

// The supported algorithms, by their names in RFC 7518.
const (
	rs256 = "RS256"
	es256 = "ES256"
)

// The sizes of RSA moduli, in bits: smaller ones are insecure, and larger ones are too
// expensive to verify.
const (
	minModulus = 2048
	maxModulus = 8192
)

// jwk is a public key in the format of RFC 7517, without fields for private keys.
type jwk struct {
	Kty, Kid, Use, Alg, Crv string
	N, E                    string // RSA
	X, Y                    string // EC
}

// parseKeySet returns the keys that can verify session tokens. It skips all other keys,
// because a provider may publish keys for other uses. A set without a usable key is an
// error, so that an invalid answer does not replace keys.
func parseKeySet(body []byte) (map[keyID]crypto.PublicKey, error) {
	var set struct{ Keys []json.RawMessage }
	if json.Unmarshal(body, &set) != nil {
		return nil, errors.New("read the keys: not a JSON key set")
	}
	found := map[keyID]crypto.PublicKey{}
	for _, raw := range set.Keys {
		var k jwk
		if json.Unmarshal(raw, &k) != nil || k.Kid == "" || (k.Use != "" && k.Use != "sig") {
			continue
		}
		if alg, public := k.public(); public != nil && (k.Alg == "" || k.Alg == alg) {
			found[keyID{k.Kid, alg}] = public
		}
	}
	if len(found) == 0 {
		return nil, errors.New("read the keys: none of them can verify an RS256 or ES256 token")
	}
	return found, nil
}

// public returns the key and its algorithm; nil if the key is not usable.
func (k jwk) public() (alg string, public crypto.PublicKey) {
	switch {
	case k.Kty == "RSA":
		return rs256, k.rsa()
	case k.Kty == "EC" && k.Crv == "P-256":
		return es256, k.p256()
	}
	return "", nil
}

func (k jwk) rsa() crypto.PublicKey {
	n, e := new(big.Int).SetBytes(decode(k.N)), new(big.Int).SetBytes(decode(k.E))
	if n.BitLen() < minModulus || n.BitLen() > maxModulus || e.BitLen() > 31 || e.Int64() < 3 || e.Bit(0) == 0 {
		return nil
	}
	return &rsa.PublicKey{N: n, E: int(e.Int64())}
}

func (k jwk) p256() crypto.PublicKey {
	const size = 32 // RFC 7518, 6.2.1.2: leading zeros are kept
	x, y := decode(k.X), decode(k.Y)
	if len(x) != size || len(y) != size {
		return nil
	}
	point, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, x, y))
	if err != nil { // not on the curve
		return nil
	}
	return point
}

// decode decodes base64url with or without padding. It returns an empty slice for invalid
// text, which no key accepts.
func decode(s string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		return nil
	}
	return b
}
