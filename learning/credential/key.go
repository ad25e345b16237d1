package credential

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"

	"github.com/go-jose/go-jose/v4"
)

// The sizes of RSA moduli, in bits: smaller ones are insecure, and verifiers refuse
// larger ones.
const (
	minModulus = 2048
	maxModulus = 8192
)

// key is a public key and its algorithm.
type key struct {
	jwk
	public crypto.PublicKey
}

// jwk is a public key in the format of RFC 7517 and RFC 8037. It has no fields for private
// keys. Its members are published in this order, which that of go-jose is not.
type jwk struct {
	Kty string `json:"kty"`
	Crv string `json:"crv,omitempty"`
	X   string `json:"x,omitempty"`
	Y   string `json:"y,omitempty"`
	N   string `json:"n,omitempty"`
	E   string `json:"e,omitempty"`
	Use string `json:"use,omitempty"`
	Alg string `json:"alg"`
	Kid string `json:"kid,omitempty"`
}

// newKey returns the key of a public key, with its algorithm. It returns an error for a key that is
// not ECDSA on P-256, RSA or Ed25519, and for an RSA key of an unusual size or exponent.
func newKey(public crypto.PublicKey) (key, error) {
	k := key{public: public}
	switch p := public.(type) {
	case *ecdsa.PublicKey:
		if p.Curve != elliptic.P256() {
			return key{}, errors.New("an ECDSA key must be on the curve P-256")
		}
		point, err := p.Bytes() // the byte 4, then X and Y of 32 bytes each, with leading zeros
		if err != nil {
			return key{}, fmt.Errorf("read an ECDSA key: %w", err)
		}
		k.jwk = jwk{Kty: "EC", Crv: "P-256", X: base64url(point[1:33]), Y: base64url(point[33:]),
			Alg: "ES256"}
	case *rsa.PublicKey:
		if p.N == nil || p.N.BitLen() < minModulus || p.N.BitLen() > maxModulus || p.E < 3 ||
			p.E%2 == 0 {
			return key{},
				fmt.Errorf("an RSA key must have %d to %d bits, and an odd exponent above 1",
					minModulus, maxModulus)
		}
		k.jwk = jwk{Kty: "RSA", N: base64url(p.N.Bytes()),
			E: base64url(big.NewInt(int64(p.E)).Bytes()), Alg: "RS256"}
	case ed25519.PublicKey:
		if len(p) != ed25519.PublicKeySize {
			return key{}, errors.New("an Ed25519 key must have 32 bytes")
		}
		k.jwk = jwk{Kty: "OKP", Crv: "Ed25519", X: base64url(p), Alg: "EdDSA"}
	default:
		return key{}, fmt.Errorf("a key must be ECDSA on P-256, RSA or Ed25519, this one is %T",
			public)
	}
	return k, nil
}

// thumbprint returns the thumbprint of RFC 7638, which is the id of the key: equal keys have equal
// ones.
func (k key) thumbprint() string {
	sum, err := (&jose.JSONWebKey{Key: k.public}).Thumbprint(crypto.SHA256)
	if err != nil {
		panic(err) // newKey accepts no key of another kind
	}
	return base64url(sum)
}

// published returns the key in JSON, as verifiers get it. kid is the URL of the key.
func (k key) published(kid string) []byte {
	k.Use, k.Kid = "sig", kid // k is a copy
	body, err := json.Marshal(k.jwk)
	if err != nil {
		panic(err) // strings always encode
	}
	return body
}

func base64url(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
