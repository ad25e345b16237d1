package credential

import (
	"crypto"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning"
)

// Issuer signs credentials and status lists. Make one with [New]; it is safe for
// concurrent use.
type Issuer struct {
	base    string // of all addresses, without a slash at its end
	profile profile
	about   func(learning.Certificate) Achievement
	signer  crypto.Signer
	key     key    // its public half
	kid     string // names it in headers
	retired []crypto.PublicKey
	public  []learning.PublicKey
	hands   chan struct{} // one for each signature that is being made
}

var _ learning.CredentialIssuer = (*Issuer)(nil)

// Option is something that an issuer has a default for.
type Option func(*Issuer)

// WithHomepage sets the page that people are shown about the issuer; without it
// that is the issuer's URL.
func WithHomepage(url string) Option { return func(i *Issuer) { i.profile.URL = url } }

// WithImage sets the URL of the issuer's logo, a PNG or SVG.
func WithImage(url string) Option {
	return func(i *Issuer) { i.profile.Image = &image{ID: url, Type: "Image"} }
}

// WithRetiredKeys publishes keys that have signed before, so that what they signed
// can still be verified. They sign nothing any more.
func WithRetiredKeys(keys ...crypto.PublicKey) Option {
	return func(i *Issuer) { i.retired = append(i.retired, keys...) }
}

// WithAchievement sets what is said about the course of a certificate, beyond its
// title. It must say the same each time, and of one course the same to everybody.
func WithAchievement(about func(learning.Certificate) Achievement) Option {
	return func(i *Issuer) { i.about = about }
}

// maxHands is how many signatures are made at once: so many may hang when a key in
// another machine does.
const maxHands = 8

// New makes an issuer that signs with a key: ECDSA on P-256, RSA of 2048 to 8192
// bits, which is what every Open Badges verifier takes, or Ed25519. The issuer is
// known by issuerURL, and keeps that name: it is the http(s) URL under which the
// handler of package httpapi is reached, since credentials name addresses there.
func New(signer crypto.Signer, issuerURL string, opts ...Option) (*Issuer, error) {
	if signer == nil {
		return nil, errors.New("credential: an issuer needs a key")
	}
	u, err := provider.URL(issuerURL)
	if err != nil || u.RawQuery != "" || u.User != nil {
		return nil, errors.New("credential: the issuer URL must be an absolute http or https URL without a query, such as https://api.example.org")
	}
	i := &Issuer{base: strings.TrimRight(issuerURL, "/"), about: Completion, signer: signer, hands: make(chan struct{}, maxHands)}
	i.profile = profile{ID: i.base, Type: []string{"Profile"}, URL: i.base}
	for _, opt := range opts {
		opt(i)
	}
	if i.about == nil {
		return nil, errors.New("credential: WithAchievement needs a function")
	}
	if err := i.publish(); err != nil {
		return nil, err
	}
	return i, nil
}

// publish makes the keys ready for verifiers, each once.
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
		if n == 0 {
			i.key, i.kid = k, i.keyURL(id)
		}
		if !seen[id] {
			seen[id] = true
			i.public = append(i.public, learning.PublicKey{ID: id, JWK: k.published(i.keyURL(id))})
		}
	}
	return nil
}

// CheckKey tells why a key cannot be used, or used before; nil when it can.
func CheckKey(public crypto.PublicKey) error {
	if _, err := newKey(public); err != nil {
		return fmt.Errorf("credential: %w", err)
	}
	return nil
}

// PublicKeys are the key that signs and, behind it, the retired ones.
func (i *Issuer) PublicKeys() []learning.PublicKey { return i.public }

// The addresses of what belongs to credentials, as package httpapi serves them.

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
