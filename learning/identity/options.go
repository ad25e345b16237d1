package identity

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/learning/core"
)

const maxLeeway = time.Minute

// VerifierOption changes a [Verifier] from its defaults.
type VerifierOption func(*settings)

type settings struct {
	nilOptions nilarg.Options

	issuer    string
	audience  []string
	parties   parties
	role      func(claims map[string]any) core.Role
	leeway    time.Duration
	gap       time.Duration
	maxAge    time.Duration
	memory    int
	clock     core.Clock
	transport http.RoundTripper
	timeout   time.Duration
}

// WithIssuer requires that "iss" is exactly this value. It should be set, because a
// provider may serve several tenants with the same keys, and without it the tokens of all
// tenants are accepted.
func WithIssuer(issuer string) VerifierOption { return func(s *settings) { s.issuer = issuer } }

// WithAudience requires that "aud" names one of these.
func WithAudience(audience ...string) VerifierOption {
	return func(s *settings) { s.audience = audience }
}

// WithAuthorizedParties requires that "azp", the origin of the front end that the
// token was issued to, is one of these. A token without it is refused.
func WithAuthorizedParties(origins ...string) VerifierOption {
	return func(s *settings) { s.parties = parties{accepted: origins} }
}

// WithAuthorizedPartiesIfPresent requires that the "azp" of a token that has one is
// one of these. A token without the claim is accepted, because not every provider sends
// it.
func WithAuthorizedPartiesIfPresent(origins ...string) VerifierOption {
	return func(s *settings) { s.parties = parties{accepted: origins, optional: true} }
}

// parties are the accepted values of "azp". If there are none, every value is accepted.
type parties struct {
	accepted []string
	optional bool // a token without the claim is accepted
}

// accept reports whether a token with these claims was issued to an accepted party.
func (p parties) accept(c jwt.MapClaims) bool {
	if len(p.accepted) == 0 { // the check is not configured
		return true
	}
	claim := c["azp"]
	if claim == nil {
		return p.optional
	}
	azp, _ := claim.(string) // "" for a claim of another type
	return azp != "" && slices.Contains(p.accepted, azp)
}

// WithRole sets how the role is read from the verified claims of a token, which are decoded
// JSON. The default reads "metadata.role". A token without a statement about roles should
// have the role "". A role that the platform does not know counts as [core.Student].
func WithRole(role func(claims map[string]any) core.Role) VerifierOption {
	return func(s *settings) { s.role = nilarg.Given(&s.nilOptions, "WithRole", role) }
}

// WithLeeway sets how far "nbf" and "iat" of a token may be ahead of the clock. The
// default is 5 seconds, and the maximum a minute. "exp" has no leeway: a token is expired from
// the second of its "exp" on.
func WithLeeway(d time.Duration) VerifierOption { return func(s *settings) { s.leeway = d } }

// WithRefetchGap sets the minimum time between two fetches that unknown key ids cause. The
// default is 30 seconds. It exists because anyone can send tokens with unknown key ids.
// Before the first successful fetch it is one second, so that a provider that starts late
// is found soon.
func WithRefetchGap(d time.Duration) VerifierOption { return func(s *settings) { s.gap = d } }

// WithMaxAge sets how long the keys are used without being fetched again. The default is
// 10 minutes. After half of that time they are fetched in the background, and after all of
// it before the next token is verified. If the provider cannot be reached, the keys stay in
// use, so that users stay signed in.
func WithMaxAge(d time.Duration) VerifierOption { return func(s *settings) { s.maxAge = d } }

// WithMemory sets the size of the cache of verified tokens. The default is 10,000 tokens
// of some hundred bytes each. 0 disables the cache.
func WithMemory(tokens int) VerifierOption { return func(s *settings) { s.memory = tokens } }

// WithClock sets the clock, for tests.
func WithClock(c core.Clock) VerifierOption {
	return func(s *settings) { s.clock = nilarg.Given(&s.nilOptions, "WithClock", c) }
}

// WithKeyTransport sets the transport of the requests for the keys. The default, also if t is nil,
// is [http.DefaultTransport].
func WithKeyTransport(t http.RoundTripper) VerifierOption {
	return func(s *settings) {
		if t != nil {
			s.transport = nilarg.Given(&s.nilOptions, "WithKeyTransport", t)
		}
	}
}

// WithKeyTimeout bounds one fetch of the keys. The default is 5 seconds.
func WithKeyTimeout(d time.Duration) VerifierOption { return func(s *settings) { s.timeout = d } }

// newSettings applies the options to the defaults and validates the result.
func newSettings(opts []VerifierOption) (settings, error) {
	s := settings{role: metadataRole, leeway: 5 * time.Second, gap: 30 * time.Second,
		maxAge: 10 * time.Minute, memory: 10_000,
		clock: systemClock{}, timeout: 5 * time.Second}
	err := nilarg.Apply("identity", &s, opts)
	if err == nil {
		err = s.nilOptions.Err("identity")
	}
	if err != nil {
		return s, err
	}
	if s.leeway < 0 || s.leeway > maxLeeway {
		return s, fmt.Errorf("identity: leeway %v: it must be between 0 and %v", s.leeway,
			maxLeeway)
	}
	// A maximum age below the gap could not be kept, because it asks for fetches that are too soon.
	if s.gap <= 0 || s.maxAge < s.gap || s.timeout <= 0 {
		return s,
			errors.New(
				"identity: refetch gap and time-out must be longer than zero, and the maximum age " +
					"at least the gap")
	}
	return s, nil
}

// rules returns the rules that the JWT library checks. The list of algorithms is fixed, so
// that a token cannot choose how it is verified.
func (s settings) rules() []jwt.ParserOption {
	rules := []jwt.ParserOption{
		jwt.WithValidMethods([]string{rs256, es256}),
		jwt.WithExpirationRequired(),
		jwt.WithIssuedAt(), // a token issued in the future is rejected
		jwt.WithLeeway(s.leeway),
		jwt.WithTimeFunc(s.clock.Now),
		jwt.WithStrictDecoding(), // refuses a second spelling of the same token in base64
		jwt.WithIssuer(s.issuer), // "" disables the check
	}
	if len(s.audience) > 0 {
		rules = append(rules, jwt.WithAudience(s.audience...))
	}
	return rules
}

// systemClock is the clock of the machine, which is the default.
type systemClock struct{}

// Now returns the present time.
func (systemClock) Now() time.Time { return time.Now() }
