package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/httpapi/mcpserver"
	"github.com/openlectern/openlectern/learning/httpapi/swaggerui"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
)

// providerTimeout bounds each call to the identity provider and the gateway.
const providerTimeout = 10 * time.Second

// openDatabase opens the database of the settings. It changes no tables.
func (s *Settings) openDatabase(
	ctx context.Context, opts ...store.Option,
) (*store.Store, error) {
	return engines.Open(ctx, s.Database, append(opts, store.WithPrefix(s.DatabasePrefix))...)
}

// migratedStore opens the database, creates it if it is a file that does not exist, and migrates
// it. It is for the commands that may be the first on a database: serve, migrate, import and exec.
// All others use [program.openStore].
func (p *program) migratedStore(ctx context.Context, opts ...store.Option) (*store.Store, error) {
	st, err := p.openDatabase(ctx, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s (--database) cannot be used: %w", variable("database"), err)
	}
	if err := st.Migrate(ctx); err != nil {
		if errors.Is(err, store.ErrOldTables) { // a tool of the operator migrates the database
			err = fmt.Errorf("%w (%s migrate --print prints them)", err, p.name)
		}
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// openStore opens a database that has the tables of this version. It creates and changes nothing,
// because a command with a wrong --database would otherwise leave an empty one, and a command of a
// new version would migrate the database of old servers. Its errors say what the operator can do.
func (p *program) openStore(ctx context.Context, opts ...store.Option) (*store.Store, error) {
	// SQLite would create a missing file.
	name := variable("database") + " (--database)"
	if file, ok := strings.CutPrefix(p.Database, "sqlite:"); ok {
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("there is no database %s: give the %s of the server, or start "+
				"the server first (%s)", file, name, p.name)
		}
	}
	// Open the database, and check its tables without changing them.
	st, err := p.openDatabase(ctx, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be used: %w", name, err)
	}
	switch err = st.CheckTables(ctx); {
	case errors.Is(err, store.ErrNoTables):
		err = fmt.Errorf("%w: give the %s of the server, or create the tables (%s migrate)",
			store.ErrNoTables, name, p.name)
	case errors.Is(err, store.ErrOldTables):
		err = fmt.Errorf("%w: migrate it first (%s migrate), or use the version of the servers "+
			"for this command", store.ErrOldTables, p.name)
	}
	if err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// options returns the options of the platform, except the payment providers, the AI, the observer
// and what [program.newPlatform] adds. The settings must be complete: in development
// [program.openSandbox] completes them.
func (p *program) options(tokens *identity.Verifier, files mediaStore,
	log *slog.Logger) ([]learning.Option, error) {
	// The identity provider.
	roles, err := p.newRoles()
	if err != nil {
		return nil, err
	}
	webhooks, err := identity.NewWebhookVerifier(list(p.Identity.WebhookSecret)...)
	if err != nil {
		return nil, err
	}
	// Certificates and credentials. Without a key in production there is no issuer.
	issuer, err := p.newIssuer()
	if err != nil {
		return nil, err
	}
	certificates, err := p.newRenderer(log)
	if err != nil {
		return nil, err
	}
	// What every server has.
	options := []learning.Option{
		// An issuerWarner also warns of a wrong setting of the issuer.
		learning.WithTokens(&issuerWarner{Verifier: tokens, log: log}),
		learning.WithRoles(roles), learning.WithWebhooks(webhooks),
		learning.WithMedia(files),
		learning.WithCertificates(certificates, p.PublicURL), learning.WithName(p.Certificate.Name),
		learning.WithReceipts(certificates),
		learning.WithCurrency(p.Currency), learning.WithProviderTimeout(providerTimeout),
		learning.WithLogger(log), learning.WithTidyEvery(tidyEvery),
		learning.WithReconcileEvery(p.reconcileEvery()),
	}
	if issuer != nil {
		options = append(options, learning.WithCredentials(issuer))
	}
	return options, nil
}

// reconcileEvery returns the interval of reconciliation. In development only the command reconcile
// reconciles.
func (p *program) reconcileEvery() time.Duration {
	if !p.production() {
		return 0
	}
	return p.ReconcileEvery // 0 is never
}

// newVerifier returns the verifier of session tokens. Without the settings of aud and azp it
// accepts the tokens of the sandbox, which have neither claim.
func (p *program) newVerifier() (*identity.Verifier, error) {
	i := p.Identity
	// The azp of a token is the origin of the front end for which it was issued. A token must have
	// one only if the setting names origins.
	parties := identity.WithAuthorizedPartiesIfPresent(p.frontEnd())
	if i.Parties != "" {
		parties = identity.WithAuthorizedParties(list(i.Parties)...)
	}
	return identity.NewVerifier(i.JWKSURL, identity.WithIssuer(i.Issuer),
		identity.WithAudience(list(i.Audience)...), parties,
		identity.WithKeyTransport(p.keyTransport()))
}

// fetchKeys fetches the keys of the identity provider before a user needs them, so that after a
// rolling restart no user waits for them. Without them the server serves what needs no user: a
// provider that does not answer may do so soon, and webhooks of payments must be taken meanwhile.
func (p *program) fetchKeys(ctx context.Context, tokens *identity.Verifier) {
	err := tokens.FetchKeys(ctx)
	// A 4xx answer means a wrong address, which waiting does not cure, unless the provider was only
	// asked too often or too slowly. The status is 0 without an answer or an error.
	code := status(err)
	isForNow := code == http.StatusTooManyRequests || code == http.StatusRequestTimeout
	if code >= http.StatusBadRequest && code < http.StatusInternalServerError && !isForNow {
		p.log.ErrorContext(ctx,
			"there are no keys at the address of the identity provider, so nobody can sign in",
			"setting", variable("identity-jwks-url"), "url", p.Identity.JWKSURL, "status", code)
		return
	}
	if err != nil {
		p.log.WarnContext(ctx, "the keys of the identity provider were not fetched", "error", err)
	}
}

// newRoles returns the client that stores roles at the identity provider.
func (p *program) newRoles() (*identity.Client, error) {
	return identity.NewClient(p.Identity.APIURL, p.Identity.APIKey,
		identity.WithTimeout(providerTimeout), identity.WithTransport(p.transport()))
}

// newGateway returns the client of the payment gateway.
func (p *program) newGateway() (*gateway.Client, error) {
	g := p.Gateway
	return gateway.New(g.URL, g.KeyID, g.KeySecret,
		gateway.WithWebhookSecrets(list(g.WebhookSecret)...), gateway.WithTimeout(providerTimeout),
		gateway.WithTransport(p.transport()))
}

// payments returns the options of the payment providers: of the gateway and of Stripe, if they are
// set.
func (p *program) payments() ([]learning.Option, error) {
	var options []learning.Option
	if p.Gateway.set() {
		payments, err := p.newGateway()
		if err != nil {
			return nil, err
		}
		options = append(options, learning.WithProvider(payments))
	}
	if p.Stripe.set() {
		payments, err := p.newStripe()
		if err != nil {
			return nil, err
		}
		options = append(options, learning.WithProvider(payments, list(p.Stripe.Currencies)...))
	}
	return options, nil
}

// priceOptions returns the options of the payment providers for a command that asks them nothing
// but which prices can be paid. In development the sandbox is one if none is set, as on the server.
func (p *program) priceOptions() ([]learning.Option, error) {
	if !p.production() {
		box, err := sandbox.New(sandbox.Config{URL: "http://" + p.sandboxAddr})
		if err != nil {
			return nil, err
		}
		defer box.Close()
		p.useSandbox(box.Config())
	}
	return p.payments()
}

// addReceiptLinks lets the site sign the links of receipts as those of files.
func (p *program) addReceiptLinks(s *site) error {
	keys, err := p.filesKeys()
	s.options = append(s.options, learning.WithReceiptLinks(p.base(), keys...))
	return err
}

// site is the platform with its handler.
type site struct {
	// of the platform, without the payment providers, the AI and the target of events
	options  []learning.Option
	platform *learning.Platform
	handler  http.Handler
	media    mediaStore
	files    *fileStore // nil for none
	tokens   *identity.Verifier

	closeLimits func() error // ends the connection to the shared limits
}

// close closes what the site has opened. It ignores errors, because the process ends.
func (s *site) close() {
	if s.files != nil {
		_ = s.files.Close()
	}
	_, _ = s.media.Close(), s.closeLimits()
}

// build returns a site for the settings, which must be complete. more are additional options of its
// handler. The caller must close the site.
func (p *program) build(ctx context.Context, st learning.Store,
	more ...httpapi.Option) (*site, error) {
	// Open what the site must close again: media files and the shared limits.
	tokens, err := p.newVerifier()
	if err != nil {
		return nil, err
	}
	files, err := p.newMedia(ctx)
	if err != nil {
		return nil, err
	}
	limits, closeLimits, err := p.shareLimits(ctx)
	if err != nil {
		return nil, errors.Join(err, files.Close())
	}
	// From here on, a failure closes the site. The options are kept without the AI and the
	// observer, because the demo's platform uses them too.
	s := &site{media: files, tokens: tokens, closeLimits: closeLimits}
	model, err := p.AI.options(p.transport())
	if err == nil {
		s.files, err = p.newFiles(files)
	}
	if err == nil {
		s.options, err = p.options(tokens, files, p.log)
	}
	if err == nil {
		var more []learning.Option
		more, err = p.fileOptions(s.files)
		s.options = append(s.options, more...)
	}
	var payments []learning.Option
	if err == nil {
		payments, err = p.payments()
	}
	if err == nil {
		err = p.addReceiptLinks(s)
	}
	if err == nil {
		options := slices.Concat(s.options, payments, model)
		if p.observer != nil {
			options = append(options, learning.WithObserver(p.observer))
		}
		s.platform, err = p.newPlatform(st, options...) // which adds the target of events
	}
	if err == nil {
		if s.files != nil && s.files.route != nil {
			more = append(more, httpapi.WithRoutes(*s.files.route))
		}
		s.handler, err = p.newHandler(s.platform, files, append(more, limits)...)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	// Measure it, if metrics or traces are set.
	s.handler = p.traced(s.handler)
	p.watch(st, s.platform)
	return s, nil
}

// newHandler returns the handler of the API and of the server's own routes, with more options.
func (p *program) newHandler(platform *learning.Platform, files mediaStore,
	more ...httpapi.Option) (http.Handler, error) {
	options := []httpapi.Option{
		httpapi.WithPublicURL(p.PublicURL), httpapi.WithTrustedProxies(p.proxies()...),
		httpapi.WithDocs(swaggerui.Files()),
		httpapi.WithRoutes(
			httpapi.Route{ID: "live", Method: http.MethodGet, Path: livePath,
				Access:  httpapi.Public,
				Summary: "Say that the process serves", Do: httpapi.Handle(http.HandlerFunc(live))},
			httpapi.Route{ID: "ready", Method: http.MethodGet, Path: readyPath,
				Access:  httpapi.Public,
				Summary: "Say whether the database answers and the server does not stop",
				Do:      httpapi.Handle(ready(platform, p.draining.Load))},
			httpapi.Route{ID: "icon", Method: http.MethodGet, Path: "/favicon.ico",
				Access:  httpapi.Public,
				Summary: "Show the icon of this server's pages",
				Do:      httpapi.Handle(http.HandlerFunc(serveIcon))},
			httpapi.Route{ID: "media", Method: http.MethodGet, Path: "/media/*name",
				Access:  httpapi.Public,
				Summary: "Show a thumbnail or a certificate",
				Do:      httpapi.Handle(http.StripPrefix("/media/", files))},
		),
	}
	switch p.MCP {
	case "true":
		options = append(options, httpapi.WithAgents(mcpserver.New(), httpapi.OrdinaryTools))
	case "all":
		options = append(options, httpapi.WithAgents(mcpserver.New(), httpapi.AllTools))
	}
	if p.FrontendOrigin != "" { // else the API accepts the default, as in frontEnd
		options = append(options, httpapi.WithOrigin(p.FrontendOrigin))
	}
	return httpapi.New(platform, append(options, more...)...)
}
