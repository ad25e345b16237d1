package identity

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/go-jose/go-jose/v4"
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

// parseKeySet returns the keys that can verify session tokens. It skips all other keys,
// because a provider may publish keys for other uses. A set without a usable key is an
// error, so that an invalid answer does not replace keys.
func parseKeySet(body []byte) (map[keyID]crypto.PublicKey, error) {
	// Not a jose.JSONWebKeySet, because one invalid key makes that fail.
	var set struct{ Keys []json.RawMessage }
	if json.Unmarshal(body, &set) != nil {
		return nil, errors.New("read the keys: not a JSON key set")
	}
	found := map[keyID]crypto.PublicKey{}
	for _, raw := range set.Keys {
		k, err := parseKey(raw)
		if err != nil || k.KeyID == "" { // invalid, or without the id by which tokens name it
			continue
		}
		// The use and the algorithm are optional, but must fit if the key says them.
		isForSignatures := k.Use == "" || k.Use == "sig"
		alg := algorithm(k.Key)
		hasAlgorithm := alg != "" && (k.Algorithm == "" || k.Algorithm == alg)
		if isForSignatures && hasAlgorithm {
			found[keyID{k.KeyID, alg}] = k.Key
		}
	}
	if len(found) == 0 {
		return nil, errors.New("read the keys: none of them can verify an RS256 or ES256 token")
	}
	return found, nil
}

// jwk is the part of a key in the format of RFC 7517 that is used: nothing of private keys, and no
// certificates.
type jwk struct {
	Kty string `json:"kty"`
	Kid string `json:"kid"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	Crv string `json:"crv,omitempty"`
	N   string `json:"n,omitempty"`
	E   string `json:"e,omitempty"`
	X   string `json:"x,omitempty"`
	Y   string `json:"y,omitempty"`
}

// parseKey reads a key. It removes the padding of base64 from its numbers, which some providers
// write and go-jose refuses.
func parseKey(raw []byte) (parsed jose.JSONWebKey, err error) {
	var k jwk
	if err := json.Unmarshal(raw, &k); err != nil {
		return parsed, err
	}
	for _, number := range []*string{&k.N, &k.E, &k.X, &k.Y} {
		*number = strings.TrimRight(*number, "=")
	}
	used, err := json.Marshal(k)
	if err != nil {
		return parsed, err
	}
	err = parsed.UnmarshalJSON(used)
	return parsed, err
}

// algorithm returns the algorithm of the tokens that a key may verify, or "" for a key that may
// verify none: one of another type, curve or size.
func algorithm(public crypto.PublicKey) string {
	switch k := public.(type) {
	case *rsa.PublicKey:
		isSized := minModulus <= k.N.BitLen() && k.N.BitLen() <= maxModulus
		// Package crypto/rsa verifies with no other exponents.
		hasExponent := 3 <= k.E && k.E <= math.MaxInt32 && k.E%2 == 1
		if isSized && hasExponent {
			return rs256
		}
	case *ecdsa.PublicKey:
		if k.Curve == elliptic.P256() {
			return es256
		}
	}
	return ""
}
