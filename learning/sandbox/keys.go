package sandbox

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"sync"
)

// Key is the public half of a signing key that the provider publishes.
type Key struct {
	ID     string           // the kid of the tokens it signed
	Alg    string           // RS256 or ES256
	Public crypto.PublicKey // *rsa.PublicKey (2048 bits) or *ecdsa.PublicKey (P-256)
}

// Keys returns the published keys.
func (i *Identity) Keys() []Key {
	var out []Key
	i.state.read(func(r *records) {
		for _, k := range r.Keys {
			out = append(out, Key{ID: k.ID, Alg: k.Alg, Public: k.private.Public()})
		}
	})
	return out
}

// RotateKeys replaces the published keys by a new RS256 and a new ES256 key, with which tokens are
// signed from now on. Tokens that the previous keys signed become invalid.
func (i *Identity) RotateKeys() error {
	private, err := newRSAKey()
	if err != nil {
		return err
	}
	return i.setKeys(private)
}

// setKeys publishes an RS256 key and a new ES256 key, in place of the previous ones.
func (i *Identity) setKeys(private *rsa.PrivateKey) error {
	keys, err := newKeys(private)
	if err != nil {
		return err
	}
	return i.state.change(func(r *records) error { r.Keys = keys; return nil })
}

// signingKey is a key pair. The state file has the private half as PKCS #8.
type signingKey struct {
	ID, Alg string
	private crypto.Signer
}

type keyRecord struct {
	ID, Alg string
	PKCS8   []byte
}

// MarshalJSON encodes the key with its private half, for the state file.
func (k *signingKey) MarshalJSON() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(k.private)
	if err != nil {
		return nil, fmt.Errorf("encode signing key: %w", err)
	}
	return json.Marshal(keyRecord{ID: k.ID, Alg: k.Alg, PKCS8: der})
}

// UnmarshalJSON decodes a key of the state file.
func (k *signingKey) UnmarshalJSON(b []byte) error {
	var rec keyRecord
	if err := json.Unmarshal(b, &rec); err != nil {
		return err
	}
	signer, err := parseSigner(rec.PKCS8)
	if err != nil {
		return fmt.Errorf("decode signing key: %w", err)
	}
	k.ID = rec.ID
	k.Alg = rec.Alg
	k.private = signer
	return nil
}

// parsedSigners are the keys that this process has read, by their PKCS #8. Tests open thousands
// of sandboxes with copies of one state file, and checking an RSA key takes long.
var parsedSigners sync.Map

// parseSigner returns the key in PKCS #8, the same one for the same bytes.
func parseSigner(pkcs8 []byte) (crypto.Signer, error) {
	if known, ok := parsedSigners.Load(string(pkcs8)); ok {
		return known.(crypto.Signer), nil
	}
	key, err := x509.ParsePKCS8PrivateKey(pkcs8)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(crypto.Signer)
	if !ok {
		return nil, errors.New("the key cannot sign")
	}
	parsedSigners.Store(string(pkcs8), signer)
	return signer, nil
}

// firstRSAKey returns the RSA key with which every new sandbox of a process starts. They
// share it because tests open many sandboxes, and generating a key takes a large part of a
// second. A token of one sandbox is still invalid for another, because the key ids differ.
var firstRSAKey = sync.OnceValues(newRSAKey)

// newRSAKey generates an RSA key for RS256, which takes a large part of a second.
func newRSAKey() (*rsa.PrivateKey, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, fmt.Errorf("generate an RS256 key: %w", err)
	}
	return key, nil
}

// newKeys returns an RSA key under a new id, and a new ES256 key.
func newKeys(private *rsa.PrivateKey) ([]*signingKey, error) {
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate an ES256 key: %w", err)
	}
	return []*signingKey{{ID: newID("rs256_"), Alg: "RS256", private: private},
		{ID: newID("es256_"), Alg: "ES256", private: e}}, nil
}

// signer returns the key for an algorithm, or nil. newKeys makes one for each, RS256 and ES256; if
// the state file has more, the last one signs.
func (r *records) signer(alg string) *signingKey {
	for i := len(r.Keys) - 1; i >= 0; i-- {
		if r.Keys[i].Alg == alg {
			return r.Keys[i]
		}
	}
	return nil
}

// jwk is a public key in the format of RFC 7517 and RFC 7518 §6.
type jwk struct {
	Kty string `json:"kty"`
	Kid string `json:"kid"`
	Use string `json:"use"`
	Alg string `json:"alg"`
	N   string `json:"n,omitempty"`
	E   string `json:"e,omitempty"`
	Crv string `json:"crv,omitempty"`
	X   string `json:"x,omitempty"`
	Y   string `json:"y,omitempty"`
}

// newJWK returns the published form of a key. RSA and ECDSA on P-256 are the only kinds of a Key.
func newJWK(k Key) (jwk, error) {
	b64 := base64.RawURLEncoding.EncodeToString
	out := jwk{Kid: k.ID, Use: "sig", Alg: k.Alg}
	// The names of the parameters are those of RFC 7518.
	switch pub := k.Public.(type) {
	case *rsa.PublicKey:
		out.Kty = "RSA"
		out.N = b64(pub.N.Bytes())
		out.E = b64(big.NewInt(int64(pub.E)).Bytes())
	case *ecdsa.PublicKey:
		point, err := pub.Bytes() // 4, then both coordinates at full length
		if err != nil {
			return jwk{}, fmt.Errorf("encode ES256 key: %w", err)
		}
		half := 1 + len(point)/2
		out.Kty = "EC"
		out.Crv = "P-256"
		out.X = b64(point[1:half])
		out.Y = b64(point[half:])
	}
	return out, nil
}

// serveKeys answers the set of the published keys.
func (i *Identity) serveKeys(w http.ResponseWriter, _ *http.Request) {
	set := struct {
		Keys []jwk `json:"keys"`
	}{[]jwk{}} // [] in JSON without keys, as a precaution: newIdentity makes some
	for _, k := range i.Keys() {
		j, err := newJWK(k)
		if err != nil {
			identityError(w, http.StatusInternalServerError, "internal_error", err.Error())
			return
		}
		set.Keys = append(set.Keys, j)
	}
	writeJSON(w, http.StatusOK, set)
}
