package learning

import (
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/file"
	"github.com/openlectern/openlectern/learning/papers"
	"github.com/openlectern/openlectern/learning/payment"
	"github.com/openlectern/openlectern/learning/people"
	"github.com/openlectern/openlectern/learning/refund"
	"github.com/openlectern/openlectern/learning/sale"
	"github.com/openlectern/openlectern/learning/tutor"
)

// Option sets an optional value of a platform. [New] refuses one whose provider, handler, logger
// or clock is nil.
type Option func(*Platform)

// given returns the argument of an option. If the argument is nil, given records the name of the
// option, so that [New] refuses it.
func given[T any](p *Platform, option string, argument T) T {
	return nilarg.Given(&p.nilOptions, option, argument)
}

// WithTokens sets the verifier of session tokens. Without it no caller can sign in: operations for
// users return [people.ErrIdentityNotConfigured].
func WithTokens(v people.TokenVerifier) Option {
	return func(p *Platform) { p.identity.Tokens = given(p, "WithTokens", v) }
}

// WithRoles sets the provider at which roles are granted. Without it decisions that change a role
// return [people.ErrRolesNotConfigured].
func WithRoles(g people.RoleGranter) Option {
	return func(p *Platform) { p.identity.Roles = given(p, "WithRoles", g) }
}

// WithWebhooks sets the verifier of the webhooks of the identity provider. Without it they are
// refused with [people.ErrIdentityWebhooksNotConfigured].
func WithWebhooks(v people.WebhookVerifier) Option {
	return func(p *Platform) { p.identity.Webhooks = given(p, "WithWebhooks", v) }
}

// WithProvider adds a payment provider, such as those of packages gateway and stripe. Without one
// only free courses can be bought. Orders in one of the currencies go to this provider; without
// currencies it gets those that no provider before it takes. One of the providers must take the
// currency of the platform. One with the name of an earlier one replaces that. Purchases stay with
// the provider of their name, so do not leave one out while its orders are open.
func WithProvider(provider payment.Provider, currencies ...string) Option {
	return func(p *Platform) {
		if nilarg.Is(given(p, "WithProvider", provider)) { // New returns an error
			return
		}
		p.saleSettings.Providers = p.saleSettings.Providers.With(payment.Setting{
			Provider:   provider,
			Currencies: slices.Clone(currencies),
		})
	}
}

// WithDisputePolicy sets what follows from a dispute of a payment. The default is that only an
// event tells the host of it.
func WithDisputePolicy(policy refund.DisputePolicy) Option {
	return func(p *Platform) { p.refundSettings.DisputePolicy = policy }
}

// WithReconcileEvery sets how often [Platform.Run] asks the gateway about purchases whose webhook
// may be lost. The default is [DefaultReconcileEvery]. Zero is never: then something else must call
// [System.ReconcilePurchases], or such purchases are lost.
func WithReconcileEvery(every time.Duration) Option {
	return func(p *Platform) { p.saleSettings.ReconcileEvery = every }
}

// WithTidyEvery sets how often [Platform.Run] removes leftovers and marks attempts whose time is
// over. The default is [DefaultTidyEvery]. Zero is never: then something else must call
// [System.Tidy].
func WithTidyEvery(every time.Duration) Option {
	return func(p *Platform) { p.tidyEvery = every }
}

// WithEventsEvery sets how often [Platform.Run] looks for events to deliver although it knows of
// none. It delivers at once what this process writes and what processes write that run too, so this
// is for events of others, such as commands, of which only PostgreSQL tells. The default is six
// seconds.
func WithEventsEvery(every time.Duration) Option {
	return func(p *Platform) { p.base.Events.LookEvery = every }
}

// WithRefundPolicy sets what follows from a full refund. Without it the refund ends the
// enrolment, and the certificate stays.
func WithRefundPolicy(policy refund.Policy) Option {
	return func(p *Platform) { p.refundSettings.Policy = policy }
}

// WithBuyPolicy sets who may buy. Without it everybody may.
func WithBuyPolicy(policy sale.BuyPolicy) Option {
	return func(p *Platform) {
		p.saleSettings.BuyPolicy = given(p, "WithBuyPolicy", policy)
	}
}

// WithSeller sets who sells. Each purchase of more than 0 that is completed from then on gets a
// receipt, and each refund of it a credit note. [Platform.Run] numbers them. Without a seller there
// are none.
func WithSeller(s papers.Seller) Option {
	return func(p *Platform) { p.paperSettings.Seller = s }
}

