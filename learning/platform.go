package learning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/internal/exportlist"
	"github.com/openlectern/openlectern/internal/lease"
	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/outbox"
	"github.com/openlectern/openlectern/internal/text"
	"github.com/openlectern/openlectern/learning/assess"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/community"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/due"
	"github.com/openlectern/openlectern/learning/exchange"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/inbox"
	"github.com/openlectern/openlectern/learning/offer"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/staff"
	"github.com/openlectern/openlectern/learning/study"
	"github.com/openlectern/openlectern/learning/tutor"
)

// Platform is a learning platform. Its methods are the operations. Create it with
// [New]. It is safe for concurrent use. Several platforms, in one process or in many,
// may share a database.
type Platform struct {
	// The rooms: their operations are the methods of these.
	People    *people.Service
	Files     *file.Service
	Catalog   *catalog.Service
	Study     *study.Service
	Assess    *assess.Service
	Due       *due.Service
	Certify   *certify.Service
	Offers    *offer.Service
	Bundles   *bundle.Service
	Refunds   *refund.Service
	Sales     *sale.Service
	Papers    *papers.Service
	Community *community.Service
	Staff     *staff.Service
	Exchange  *exchange.Service
	Tutor     *tutor.Service
	Inbox     *inbox.Service

	// all of these, in the order in which each deletes rows
	rooms       []core.Room[Tx]
	exportLists []exportlist.List // of all rooms

	nilOptions nilarg.Options

	base  core.Base[Tx]
	store Store
	name  string

	tidyEvery time.Duration // not positive for never
	isRun     atomic.Bool

	identity people.Ports

	fileSettings    file.Settings
	catalogSettings catalog.Settings
	certifySettings certify.Settings
	refundSettings  refund.Settings
	saleSettings    sale.Settings
	paperSettings   papers.Settings
	tutorSettings   tutor.Settings
}

// Logger returns the logger of [WithLogger], or one that discards. An empty platform, which was not
// made by [New], has none.
func (p *Platform) Logger() *slog.Logger {
	if p.base.Env == nil {
		return nil
	}
	return p.base.Log
}

// Observer returns the observer of [WithObserver], or nil.
func (p *Platform) Observer() core.Observer {
	if p.base.Env == nil {
		return nil
	}
	return p.base.Observer
}

// New returns a platform that uses a store. Operations that need a provider which is not
// given as an option return an error such as [payment.ErrNotConfigured]. New returns an
// error if the value of an option is invalid.
func New(store Store, opts ...Option) (*Platform, error) {
	if nilarg.Is(store) {
		return nil, errors.New("learning: the store is nil: open one with package sqlite, " +
			"mysql or postgres of learning/store")
	}

	// Set the defaults, and then what the options say.
	env := &core.Env{
		Clock:   systemClock{},
		Log:     slog.New(slog.DiscardHandler),
		NewID:   text.NewID,
		Events:  outbox.New(),
		Timeout: 10 * time.Second,
	}
	p := &Platform{
		base:  core.NewBase(env, store.InTx),
		store: store,
		name:  "Open Lectern",

		tidyEvery: DefaultTidyEvery,

		fileSettings:    file.DefaultSettings(),
		catalogSettings: catalog.DefaultSettings(),
		saleSettings:    sale.Settings{Currency: "INR", ReconcileEvery: DefaultReconcileEvery},
		paperSettings:   papers.DefaultSettings(),
		tutorSettings:   tutor.Settings{Timeout: time.Minute},
	}
	if err := nilarg.Apply("learning", p, opts); err != nil {
		return nil, err
	}
	if err := p.nilOptions.Err("learning"); err != nil {
		return nil, err
	}

	// Connect the helpers of the platform to the store, the clock and the log of the options.
	p.base.Leases = &lease.Leases{Store: leaseStore{store, store}, Now: p.base.Now, NewID: p.base.NewID,
		Log: p.base.Log}
	p.base.Events.Store, p.base.Events.Leases = eventStore{store, store, store}, p.base.Leases
	p.base.Events.Now, p.base.Events.Log = p.base.Now, p.base.Log

	if err := p.checkOptions(); err != nil {
		return nil, err
	}

	// The observer comes last, around the providers of the options.
	p.fileSettings.MediaReader, _ = p.fileSettings.Media.(file.MediaReader)
	p.catalogSettings.Prices = catalog.PriceSettings{Currency: p.saleSettings.Currency,
		Accepts: p.saleSettings.Accepts}
	p.observeProviders()
	p.addRooms()
	return p, nil
}

// checkOptions returns an error if the value of an option is invalid.
func (p *Platform) checkOptions() error {
	if !core.HasTwoDecimals(p.saleSettings.Currency) {
		return fmt.Errorf("learning: currency %q: the contract counts in hundredths, so it must "+
			"be a currency of ISO 4217 with two decimals, such as INR, EUR or USD", p.saleSettings.Currency)
	}
	if !text.Is(p.name, 1, MaxName) {
		return fmt.Errorf("learning: name %q: it must have 1 to %d characters", p.name, MaxName)
	}
	if p.certifySettings.Renderer != nil && !text.IsWebURL(p.certifySettings.URL) {
		return errors.New(
			"learning: certificates need the public URL of the API, absolute and http or https")
	}
	if p.base.Timeout <= 0 {
		return fmt.Errorf("learning: provider time-out %v: it must be longer than zero",
			p.base.Timeout)
	}
	if every := p.base.Events.LookEvery; every <= 0 {
		return fmt.Errorf("learning: interval of events %v: it must be longer than zero", every)
	}
	if err := p.fileSettings.Check(); err != nil {
		return fmt.Errorf("learning: %w", err)
	}
	if err := p.catalogSettings.Check(); err != nil {
		return fmt.Errorf("learning: %w", err)
	}
	if err := p.saleSettings.Check(); err != nil {
		return fmt.Errorf("learning: %w", err)
	}
	if err := p.paperSettings.Check(); err != nil {
		return fmt.Errorf("learning: %w", err)
	}
	if err := p.tutorSettings.Check(); err != nil {
		return fmt.Errorf("learning: %w", err)
	}
	if err := p.base.Events.CheckTargets(); err != nil {
		return fmt.Errorf("learning: %w", err)
	}
	return nil
}

// Ping returns nil if the database answers.
func (p *Platform) Ping(ctx context.Context) error { return p.store.Ping(ctx) }

// leaseStore is a [Store] for package lease.
type leaseStore struct {
	lease.Reader
	store Store
}

// InTx runs fn in a transaction of the store: a [Tx] has all that a lease.Tx needs.
func (s leaseStore) InTx(ctx context.Context, fn func(lease.Tx) error) error {
	return s.store.InTx(ctx, func(tx Tx) error { return fn(tx) })
}
