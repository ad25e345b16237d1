package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/store"
)

// providerTimeout bounds each call to the identity provider and the gateway.
const providerTimeout = 10 * time.Second

// openStore opens the database and migrates it.
func (s *Settings) openStore(ctx context.Context) (*store.Store, error) {
	st, err := store.Open(ctx, s.Database)
	if err != nil {
		return nil, err
	}
	if err := st.Migrate(ctx); err != nil {
		return nil, errors.Join(err, st.Close())
	}
	return st, nil
}

// options returns the options of the platform. The settings must be complete: in
// development [program.openSandbox] completes them.
func (s *Settings) options(disk *media.Disk, log *slog.Logger) ([]learning.Option, error) {
	tokens, err := s.newVerifier()
	if err != nil {
		return nil, err
	}
	roles, err := s.newRoles()
	if err != nil {
		return nil, err
	}
	webhooks, err := identity.NewWebhookVerifier(list(s.Identity.WebhookSecret)...)
	if err != nil {
		return nil, err
	}
	payments, err := s.newGateway()
	if err != nil {
		return nil, err
	}
	issuer, err := s.newIssuer()
	if err != nil {
		return nil, err
	}
	certificates, err := s.newRenderer(log)
	if err != nil {
		return nil, err
	}
	options := []learning.Option{
		learning.WithTokens(tokens), learning.WithRoles(roles), learning.WithWebhooks(webhooks),
		learning.WithGateway(payments), learning.WithMedia(disk),
		learning.WithCertificates(certificates, s.PublicURL), learning.WithName(s.Certificate.Name),
		learning.WithCurrency(s.Currency), learning.WithProviderTimeout(providerTimeout), learning.WithLogger(log),
	}
	model, err := s.AI.options()
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
func (s *Settings) newVerifier() (*identity.Verifier, error) {
	i := s.Identity
	parties := identity.WithAuthorizedPartiesIfPresent(s.frontEnd())
	if i.Parties != "" {
		parties = identity.WithAuthorizedParties(list(i.Parties)...)
	}
	return identity.NewVerifier(i.JWKSURL, identity.WithIssuer(i.Issuer), identity.WithAudience(list(i.Audience)...), parties)
}

func (s *Settings) newRoles() (*identity.Client, error) {
	return identity.NewClient(s.Identity.APIURL, s.Identity.APIKey, identity.WithTimeout(providerTimeout))
}

func (s *Settings) newGateway() (*gateway.Client, error) {
	g := s.Gateway
	return gateway.New(g.URL, g.KeyID, g.KeySecret,
		gateway.WithWebhookSecrets(list(g.WebhookSecret)...), gateway.WithTimeout(providerTimeout))
}

// newDisk opens the media directory and creates it if it does not exist. The database
// holds names and not URLs, so a command that only stores media needs no public URL.
func (p *program) newDisk() (*media.Disk, error) {
	base := strings.TrimRight(cmp.Or(p.PublicURL, "http://localhost"), "/") + "/media"
	disk, err := media.NewDisk(p.Media, base, media.WithLogger(p.log))
	if err != nil {
		return nil, fmt.Errorf("%s (--media) is %q, which cannot be used: %w", variable("media"), p.Media, err)
	}
	return disk, nil
}

// site is the platform with its handler.
type site struct {
	options  []learning.Option // of the platform, without the target of events
	platform *learning.Platform
	handler  http.Handler
	disk     *media.Disk // the caller must close it
}

// build returns a site, whose handler has more options. The settings must be complete.
func (p *program) build(st learning.Store, more ...httpapi.Option) (*site, error) {
	disk, err := p.newDisk()
	if err != nil {
		return nil, err
	}
	s := &site{disk: disk}
	if s.options, err = p.options(disk, p.log); err == nil {
		s.platform, err = p.newPlatform(st, s.options...)
	}
	if err == nil {
		s.handler, err = p.newHandler(s.platform, disk, p.log, more...)
	}
	if err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	return s, nil
}

// newHandler returns the handler of the API and of the server's own routes, with more options.
func (s *Settings) newHandler(platform *learning.Platform, disk *media.Disk, log *slog.Logger, more ...httpapi.Option) (http.Handler, error) {
	options := []httpapi.Option{
		httpapi.WithPublicURL(s.PublicURL), httpapi.WithLogger(log), httpapi.WithTrustedProxies(s.proxies()...),
		httpapi.WithRoutes(
			httpapi.Route{ID: "ready", Method: http.MethodGet, Path: "/readyz", Access: httpapi.Public,
				Summary: "Say whether the database answers", Do: httpapi.Handle(ready(platform))},
			httpapi.Route{ID: "icon", Method: http.MethodGet, Path: "/favicon.ico", Access: httpapi.Public,
				Summary: "Show the icon of this server's pages", Do: httpapi.Handle(http.HandlerFunc(serveIcon))},
			httpapi.Route{ID: "media", Method: http.MethodGet, Path: "/media/*name", Access: httpapi.Public,
				Summary: "Show a thumbnail or a certificate", Do: httpapi.Handle(http.StripPrefix("/media/", disk))},
		),
	}
	if s.FrontendOrigin != "" {
		options = append(options, httpapi.WithOrigin(s.FrontendOrigin))
	}
	if !s.production() {
		options = append(options, httpapi.WithVerboseErrors())
	}
	return httpapi.New(platform, append(options, more...)...)
}
