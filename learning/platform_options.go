package learning

import (
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Option is something that a platform can do without, or has a default for.
type Option func(*Platform)

// WithTokens sets who verifies session tokens. Without it nobody is signed in.
func WithTokens(v TokenVerifier) Option { return func(p *Platform) { p.tokens = v } }

// WithRoles sets where roles are granted.
func WithRoles(g RoleGranter) Option { return func(p *Platform) { p.roles = g } }

// WithWebhooks sets the verifier of the webhooks of the identity provider.
func WithWebhooks(v WebhookVerifier) Option { return func(p *Platform) { p.webhooks = v } }

// WithGateway sets the payment gateway. Without it only free courses can be had.
func WithGateway(g Gateway) Option { return func(p *Platform) { p.gateway = g } }

// WithMedia sets where thumbnails and certificates are kept.
func WithMedia(m Media) Option { return func(p *Platform) { p.media = m } }

// WithAI sets the language model that writes quizzes and roadmaps and answers in
// the chat. Without it those are not to be had.
func WithAI(a AI) Option { return func(p *Platform) { p.ai = a } }

// WithAITimeout bounds a call to the AI, with a second round when its first answer
// cannot be used; a minute without it. Claims last a little longer.
func WithAITimeout(d time.Duration) Option { return func(p *Platform) { p.aiTimeout = d } }

// WithAIBudget bounds what is spent on the AI in a day (UTC), in tokens read and
// written: by one person, and by everybody. 0 is no bound, as without this option. A
// call that was let in is finished, so each can be exceeded by the calls under way.
func WithAIBudget(person, platform int64) Option {
	return func(p *Platform) { p.personBudget, p.platformBudget = person, platform }
}

// WithCertificates sets who draws certificates, and the URL under which the API is
// reached from outside: the QR code of each certificate leads from there to its
// verification. Without it there are none to be had; those that were issued before
// are still verified.
func WithCertificates(r CertificateRenderer, publicURL string) Option {
	verifyURL := strings.TrimRight(publicURL, "/") + "/api/certificate/verify/"
	return func(p *Platform) { p.renderer, p.verifyURL = r, verifyURL }
}

// WithCredentials sets who signs certificates as Open Badges credentials. Without it
// there are none, and certificates are verified by their page alone.
func WithCredentials(i CredentialIssuer) Option { return func(p *Platform) { p.credentials = i } }

// WithName sets who certifies: what certificates are headed with, and verified by, from
// then on; "Open Lectern" without it. It has at most [MaxName] code points.
func WithName(name string) Option { return func(p *Platform) { p.name = name } }

// MaxName is the length of the longest name of a platform, in code points.
const MaxName = 200

// WithCurrency sets the ISO 4217 code of the one currency; INR without it.
func WithCurrency(code string) Option { return func(p *Platform) { p.currency = code } }

// WithProviderTimeout bounds each call to a provider; 10 seconds without it. The
// claim on an order being opened lasts a little longer.
func WithProviderTimeout(d time.Duration) Option { return func(p *Platform) { p.timeout = d } }

// WithLogger sets where the platform writes what nobody is told otherwise, such
// as a course that was paid twice. It logs ids and amounts, never secrets or
// addresses. Without it nothing is written.
func WithLogger(l *slog.Logger) Option { return func(p *Platform) { p.log = l } }

// WithClock sets the clock, for tests.
func WithClock(c Clock) Option { return func(p *Platform) { p.clock = c } }

// WithIDs sets how ids are made, for tests that want to know them. They must be
// unique and at most 40 characters, since a purchase's id is its receipt at the
// gateway. Without it they are UUIDs of version 7, which sort by time.
func WithIDs(newID func() string) Option { return func(p *Platform) { p.newID = newID } }

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func newID() string { return uuid.Must(uuid.NewV7()).String() }
