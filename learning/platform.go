package learning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/internal/aigate"
	"github.com/openlectern/openlectern/internal/batch"
	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/internal/record"
	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/internal/thumbnail"
)

// Platform is a learning platform. Its methods are the operations. Create it with
// [New]. It is safe for concurrent use. Several platforms, in one process or in many,
// may share a database.
type Platform struct {
	nilOptions nilarg.Options

	store    Store
	clock    Clock
	log      *slog.Logger
	observer Observer // nil for none
	newID    func() string
	leases   *lease.Leases
	name     string
	currency string
	timeout  time.Duration // of one call to a provider

	tokens   TokenVerifier
	roles    RoleGranter
	webhooks WebhookVerifier
	gateway  Gateway
	media    Media
	files    FileStore
	maxFile  int64 // bytes
	// maxStorage is how many bytes all files of an educator may have.
	maxStorage int64
	incoming   incoming

	mediaReader MediaReader // the media store; nil if it is none

	embedHosts map[string]bool

	refundPolicy RefundPolicy

	ai     AI
	aiGate aigate.Gate

	// Calls of this process that are in flight.
	creations        singleflight.Group[string, struct{}]        // by the key of the record
	personalRoadmaps singleflight.Group[string, PersonalRoadmap] // by the id of the user
	customRoadmaps   singleflight.Group[userTopic, Roadmap]
	// of PDFs, by the id of the certificate
	pdfCreations singleflight.Group[string, Certificate]
	// of PDFs, by the id of the certificate
	pdfRemovals singleflight.Group[string, struct{}]

	renderer       CertificateRenderer
	certificateURL string // the start of the URLs of certificates, with a slash at the end

	credentials CredentialIssuer

	events    *outbox.Outbox
	hostFuncs []HostFunc // of WithInTransaction

	changes atomic.Uint64 // counts the changes of the catalogue in this process
	images  *thumbnail.Processor

	lectures  lectureCache
	positions *batch.Group[LecturePosition]

	signatures  signatureCache
	revocations atomic.Uint64 // counts the certificates that were revoked in this process
}

// Logger returns the logger of [WithLogger], or one that discards.
func (p *Platform) Logger() *slog.Logger { return p.log }

// Observer returns the observer of [WithObserver], or nil.
func (p *Platform) Observer() Observer { return p.observer }

// New returns a platform that uses a store. Operations that need a provider which is not
// given as an option return an error such as [ErrGatewayNotConfigured]. New returns an
// error if the value of an option is invalid.
func New(store Store, opts ...Option) (*Platform, error) {
	if nilarg.Is(store) {
		return nil, errors.New("learning: the store is nil: open one with package sqlite, " +
			"mysql or postgres of learning/store")
	}

	// Set the defaults, and then what the options say.
	p := &Platform{
		store:    store,
		clock:    systemClock{},
		log:      slog.New(slog.DiscardHandler),
		newID:    newID,
		name:     "Open Lectern",
		currency: "INR",
		timeout:  10 * time.Second,
		maxFile:  DefaultMaxFile,

		maxStorage: DefaultMaxStorage,

		embedHosts: maps.Clone(knownEmbedHosts),

		aiGate: aigate.Gate{Timeout: time.Minute},

		events: outbox.New(),

		images: thumbnail.New(thumbnailWait),
	}
	if err := nilarg.Apply("learning", p, opts); err != nil {
		return nil, err
	}
	if err := p.nilOptions.Err("learning"); err != nil {
		return nil, err
	}

	// Connect the helpers of the platform to the store, the clock and the log of the options.
	p.leases = &lease.Leases{Store: leaseStore{store}, Now: p.now, NewID: p.newID, Log: p.log}
	p.aiGate.Store, p.aiGate.Leases = gateStore{store}, p.leases
	p.events.Store, p.events.Leases = eventStore{store}, p.leases
	p.events.Now, p.events.Log = p.now, p.log
	p.creations.OnPanic = p.logPanic // a panic of a shared call is logged once
	p.personalRoadmaps.OnPanic = p.logPanic
	p.customRoadmaps.OnPanic = p.logPanic
	p.pdfCreations.OnPanic = p.logPanic
	p.pdfRemovals.OnPanic = p.logPanic
	p.signatures.calls.OnPanic = p.logPanic
	p.positions = batch.New(maxPositionBatch, p.savePositions, p.logPanic)

	if err := p.checkOptions(); err != nil {
		return nil, err
	}

	// The observer comes last, around the providers of the options.
	p.mediaReader, _ = p.media.(MediaReader)
	p.observeProviders()
	return p, nil
}

// checkOptions returns an error if the value of an option is invalid.
func (p *Platform) checkOptions() error {
	if !hasTwoDecimals(p.currency) {
		return fmt.Errorf("learning: currency %q: the contract counts in hundredths, so it must "+
			"be a currency of ISO 4217 with two decimals, such as INR, EUR or USD", p.currency)
	}
	if !isText(p.name, 1, MaxName) {
		return fmt.Errorf("learning: name %q: it must have 1 to %d characters", p.name, MaxName)
	}
	if p.renderer != nil && !isWebURL(p.certificateURL) {
		return errors.New(
			"learning: certificates need the public URL of the API, absolute and http or https")
	}
	if p.timeout <= 0 {
		return fmt.Errorf("learning: provider time-out %v: it must be longer than zero", p.timeout)
	}
	if p.maxFile <= 0 {
		return fmt.Errorf("learning: largest file of %d bytes: it must be larger than zero",
			p.maxFile)
	}
	if p.maxStorage <= 0 {
		return fmt.Errorf("learning: storage of %d bytes for an educator: it must be larger than "+
			"zero", p.maxStorage)
	}
	for host := range p.embedHosts {
		if !isHost(host) {
			return fmt.Errorf("learning: host %q of embedded pages: it must be a name in lower "+
				"case, such as videos.example.org", host)
		}
	}
	if p.aiGate.Timeout <= 0 {
		return fmt.Errorf("learning: AI time-out %v: it must be longer than zero", p.aiGate.Timeout)
	}
	if p.aiGate.UserBudget < 0 || p.aiGate.PlatformBudget < 0 {
		return fmt.Errorf("learning: AI budgets %d and %d: they must not be negative",
			p.aiGate.UserBudget, p.aiGate.PlatformBudget)
	}
	if err := p.events.CheckTargets(); err != nil {
		return fmt.Errorf("learning: %w", err)
	}
	return nil
}

// Ping returns nil if the database answers.
func (p *Platform) Ping(ctx context.Context) error { return p.store.Ping(ctx) }

// now returns the current time as it is stored: UTC, without parts of a microsecond.
func (p *Platform) now() time.Time { return p.clock.Now().UTC().Truncate(time.Microsecond) }

// provider returns ctx with the time limit of one call to a provider: see [WithProviderTimeout].
// The caller must call the function after the call.
func (p *Platform) provider(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, p.timeout)
}

// inTxRetry runs fn in a transaction, and in another one if fn returns [ErrDuplicate], because a
// concurrent transaction has inserted a row that fn had found missing: as often as
// [record.RetryDuplicate] does. It returns the error of the last one.
func (p *Platform) inTxRetry(ctx context.Context, fn func(tx Tx) error) error {
	return record.RetryDuplicate(ctx, func() error { return p.store.InTx(ctx, fn) })
}
