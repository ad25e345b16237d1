package credential

import (
	"crypto"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning/certify"
)

// Issuer signs credentials and status lists. Create one with [New]. It is safe for
// concurrent use.
type Issuer struct {
	nilOptions nilarg.Options

	base    string // of all URLs, without a slash at its end
	profile profile
	about   func(certify.Certificate) Achievement
	signer  crypto.Signer
	key     key    // the public key of signer
	kid     string // the URL of key, which names it in the headers of tokens
	retired []crypto.PublicKey
	public  []certify.PublicKey // key and the retired ones, as verifiers get them
	slots   chan struct{}       // one for each signature in progress
}

var _ certify.CredentialIssuer = (*Issuer)(nil)

// Option changes an [Issuer] from its defaults.
type Option func(*Issuer)

// WithHomepage sets the URL of a page about the issuer. The default is the issuer's URL.
func WithHomepage(url string) Option { return func(i *Issuer) { i.profile.URL = url } }

// WithImage sets the URL of the issuer's logo, a PNG or SVG.
func WithImage(url string) Option {
	return func(i *Issuer) { i.profile.Image = &image{ID: url, Type: "Image"} }
}

// WithRetiredKeys publishes earlier keys, so that what they have signed can be verified.
// They do not sign.
func WithRetiredKeys(keys ...crypto.PublicKey) Option {
	return func(i *Issuer) {
		for _, key := range keys {
			nilarg.Given(&i.nilOptions, "WithRetiredKeys", key)
		}
		i.retired = append(i.retired, keys...)
	}
}

// WithAchievement sets the function that describes the course of a certificate. It must
// return the same for all certificates of a course, at every call.
func WithAchievement(about func(certify.Certificate) Achievement) Option {
	return func(i *Issuer) { i.about = nilarg.Given(&i.nilOptions, "WithAchievement", about) }
}

// maxSlots is the maximum of concurrent signatures. It bounds the goroutines that hang if
// a remote key does not answer.
const maxSlots = 8

// New returns an issuer that signs with a key: ECDSA on P-256, RSA of 2048 to 8192
// bits, which every Open Badges verifier supports, or Ed25519. issuerURL identifies
// the issuer and must not change. It must be the http(s) URL of the handler of package
// httpapi, because credentials contain URLs of it. New returns an error if the key, a retired
// key, the URL or an option is not valid. It does not sign.
func New(signer crypto.Signer, issuerURL string, opts ...Option) (*Issuer, error) {
	if nilarg.Is(signer) {
		return nil, errors.New("credential: the key that signs is nil")
	}
	// Credentials contain URLs that begin with it, so it has neither a query nor a user.
	u, err := provider.URL(issuerURL)
	if err != nil || u.RawQuery != "" || u.User != nil {
		return nil,
			errors.New(
				"credential: the issuer URL must be an absolute http or https URL without a " +
					"query, such as https://api.example.org")
	}
	i := &Issuer{base: strings.TrimRight(issuerURL, "/"), about: Completion, signer: signer,
		slots: make(chan struct{}, maxSlots)}
	i.profile = profile{ID: i.base, Type: []string{"Profile"}, URL: i.base}
	err = nilarg.Apply("credential", i, opts)
	if err == nil {
		err = i.nilOptions.Err("credential")
	}
	if err != nil {
		return nil, err
	}
	// Verifiers need the public key. This also checks the keys, and chooses the algorithm.
	if err := i.publish(); err != nil {
		return nil, err
	}
	return i, nil
}

// publish sets the key that signs, and adds it and then the retired keys to the published ones,
// without duplicates.
func (i *Issuer) publish() error {
	seen := map[string]bool{}
	for n, public := range append([]crypto.PublicKey{i.signer.Public()}, i.retired...) {
		k, err := newKey(public)
		if err != nil && n > 0 {
			return fmt.Errorf("credential: retired key %d: %w", n, err)
		}
		if err != nil {
			return fmt.Errorf("credential: %w", err)
		}
		id := k.thumbprint()
		if n == 0 { // the key that signs
			i.key, i.kid = k, i.keyURL(id)
		}
		if !seen[id] { // the host may list the current key among the retired ones
			seen[id] = true
			i.public = append(i.public, certify.PublicKey{ID: id, JWK: k.published(i.keyURL(id))})
		}
	}
	return nil
}

// CheckKey returns an error if a public key cannot be used as a current or retired key.
func CheckKey(public crypto.PublicKey) error {
	if _, err := newKey(public); err != nil {
		return fmt.Errorf("credential: %w", err)
	}
	return nil
}

// PublicKeys returns the current key, followed by the retired ones. The caller must not change
// the slice.
func (i *Issuer) PublicKeys() []certify.PublicKey { return i.public }

// The URLs of keys, credentials and status lists, as package httpapi serves them.

func (i *Issuer) keyURL(id string) string { return i.base + "/api/certificate/key/" + id }

func (i *Issuer) credentialURL(id string) string {
	return i.base + "/api/certificate/" + url.PathEscape(id) + "/credential"
}

func (i *Issuer) verifyURL(id string) string {
	return i.base + "/api/certificate/verify/" + url.PathEscape(id)
}

func (i *Issuer) courseURL(id string) string { return i.base + "/api/course/" + url.PathEscape(id) }

func (i *Issuer) statusURL(list int64) string {
	return i.base + "/api/certificate/status/" + strconv.FormatInt(list, 10)
}
