package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/store"
)

// providerTimeout bounds each call to the identity provider and the gateway.
const providerTimeout = 10 * time.Second

// openStore opens the database and migrates it.
func (s *Settings) openStore(ctx context.Context, opts ...store.Option) (*store.Store, error) {
	st, err := store.Open(ctx, s.Database, opts...)
	if err != nil {
		return nil, fmt.Errorf("%s (--database) cannot be used: %w", variable("database"), err)
	}
	if err := st.Migrate(ctx); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// options returns the options of the platform. The settings must be complete: in
// development [program.openSandbox] completes them.
func (p *program) options(tokens *identity.Verifier, files mediaStore, log *slog.Logger) ([]learning.Option, error) {
	roles, err := p.newRoles()
	if err != nil {
		return nil, err
	}
	webhooks, err := identity.NewWebhookVerifier(list(p.Identity.WebhookSecret)...)
	if err != nil {
		return nil, err
	}
	payments, err := p.newGateway()
	if err != nil {
		return nil, err
	}
	issuer, err := p.newIssuer()
	if err != nil {
		return nil, err
	}
	certificates, err := p.newRenderer(log)
	if err != nil {
		return nil, err
	}
	options := []learning.Option{
		learning.WithTokens(tokens), learning.WithRoles(roles), learning.WithWebhooks(webhooks),
		learning.WithGateway(payments), learning.WithMedia(files),
		learning.WithCertificates(certificates, p.PublicURL), learning.WithName(p.Certificate.Name),
		learning.WithCurrency(p.Currency), learning.WithProviderTimeout(providerTimeout), learning.WithLogger(log),
	}
	model, err := p.AI.options(p.transport())
	if err != nil {
		return nil, err
	}
	options = append(options, model...)
	if issuer != nil {
		options = append(options, learning.WithCredentials(issuer))
	}
	return options, nil
}

// newVerifier returns the verifier of session tokens. Tokens of the sandbox have neither
// aud nor azp.
func (p *program) newVerifier() (*identity.Verifier, error) {
	i := p.Identity
	parties := identity.WithAuthorizedPartiesIfPresent(p.frontEnd())
	if i.Parties != "" {
		parties = identity.WithAuthorizedParties(list(i.Parties)...)
	}
	return identity.NewVerifier(i.JWKSURL, identity.WithIssuer(i.Issuer), identity.WithAudience(list(i.Audience)...), parties,
		identity.WithKeyTransport(p.keyTransport()))
}

// fetchKeys fetches the keys of the identity provider before the server listens, so that after a rolling restart no user
// waits for them. If the provider does not answer, the server serves what needs no user.
func (p *program) fetchKeys(ctx context.Context, tokens *identity.Verifier) {
	if err := tokens.FetchKeys(ctx); err != nil {
		p.log.WarnContext(ctx, "the keys of the identity provider were not fetched", "error", err)
	}
}

func (p *program) newRoles() (*identity.Client, error) {
	return identity.NewClient(p.Identity.APIURL, p.Identity.APIKey, identity.WithTimeout(providerTimeout), identity.WithTransport(p.transport()))
}

func (p *program) newGateway() (*gateway.Client, error) {
	g := p.Gateway
	return gateway.New(g.URL, g.KeyID, g.KeySecret,
		gateway.WithWebhookSecrets(list(g.WebhookSecret)...), gateway.WithTimeout(providerTimeout), gateway.WithTransport(p.transport()))
}

// site is the platform with its handler.
type site struct {
	options  []learning.Option // of the platform, without the target of events
	platform *learning.Platform
	handler  http.Handler
	media    mediaStore
	tokens   *identity.Verifier

	closeLimits func() error
}

// close closes what the site has opened.
func (s *site) close() { _, _ = s.media.Close(), s.closeLimits() }

// build returns a site, whose handler has more options. The caller must close it. The settings must be complete.
func (p *program) build(ctx context.Context, st learning.Store, more ...httpapi.Option) (*site, error) {
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
	s := &site{media: files, tokens: tokens, closeLimits: closeLimits}
	if s.options, err = p.options(tokens, files, p.log); err == nil {
		s.platform, err = p.newPlatform(st, append(slices.Clip(s.options), learning.WithObserver(p.observer))...)
	}
	if err == nil {
		s.handler, err = p.newHandler(s.platform, files, p.log, append(more, limits)...)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	s.handler = p.traced(s.handler)
	p.watch(st, s.platform)
	return s, nil
}

// newHandler returns the handler of the API and of the server's own routes, with more options.
func (p *program) newHandler(platform *learning.Platform, files mediaStore, log *slog.Logger, more ...httpapi.Option) (http.Handler, error) {
	options := []httpapi.Option{
		httpapi.WithPublicURL(p.PublicURL), httpapi.WithLogger(log), httpapi.WithTrustedProxies(p.proxies()...), httpapi.WithObserver(p.observer),
		httpapi.WithRoutes(
			httpapi.Route{ID: "live", Method: http.MethodGet, Path: livePath, Access: httpapi.Public,
				Summary: "Say that the process serves", Do: httpapi.Handle(http.HandlerFunc(live))},
			httpapi.Route{ID: "ready", Method: http.MethodGet, Path: readyPath, Access: httpapi.Public,
				Summary: "Say whether the database answers and the server does not stop", Do: httpapi.Handle(ready(platform, p.draining.Load))},
			httpapi.Route{ID: "icon", Method: http.MethodGet, Path: "/favicon.ico", Access: httpapi.Public,
				Summary: "Show the icon of this server's pages", Do: httpapi.Handle(http.HandlerFunc(serveIcon))},
			httpapi.Route{ID: "media", Method: http.MethodGet, Path: "/media/*name", Access: httpapi.Public,
				Summary: "Show a thumbnail or a certificate", Do: httpapi.Handle(http.StripPrefix("/media/", files))},
		),
	}
	if p.FrontendOrigin != "" {
		options = append(options, httpapi.WithOrigin(p.FrontendOrigin))
	}
	return httpapi.New(platform, append(options, more...)...)
}