// WithTax sets what says which tax is contained in a price. A [papers.FixedTax] has one rate for
// every buyer. The default is no tax.
func WithTax(t papers.TaxPort) Option {
	return func(p *Platform) { p.paperSettings.Tax = given(p, "WithTax", t) }
}

// WithReceipts sets what draws receipts and credit notes. Without it they are numbered, and reading
// them returns [papers.ErrReceiptsNotConfigured].
func WithReceipts(r papers.Renderer) Option {
	return func(p *Platform) { p.paperSettings.Renderer = given(p, "WithReceipts", r) }
}

// WithReceiptLinks sets the public URL of the API and the keys that sign links to receipts and
// credit notes, of at least 16 bytes each. The first key signs, and all verify, so that they can be
// rotated. Without keys the lists of purchases have no links.
func WithReceiptLinks(publicURL string, keys ...[]byte) Option {
	return func(p *Platform) {
		p.paperSettings.LinkURL = publicURL
		p.paperSettings.LinkKeys = keys
	}
}

// WithPapersYears sets for how many years the receipts and credit notes of a deleted user keep the
// name, the address and the tax id of the buyer. The default is [papers.DefaultYears].
func WithPapersYears(years int) Option {
	return func(p *Platform) { p.paperSettings.Years = years }
}

// WithMedia sets the store of thumbnails and the PDFs of certificates.
func WithMedia(m file.Media) Option {
	return func(p *Platform) { p.fileSettings.Media = given(p, "WithMedia", m) }
}

// WithFiles sets the store of the files of lectures. Without it uploads return
// [file.ErrFilesNotConfigured].
func WithFiles(s file.Store) Option {
	return func(p *Platform) { p.fileSettings.Files = given(p, "WithFiles", s) }
}

// WithMaxFile sets the size of the largest file that may be uploaded, in bytes. The default is
// [file.DefaultMaxFile].
func WithMaxFile(bytes int64) Option {
	return func(p *Platform) { p.fileSettings.MaxFile = bytes }
}

// WithMaxStorage sets how many bytes all files of an educator or admin may have together, used ones
// too. The default is [file.DefaultMaxStorage]. Files of students have at most
// [file.MaxStorageOfStudent], or as many bytes if that is less.
func WithMaxStorage(bytes int64) Option {
	return func(p *Platform) { p.fileSettings.MaxStorage = bytes }
}

// WithEmbedHosts adds hosts whose pages lectures may embed, beside those of YouTube and Vimeo. A
// host is a name in lower case, such as videos.example.org.
func WithEmbedHosts(hosts ...string) Option {
	return func(p *Platform) {
		for _, host := range hosts {
			p.catalogSettings.EmbedHosts[host] = true
		}
	}
}

// WithAI sets the language model that writes quizzes and roadmaps and answers in
// the chat. Without it these operations return [tutor.ErrAINotConfigured].
func WithAI(a tutor.AI) Option {
	return func(p *Platform) { p.tutorSettings.AI = given(p, "WithAI", a) }
}

// WithAITimeout sets the time limit of a call to the AI, including a second request if
// the first answer is not valid. The default is a minute. Leases last longer by a margin.
func WithAITimeout(d time.Duration) Option {
	return func(p *Platform) { p.tutorSettings.Timeout = d }
}

// WithAIBudget sets the limits of AI tokens, read and written, in a UTC day: for each
// user, and for the platform. 0, the default, means no limit. A call that was admitted
// is finished, so running calls can exceed the limits.
func WithAIBudget(user, platform int64) Option {
	return func(p *Platform) {
		p.tutorSettings.UserBudget, p.tutorSettings.PlatformBudget = user, platform
	}
}

// WithCertificates sets the renderer of certificates and the public URL of the API. The
// QR code of a certificate contains a URL below it, for verification. Without this
// option no certificates are issued, but issued ones can be verified.
func WithCertificates(r certify.CertificateRenderer, publicURL string) Option {
	base := strings.TrimRight(publicURL, "/") + "/api/certificate/"
	return func(p *Platform) {
		p.certifySettings.Renderer = given(p, "WithCertificates", r)
		p.certifySettings.URL = base
	}
}

// WithCredentials sets the issuer that signs certificates as Open Badges credentials.
// Without it there are no credentials.
func WithCredentials(i certify.CredentialIssuer) Option {
	return func(p *Platform) { p.certifySettings.Credentials = given(p, "WithCredentials", i) }
}

