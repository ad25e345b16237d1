package credential

import (
	"bytes"
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/cryptosigner"
	"github.com/golang-jwt/jwt/v5"
)

// header is the header of a JWT. Open Badges 3.0 allows no other members in it.
type header struct {
	Alg string `json:"alg"`
	Kid string `json:"kid"`
	Typ string `json:"typ"`
}

// sign encodes claims and signs them. It returns a JWT in compact form; typ is the type in its
// header. It verifies the signature first, and returns an error if that fails.
func (i *Issuer) sign(ctx context.Context, typ string, claims any) (string, error) {
	head, err := encode(header{Alg: i.key.Alg, Kid: i.kid, Typ: typ})
	if err != nil {
		return "", err
	}
	body, err := encode(claims)
	if err != nil {
		return "", err
	}
	input := base64url(head) + "." + base64url(body)
	signature, err := i.signature(ctx, []byte(input))
	if err != nil {
		return "", err
	}
	// Find a wrong key or a defective signer here, before a verifier does.
	if err := jwt.GetSigningMethod(i.key.Alg).Verify(input, signature, i.key.public); err != nil {
		return "", errors.New("the key's signature does not match its public key")
	}
	return input + "." + base64url(signature), nil
}

// encode returns v as JSON, without escapes for HTML and without a line break at the end.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode a token: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// signature signs in another goroutine. A crypto.Signer has no context: if it takes too
// long, signature returns the error of ctx, and the goroutine keeps its slot until the signer
// returns.
func (i *Issuer) signature(ctx context.Context, input []byte) ([]byte, error) {
	// Wait for one of the slots, which the goroutine below gives back.
	select {
	case i.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the key: %w", ctx.Err())
	}
	type answer struct {
		signature []byte
		err       error
	}
	answered := make(chan answer, 1) // with room, so that the goroutine ends if nobody waits
	go func() {
		defer func() { <-i.slots }()
		signature, err := i.key.sign(i.signer, input)
		answered <- answer{signature, err}
	}()
	select {
	case a := <-answered:
		return a.signature, a.err
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for the key: %w", ctx.Err())
	}
}

// sign hashes input and returns the signature in the form that JWTs have (RFC 7518 and RFC 8037),
// which for ECDSA is not that of the signer. A panic of the signer is returned as an error, because
// in the goroutine of the caller it would end the process.
func (k key) sign(signer crypto.Signer, input []byte) (signature []byte, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = fmt.Errorf("the key panicked: %v", value)
		}
	}()
	alg := jose.SignatureAlgorithm(k.Alg)
	if signature, err = cryptosigner.Opaque(signer).SignPayload(input, alg); err != nil {
		return nil, fmt.Errorf("sign with the key: %w", err)
	}
	return signature, nil
}
