package credential

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"math/big"
	"testing"
)

func decoded(t *testing.T, s string) []byte {
	t.Helper()
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestThumbprint_ExamplesOfTheSpecifications(t *testing.T) {
	modulus := "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs" +
		"tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6" +
		"qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"
	for name, c := range map[string]struct {
		public crypto.PublicKey
		want   string
	}{
		"RFC 7638, 3.1": {&rsa.PublicKey{N: new(big.Int).SetBytes(decoded(t, modulus)), E: 65537},
			"NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"},
		"RFC 8037, A.3": {ed25519.PublicKey(decoded(t,
			"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")),
			"kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"},
	} {
		k, err := newKey(c.public)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.thumbprint(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestPublished_LeadingZerosAreKept(t *testing.T) {
	for { // until the key's X begins with a zero, which is so for one key in 256
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		point, err := private.PublicKey.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		if point[1] != 0 {
			continue
		}
		k, err := newKey(private.Public())
		if err != nil {
			t.Fatal(err)
		}
		if len(decoded(t, k.X)) != 32 || len(decoded(t, k.Y)) != 32 {
			t.Errorf("x %q, y %q", k.X, k.Y)
		}
		return
	}
}

func TestPublished_NoPrivateKey(t *testing.T) {
	k, err := newKey(ed25519.NewKeyFromSeed(make([]byte, 32)).Public())
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]string
	if err := json.Unmarshal(k.published("https://api.example.org/key"), &members); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"kty": "OKP", "crv": "Ed25519", "x": k.X, "use": "sig",
		"alg": "EdDSA", "kid": "https://api.example.org/key"}
	if len(members) != len(want) {
		t.Errorf("members %v", members)
	}
	for name, value := range want {
		if members[name] != value {
			t.Errorf("%s is %q, want %q", name, members[name], value)
		}
	}
}

func TestNewKey_InsecureKey(t *testing.T) {
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	one := big.NewInt(1)
	for name, public := range map[string]crypto.PublicKey{
		"P-384":      p384.Public(),
		"RSA, small": &rsa.PublicKey{N: new(big.Int).Lsh(one, minModulus-2), E: 65537},
		"RSA, large": &rsa.PublicKey{N: new(big.Int).Lsh(one, maxModulus), E: 65537},
		"RSA, empty": &rsa.PublicKey{},
		"RSA, E 1":   &rsa.PublicKey{N: new(big.Int).Lsh(one, minModulus), E: 1},
		"RSA, E 4":   &rsa.PublicKey{N: new(big.Int).Lsh(one, minModulus), E: 4},
		"Ed25519":    ed25519.PublicKey("short"),
		"secret":     []byte("a shared secret is no public key"),
		"nothing":    nil,
	} {
		if _, err := newKey(public); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
