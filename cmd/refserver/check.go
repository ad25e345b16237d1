package main

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/engines"
	"github.com/openlectern/openlectern/learning/webhook"
)

// maxDrainDelay is the longest delay of the end of a server.
const maxDrainDelay = 5 * time.Minute

// maxReconcileEvery is the longest interval of reconciliation. It is much shorter than the
// time in which an order can be paid.
const maxReconcileEvery = 24 * time.Hour

// minSecret is the least length of a secret, in bytes. It excludes placeholders such as
// "secret" and "changeme".
const minSecret = 16

// problems collects the problems of the settings, so that one error lists them all. No
// line contains a value that may be secret.
type problems struct{ lines []string }

// add adds a line for a flag: its variable, its name and a text that continues these.
func (p *problems) add(flag, format string, args ...any) {
	p.lines = append(p.lines,
		fmt.Sprintf("%s (--%s) %s", variable(flag), flag, fmt.Sprintf(format, args...)))
}

// missing reports whether a value is missing, and adds the problem.
func (p *problems) missing(flag, value, what string) bool {
	if value == "" {
		p.add(flag, "is missing: %s", what)
	}
	return value == ""
}

// err returns one error with all problems, or nil if there are none.
func (p *problems) err() error {
	if len(p.lines) == 0 {
		return nil
	}
	return errors.New("the settings need attention:\n  " + strings.Join(p.lines, "\n  "))
}

// check runs the checks, after those of the settings that every command has. It returns one error
// with all problems, or nil if there are none.
func (s *Settings) check(checks ...func(*Settings, *problems)) error {
	var p problems
	// The settings that every command has.
	if s.Env != development && s.Env != "production" {
		p.add("env", "is %q: it must be development or production", s.Env)
	}
	// The level is "" in the settings of exec.
	if !slices.Contains([]string{"", "false", "true", "all"}, s.MCP) {
		p.add("mcp", "is %q: it must be true, all or false", s.MCP)
	}
	if !slices.Contains([]string{"", "debug", "info", "warn", "error"}, s.LogLevel) {
		p.add("log-level", "is %q: it must be debug, info, warn or error", s.LogLevel)
	}
	if s.DrainDelay < 0 || s.DrainDelay > maxDrainDelay {
		p.add("drain-delay", "is %v: it must be 0s to %v", s.DrainDelay, maxDrainDelay)
	}
	// 0 means that purchases are never reconciled.
	if every := s.ReconcileEvery; every != 0 && (every < time.Second || every > maxReconcileEvery) {
		p.add("reconcile-every", "is %v: it must be 0, or 1s to %v", every, maxReconcileEvery)
	}
	// Values of the environment that the parser could not read.
	for _, flag := range slices.Sorted(maps.Keys(s.unreadable)) {
		p.add(flag, "%s", s.unreadable[flag])
	}
	// The settings of this command.
	for _, check := range checks {
		check(s, &p)
	}
	return p.err()
}

// serverChecks are the checks of the settings of the serve command.
var serverChecks = []func(*Settings, *problems){
	(*Settings).checkAddresses, (*Settings).checkMetrics, (*Settings).checkDatabase,
	(*Settings).checkMedia, (*Settings).checkFiles, (*Settings).checkFonts,
	(*Settings).checkCurrency,
	(*Settings).checkIdentity, (*Settings).checkGateway, (*Settings).checkStripe, (*Settings).checkAI,
	(*Settings).checkEvents, (*Settings).checkProxies, (*Settings).checkRedis,
	(*Settings).checkCertificate, (*Settings).checkCredential, (*Settings).checkPapers,
}

// checkAddr checks where the server listens.
func (s *Settings) checkAddr(p *problems) {
	if _, port, err := net.SplitHostPort(s.Addr); err != nil || !isPort(port) {
		p.add("addr", "is %q: it must be [host]:port, such as :3000", s.Addr)
	}
}

// checkAddresses checks where the server listens, the origin of the front end, and the URL under
// which others reach this server. In development these two may be missing, because they have
// defaults.
func (s *Settings) checkAddresses(p *problems) {
	s.checkAddr(p)
	if s.production() || s.FrontendOrigin != "" {
		p.origin("frontend-origin", s.FrontendOrigin)
	}
	if s.production() || s.PublicURL != "" {
		p.address("public-url", s.PublicURL,
			"the URL under which this server is reached, such as https://api.example.org")
	}
}

// isPort reports whether s is a number that a port can have; 0 is any free port.
func isPort(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16) // the bits of a port
	return err == nil
}

// origin checks that a value has the form in which browsers send Origin: scheme, host,
// and a port unless it is the default one, in lower case.
func (p *problems) origin(flag, value string) {
	const example = "the origin of the front end, such as https://learn.example.org"
	if p.missing(flag, value, example) {
		return
	}
	u, err := url.Parse(value)
	// Browsers send the host in lower case and omit the default port.
	switch {
	case err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") ||
		value != strings.ToLower(u.Scheme+"://"+u.Host):
		p.add(flag, "is %q: it must be %s, in lower case and with nothing after the host", value,
			example)
	case u.Scheme+u.Port() == "http80" || u.Scheme+u.Port() == "https443":
		p.add(flag, "is %q: browsers omit the default port, so it must be %s", value,
			strings.TrimSuffix(value, ":"+u.Port()))
	}
}

// address checks a required URL, which must be absolute, http or https, without a query and, as
// provider.URL demands, without a fragment. what says what the URL is for, with an example.
func (p *problems) address(flag, value, what string) {
	if p.missing(flag, value, what) {
		return
	}
	if u, err := provider.URL(value); err != nil || u.RawQuery != "" {
		p.add(flag, "cannot be used: it must be an absolute http or https URL without a query: %s",
			what)
	}
}

// secret checks a required secret. what says which one it is, for a missing one.
func (p *problems) secret(flag, value, what string) {
	if !p.missing(flag, value, what) && len(value) < minSecret {
		p.add(flag, "is too short: it must have at least %d characters", minSecret)
	}
}

// list checks an optional comma-separated setting: if it is set, it must have a value.
func (p *problems) list(flag, value string) {
	if value != "" && len(list(value)) == 0 {
		p.add(flag, "is set and contains no value")
	}
}

// checkDatabase checks the URL, which is always required, without a connection. The error never has
// the password.
func (s *Settings) checkDatabase(p *problems) {
	if err := engines.CheckURL(s.Database); err != nil {
		p.add("database", "cannot be used: %v", err)
	}
	if err := store.CheckPrefix(s.DatabasePrefix); err != nil {
		p.add("database-prefix", "cannot be used: %v", err)
	}
}

// checkFonts checks the folder of more fonts, which is optional.
func (s *Settings) checkFonts(p *problems) {
	if info, err := os.Stat(s.Fonts); s.Fonts != "" && (err != nil || !info.IsDir()) {
		p.add("fonts",
			"is %q, which is not a readable directory: it must contain fonts, such as "+
				"/usr/share/fonts/truetype/noto", s.Fonts)
	}
}

// checkCurrency applies the platform's own rule for currencies. [learning.New] requires a store but
// calls no method of it, so the one here has a nil Store inside.
func (s *Settings) checkCurrency(p *problems) {
	_, err := learning.New(struct{ learning.Store }{}, learning.WithCurrency(s.Currency))
	if err != nil {
		p.add("currency", "cannot be used: %s", strings.TrimPrefix(err.Error(), "learning: "))
	}
}

// checkIdentity checks the settings of the identity provider. In development they are optional as a
// whole.
func (s *Settings) checkIdentity(p *problems) {
	i := s.Identity
	if !s.production() && !i.set() {
		return // the sandbox
	}
	// What verifies tokens.
	p.address("identity-jwks-url", i.JWKSURL,
		"where the identity provider publishes its keys, such as "+
			"https://id.example.org/.well-known/jwks.json")
	p.missing("identity-issuer", i.Issuer,
		"the iss of the identity provider's tokens, such as https://id.example.org")
	// What grants roles.
	p.address("identity-api-url", i.APIURL,
		"the base of the identity provider's API, such as https://api.id.example.org")
	p.secret("identity-api-key", i.APIKey, "the secret key of the identity provider's API")
	// What restricts tokens; both are optional.
	p.list("identity-audience", i.Audience)
	p.list("identity-parties", i.Parties)
	// What verifies webhooks. The library validates the secrets.
	const what = "the signing secret of the identity provider's webhooks, which begins with whsec_"
	secrets := strings.Join(list(i.WebhookSecret), "") // "" also if it has only commas
	if p.missing("identity-webhook-secret", secrets, what) {
		return
	}
	if _, err := identity.NewWebhookVerifier(list(i.WebhookSecret)...); err != nil {
		p.add("identity-webhook-secret", "cannot be used: %s",
			strings.TrimPrefix(err.Error(), "identity: "))
	}
}