// WithEvents sets a handler of events (docs/events.md). The option may be given several
// times, with different names. The name is the target of the deliveries, such as "webhook"
// or "mail": 1 to 32 small letters, digits and hyphens. It is stored with each delivery, so
// it must stay the same. Without this option no events are written.
//
// A handler is called after the transaction of the change. [WithInTransaction] sets a function that
// runs inside it.
func WithEvents(name string, h core.EventHandler) Option {
	return func(p *Platform) {
		p.base.Events.Targets = append(p.base.Events.Targets, targetOf(name, given(p, "WithEvents",
			h)))
	}
}

// WithInTransaction sets a function that is called inside each transaction that has events, with
// these (docs/events.md). What the function writes with [store.SQL] is committed together with the
// change, or not at all:
//
//	learning.WithInTransaction(
//		func(ctx context.Context, tx core.HostTx, events []learning.Event) error {
//			for _, e := range events {
//				if e.Type != purchase.EventCompleted {
//					continue
//				}
//				_, err := store.SQL(tx).ExecContext(ctx, insertInvoice, e.Data.PurchaseID, …)
//				if err != nil {
//					return err
//				}
//			}
//			return nil
//		})
//
// If the function returns an error or panics, the transaction is rolled back, and the operation
// returns a [core.HostError]. A payment that was made meanwhile is not lost: the gateway sends its
// webhook again, and [System.ReconcilePurchases] finds it.
//
// The transaction, and with it the function, may run again, as that of [Store] does: the function
// must have no effects except on tx and by [core.HostTx.AfterCommit]. It is called once in each
// run. It must use ctx, which has the deadline of the transaction, and must not call the platform
// or the store, nor use a pool of the host: that would wait for this transaction. An operation of
// the platform with ctx returns an error if it begins a transaction. Other transactions wait for
// the rows that this one has changed, so the function should be short, and must call nothing
// outside the database. It must be safe for concurrent use.
//
// The option may be given several times: the functions are called in the order of the options, with
// the same events, until one returns an error. WithEvents is not needed for it.
//
// [store.SQL]: https://pkg.go.dev/github.com/openlectern/openlectern/learning/store#SQL
func WithInTransaction(fn core.HostFunc) Option {
	return func(p *Platform) {
		p.base.HostFuncs = append(p.base.HostFuncs, given(p, "WithInTransaction", fn))
	}
}

// WithName sets the name of the platform, which new certificates show as their issuer.
// The default is "Open Lectern". It has at most [MaxName] code points.
func WithName(name string) Option { return func(p *Platform) { p.name = name } }

// MaxName is the length of the longest name of a platform, in code points.
const MaxName = 200

// WithCurrency sets the ISO 4217 code of the currency. The default is INR.
func WithCurrency(code string) Option {
	return func(p *Platform) { p.saleSettings.Currency = code }
}

// WithProviderTimeout sets the time limit of each call to a provider. The default is 10
// seconds. The lease to open an order lasts longer by a margin.
func WithProviderTimeout(d time.Duration) Option { return func(p *Platform) { p.base.Timeout = d } }

// WithLogger sets the log of events that no caller receives as an error, such as a double payment,
// and of the requests of the handler: each is one line with its id, route id, status, duration and
// user id, and the cause of a 500. A panic is logged with its stack. The log contains ids and
// amounts, never secrets, bodies or addresses. Without it nothing is logged.
func WithLogger(l *slog.Logger) Option {
	return func(p *Platform) { p.base.Log = given(p, "WithLogger", l) }
}

// WithObserver sets the observer of the calls to providers, and of the requests, rate limits and
// the list of courses of the handler. By default nothing is observed.
func WithObserver(o core.Observer) Option {
	return func(p *Platform) { p.base.Observer = given(p, "WithObserver", o) }
}

// WithClock sets the clock, for tests.
func WithClock(c core.Clock) Option {
	return func(p *Platform) { p.base.Clock = given(p, "WithClock", c) }
}

// withIDs sets the generator of ids, for tests. The ids must be unique and have at most
// 40 characters, because the id of a purchase is its receipt at the gateway. The default
// generates UUIDs of version 7, which sort by time.
func withIDs(newID func() string) Option { return func(p *Platform) { p.base.NewID = newID } }

// systemClock is the [core.Clock] of the machine.
type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }
