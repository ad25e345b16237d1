package learningtest

import (
	"context"
	"maps"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/certificate"
	"github.com/openlectern/openlectern/learning/credential"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
	"github.com/openlectern/openlectern/learning/stripe"
)

// Start is the initial time of the clock of a [Kit].
var Start = contracttest.Start

// Kit is a platform with its store, sandbox, clock and log. It is closed and removed when
// the test ends.
type Kit struct {
	Platform *learning.Platform
	Store    learning.Store
	Sandbox  *sandbox.Sandbox
	Media    *media.Disk
	Files    *media.PrivateDisk
	Clock    *Clock
	Log      *Log // what the platform logged
}

const (
	// MediaURL is the base URL of thumbnails and certificates.
	MediaURL = "https://media.example.org"
	// FilesURL is the base URL of the files of lectures.
	FilesURL = "https://files.example.org"
	// PublicURL is the base URL of the API. Certificates link to it, and credentials name
	// it as their issuer.
	PublicURL = "https://api.example.org"
)

// CredentialKey is the key with which kits sign credentials: Ed25519, so that a credential
// has the same signature each time. The key is not secret.
var CredentialKey = contracttest.CredentialKey

// Option changes a [Kit] from its defaults.
type Option func(*settings)

type settings struct {
	database string
	store    learning.Store // of a caller that closes it, instead of a new one
	sandbox  *sandbox.Sandbox
	wrap     func(learning.Store) learning.Store
	retry    []time.Duration
	atStripe []string                   // currencies
	clock    *Clock                     // of another kit
	named    map[string]learning.Option // instead of the kit's own; nil leaves one out
	platform []learning.Option
}

// WithDatabase uses the database at a URL instead of a temporary SQLite file; see
// [engines.Open] for the URLs.
func WithDatabase(url string) Option { return func(s *settings) { s.database = url } }

// WithSandbox uses the sandbox of another kit, so that two platforms have the same
// providers.
func WithSandbox(sb *sandbox.Sandbox) Option { return func(s *settings) { s.sandbox = sb } }

// WithStore wraps the store of the platform, for example in one that counts or fails.
func WithStore(wrap func(learning.Store) learning.Store) Option {
	return func(s *settings) { s.wrap = wrap }
}

// WithRetry sets the waits between the sandbox's attempts to deliver a webhook. The
// default is one attempt.
func WithRetry(waits ...time.Duration) Option { return func(s *settings) { s.retry = waits } }

// WithClock uses the clock of another kit, so that two platforms on one database have one time.
func WithClock(clock *Clock) Option { return func(s *settings) { s.clock = clock } }

// AtStripe sells in these currencies at Stripe, and in no others there. Without currencies Stripe
// has those that the gateway does not take.
func AtStripe(currencies ...string) Option {
	return func(s *settings) { s.atStripe = currencies }
}

// WithPlatform adds options to the platform, after the kit's own.
func WithPlatform(opts ...learning.Option) Option {
	return func(s *settings) { s.platform = append(s.platform, opts...) }
}

// New returns a kit. It fails the test on an error.
func New(tb testing.TB, opts ...Option) *Kit {
	tb.Helper()
	s := settings{retry: []time.Duration{}} // not nil, for which the sandbox has waits of its own
	for _, opt := range opts {
		opt(&s)
	}
	// Make what the caller has not given: the sandbox, the folder of media and the store.
	k := &Kit{Clock: s.clock, Log: &Log{}, Store: s.store, Sandbox: s.sandbox}
	if k.Clock == nil {
		k.Clock = NewClock(Start)
	}
	if k.Sandbox == nil {
		k.Sandbox = newSandbox(tb, k.Clock, s.retry)
	}
	disk, err := media.NewDisk(filepath.Join(tb.TempDir(), "media"), MediaURL)
	check(tb, err)
	k.Media = disk
	k.Files, err = media.NewPrivateDisk(filepath.Join(tb.TempDir(), "files"), FilesURL,
		[][]byte{[]byte("the key of all kits")}, media.WithClock(k.Clock))
	check(tb, err)
	if k.Store == nil {
		k.Store = openStore(tb, s.database)
	}
	if s.wrap != nil {
		k.Store = s.wrap(k.Store)
	}
	// The kit's options, then those that replace or remove them by name, and last the caller's own,
	// which come after them and so prevail.
	named := k.options(tb, s.atStripe)
	maps.Copy(named, s.named)
	options := []learning.Option{learning.WithClock(k.Clock), learning.WithLogger(k.Log.Logger())}
	for _, option := range named {
		if option != nil { // nil leaves the option out
			options = append(options, option)
		}
	}
	k.Platform, err = learning.New(k.Store, append(options, s.platform...)...)
	check(tb, err)
	return k
}

// newSandbox starts a sandbox with the time of clock, and closes it when the test ends. retry are
// the waits between its attempts to deliver a webhook.
func newSandbox(tb testing.TB, clock *Clock, retry []time.Duration) *sandbox.Sandbox {
	tb.Helper()
	sb, err := sandbox.Listen(sandbox.Config{Clock: clock.Now, Retry: retry})
	check(tb, err)
	tb.Cleanup(sb.Close)
	return sb
}

// patience is the deadline of reads and transactions of kits. The defaults are for requests that
// people wait for; a test of many at once on a busy machine must not fail by them.
const patience = time.Minute

// openStore opens and migrates the database at a URL, or a new SQLite file if url is "", and closes
// it when the test ends.
func openStore(tb testing.TB, url string) *store.Store {
	tb.Helper()
	if url == "" {
		url = "sqlite:" + filepath.Join(tb.TempDir(), "learning.db")
	}
	// A new SQLite file gets its tables as a copy, which is faster than the migrations.
	created, err := contracttest.CreateTables(url)
	check(tb, err)
	st, err := engines.Open(context.Background(), url, store.WithDeadlines(patience, patience))
	check(tb, err)
	tb.Cleanup(func() { check(tb, st.Close()) })
	if !created {
		check(tb, st.Migrate(context.Background()))
	}
	return st
}

// withProviders returns one option for both payment providers; see [learning.WithProvider].
// Currencies are those that go to the second one although the first takes them.
func withProviders(first, second payment.Provider, currencies []string) learning.Option {
	return func(p *learning.Platform) {
		learning.WithProvider(first)(p)
		learning.WithProvider(second, currencies...)(p)
	}
}

// options returns the options that connect a platform to the kit's sandbox, by their names. What is
// sold in the currencies atStripe is sold at Stripe.
func (k *Kit) options(tb testing.TB, atStripe []string) map[string]learning.Option {
	tb.Helper()
	c := k.Sandbox.Config()
	tokens, err := identity.NewVerifier(c.URL+"/.well-known/jwks.json", identity.WithIssuer(c.URL),
		identity.WithClock(k.Clock))
	check(tb, err)
	roles, err := identity.NewClient(c.URL, c.IdentityAPIKey)
	check(tb, err)
	messages, err := identity.NewWebhookVerifier(c.IdentityWebhookSecret)
	check(tb, err)
	pay, err := gateway.New(c.URL, c.GatewayKeyID, c.GatewayKeySecret,
		gateway.WithWebhookSecrets(c.GatewayWebhookSecret))
	check(tb, err)
	cards, err := stripe.New(c.StripeKey, c.StripePublishableKey,
		stripe.WithURL(c.URL+sandbox.StripePath), stripe.WithWebhookSecrets(c.StripeWebhookSecret),
		stripe.WithClock(k.Clock))
	check(tb, err)
	model, err := ai.New(c.URL+"/v1", c.AIAPIKey, sandbox.AIModel, ai.WithPause(time.Millisecond))
	check(tb, err)
	issuer, err := credential.New(CredentialKey, PublicURL)
	check(tb, err)
	drawing, err := renderer()
	check(tb, err)
	return map[string]learning.Option{
		"WithTokens":       learning.WithTokens(tokens),
		"WithRoles":        learning.WithRoles(roles),
		"WithWebhooks":     learning.WithWebhooks(messages),
		"WithProvider":     withProviders(pay, cards, atStripe),
		"WithMedia":        learning.WithMedia(k.Media),
		"WithFiles":        learning.WithFiles(k.Files),
		"WithAI":           learning.WithAI(model),
		"WithCertificates": learning.WithCertificates(drawing, PublicURL),
		"WithCredentials":  learning.WithCredentials(issuer),
		"WithReceipts":     learning.WithReceipts(drawing),
	}
}

// renderer has only the embedded fonts, so that it draws the same bytes on every machine. All
// kits share it and what it keeps for the next certificate.
var renderer = sync.OnceValues(func() (*certificate.Renderer, error) { return certificate.New() })

// check fails the test on an error.
func check(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