// checkGateway checks the settings of the payment gateway. In development, and beside Stripe, they
// are optional as a whole.
func (s *Settings) checkGateway(p *problems) {
	g := s.Gateway
	if !g.set() && (!s.production() || s.Stripe.set()) {
		return // the sandbox, or Stripe takes all payments
	}
	p.address("gateway-url", g.URL,
		"the base of the payment gateway's API, such as https://api.gateway.example.org")
	// The key id is the user name of basic authentication, which ends at the first colon.
	if !p.missing("gateway-key-id", g.KeyID, "the public key id at the payment gateway") &&
		strings.Contains(g.KeyID, ":") {
		p.add("gateway-key-id", "contains a colon, which a key id cannot")
	}
	p.secret("gateway-key-secret", g.KeySecret, "the secret of the key at the payment gateway")
	p.webhookSecrets("gateway-webhook-secret", g.WebhookSecret,
		"the signing secret of the payment gateway's webhooks")
}

// webhookSecrets checks a list of signing secrets: there are several while one is replaced by
// another.
func (p *problems) webhookSecrets(name, value, what string) {
	secrets := list(value)
	if len(secrets) == 0 { // also if it has only commas, which missing would take for a value
		p.missing(name, "", what)
	}
	for _, secret := range secrets {
		p.secret(name, secret, "") // list returns no empty one
	}
}

// checkAI checks the AI's settings, which are optional as a whole.
func (s *Settings) checkAI(p *problems) {
	// The budget may be set without the AI, for the sandbox's.
	if _, err := s.AI.budget(); err != nil {
		p.add("ai-budget", "is %q: %v", s.AI.Budget, err)
	}
	if !s.AI.set() {
		return
	}
	p.address("ai-url", s.AI.URL,
		"the base of an OpenAI-compatible API, such as https://api.example.org/v1")
	if strings.TrimSpace(s.AI.Model) == "" {
		p.missing("ai-model", "", "the name of the model")
	}
	// The URL and the model were checked above: an error here is one of the key.
	if _, err := ai.New("http://localhost", s.AI.APIKey, "any"); err != nil {
		p.add("ai-api-key", "cannot be used: %s", strings.TrimPrefix(err.Error(), "ai: "))
	}
}

// checkEvents checks the settings of the receiver of events, which are optional as a whole. The
// URL may have a query.
func (s *Settings) checkEvents(p *problems) {
	e := s.Events
	if !e.set() {
		return
	}
	const example = "where events are sent, such as https://hooks.example.org/lectern"
	if !p.missing("events-url", e.URL, example) {
		if _, err := provider.URL(e.URL); err != nil {
			p.add("events-url", "cannot be used: it must be an absolute http or https URL: %s",
				example)
		}
	}
	secrets := strings.Join(list(e.Secret), "") // "" also if it has only commas
	if p.missing("events-secret", secrets,
		"the secret that signs the webhooks: whsec_ and at least 24 random bytes in base64") {
		return
	}
	// The URL was checked above: an error here is one of the secrets.
	if _, err := webhook.NewSender("http://localhost", list(e.Secret)); err != nil {
		p.add("events-secret", "cannot be used: %s", strings.TrimPrefix(err.Error(), "webhook: "))
	}
}

// checkProxies checks the trusted networks. In production a network of everybody is an error,
// because each client could then choose the address that rate limits count and that the log has.
func (s *Settings) checkProxies(p *problems) {
	for _, part := range list(s.TrustedProxies) {
		if _, err := netip.ParsePrefix(part); err != nil {
			p.add("trusted-proxies",
				"has %q: it must be comma-separated CIDRs, such as 10.0.0.0/8 or 203.0.113.7/32",
				part)
		}
	}
	if s.production() && s.trustsEverybody() {
		p.add("trusted-proxies",
			"is %q, which contains everybody: any client could choose its own address; "+
				"name the networks of your proxies only", s.TrustedProxies)
	}
}

// trustsEverybody reports whether a trusted network contains all addresses of IPv4 or IPv6. A
// network that is not valid does not count.
func (s *Settings) trustsEverybody() bool {
	return slices.ContainsFunc(s.proxies(),
		func(network netip.Prefix) bool { return network.Bits() == 0 })
}
