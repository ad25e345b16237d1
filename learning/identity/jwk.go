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

// The algorithms that are believed, with the names of RFC 7518.
const (
	rs256 = "RS256"
	es256 = "ES256"
)

// The sizes of RSA moduli, in bits: smaller ones can be broken, larger ones cost
// too much to check.
const (
	minModulus = 2048
	maxModulus = 8192
)

// jwk is a public key as RFC 7517 writes it; private parts are not read.
type jwk struct {
	Kty, Kid, Use, Alg, Crv string
	N, E                    string // RSA
	X, Y                    string // EC
}

// parseKeySet reads the keys that can check a session token. A key that cannot,
// or makes no sense, is passed over: a provider may publish others beside them. A
// set with none left is an error, so that a broken answer never replaces keys.
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
		return nil, errors.New("read the keys: none of them can check an RS256 or ES256 token")
	}
	return found, nil
}

// public is the key and the one algorithm it is good for, or nil.
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
	const size = 32 // RFC 7518, 6.2.1.2: always the full size
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

// decode reads base64url, with the padding that some providers write. What cannot
// be read is empty, which no key may be.
func decode(s string) []byte {
	b, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(s, "="))
	if err != nil {
		return nil
	}
	return b
}
