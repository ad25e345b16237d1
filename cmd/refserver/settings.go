package main

import (
	"cmp"
	"net/netip"
	"strings"

	"github.com/alecthomas/kong"
)

// Settings are the settings of an operator. Each is an environment variable, named by
// [variable], and a flag, which overrides the variable.
type Settings struct {
	Env            string `default:"development" help:"development or production."`
	Addr           string `default:":3000" help:"Address to listen on."`
	Database       string `default:"sqlite:learning.db" help:"sqlite:FILE or mysql://user:password@host:3306/name."`
	FrontendOrigin string `help:"Origin of the front end whose pages may call the API, such as https://learn.example.org; http://localhost:5173 in development."`
	PublicURL      string `name:"public-url" help:"URL of this server for clients, such as https://api.example.org: the base of links."`
	Currency       string `default:"INR" help:"ISO 4217 code of a currency with two decimals."`
	Media          string `default:"media" help:"Directory for thumbnails and certificates."`
	Fonts          string `help:"Directory of fonts for certificates; the system's Noto fonts without it."`

	Identity IdentitySettings `embed:"" prefix:"identity-"`
	Gateway  GatewaySettings  `embed:"" prefix:"gateway-"`
	AI       AISettings       `embed:"" prefix:"ai-"`
	Events   EventsSettings   `embed:"" prefix:"events-"`

	Certificate CertificateSettings `embed:"" prefix:"certificate-"`
	Credential  CredentialSettings  `embed:"" prefix:"credential-"`

	RedisURL       string `name:"redis-url" help:"Redis for rate limits that several servers share (a later version)."`
	TrustedProxies string `help:"Comma-separated CIDRs of proxies whose X-Forwarded-For is used."`
	MetricsAddr    string `help:"Address to serve /metrics on (a later version)."`
}

// IdentitySettings configure the identity provider. If none is set in development,
// the sandbox is used.
type IdentitySettings struct {
	JWKSURL       string `name:"jwks-url" help:"Where the identity provider publishes its keys."`
	Issuer        string `help:"The iss of its session tokens."`
	APIURL        string `name:"api-url" help:"Base of its API, in which roles are set."`
	APIKey        string `name:"api-key" help:"Secret key of that API."`
	WebhookSecret string `help:"Comma-separated signing secrets of its webhooks (whsec_…)."`
	Audience      string `help:"Comma-separated values of which the aud of a token must hold one; not checked without it."`
	Parties       string `help:"Comma-separated values of azp that are accepted, and then required; without it the front-end origin, where a token has an azp."`
}

// GatewaySettings configure the payment gateway. If none is set in development, the
// sandbox is used.
type GatewaySettings struct {
	URL           string `name:"url" help:"Base of the payment gateway's API."`
	KeyID         string `help:"Public key id."`
	KeySecret     string `help:"Secret of that key."`
	WebhookSecret string `help:"Comma-separated signing secrets of its webhooks."`
}

// AISettings configure the AI provider. If none is set, the sandbox is used in
// development, and there is no AI in production.
type AISettings struct {
	URL    string `name:"url" help:"Base of an OpenAI-compatible API, such as https://api.example.org/v1; without it there is no AI in production."`
	APIKey string `name:"api-key" help:"Secret key of that API; a provider on your own machine may need none."`
	Model  string `help:"Name of the model."`
	Budget string `help:"Tokens per day for one user and, after a comma, for all users, such as 50000,5000000; 0 means unlimited."`
}

// EventsSettings configure the receiver of events. If none is set, no webhooks are sent.
type EventsSettings struct {
	URL    string `name:"url" help:"Where events are sent as signed webhooks, such as https://hooks.example.org/lectern."`
	Secret string `help:"Comma-separated secrets that sign them (whsec_…); each signs every webhook."`
}

// CertificateSettings configure the issuer's name and the appearance of certificates.
type CertificateSettings struct {
	Name   string `default:"Open Lectern" help:"The issuer: the name of the school on certificates and credentials."`
	Logo   string `help:"PNG or JPEG file that is printed above that name."`
	Accent string `help:"Colour of the heading and the ornament, such as #7a1f2b."`
}

// CredentialSettings configure the keys that sign credentials. If no key is set in
// development, one is created in a file next to the database.
type CredentialSettings struct {
	Key         string `help:"PEM file of the private key (PKCS #8) that signs certificates as Open Badges credentials."`
	RetiredKeys string `help:"Comma-separated PEM files of earlier keys, private or public, which stay published."`
}

func (s *Settings) production() bool { return s.Env != development }

const development = "development"

// frontEnd returns the origin of the front end. In production the setting is required.
func (s *Settings) frontEnd() string { return cmp.Or(s.FrontendOrigin, "http://localhost:5173") }

// set reports whether a setting of the provider is set: then all of them are required.
func (i IdentitySettings) set() bool { return i != IdentitySettings{} }
func (g GatewaySettings) set() bool  { return g != GatewaySettings{} }
func (a AISettings) set() bool       { return a != AISettings{Budget: a.Budget} }
func (e EventsSettings) set() bool   { return e != EventsSettings{} }

// list splits a comma-separated setting. It trims the parts and drops empty ones.
func list(s string) []string {
	var parts []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// proxies returns the trusted networks, which [Settings.checkProxies] has validated.
func (s *Settings) proxies() []netip.Prefix {
	var all []netip.Prefix
	for _, part := range list(s.TrustedProxies) {
		if prefix, err := netip.ParsePrefix(part); err == nil {
			all = append(all, prefix)
		}
	}
	return all
}

const settingsGroup = "settings"

// variable returns the name of the environment variable of a flag: LEARNING_PUBLIC_URL
// for public-url.
func variable(flag string) string {
	return "LEARNING_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment returns a resolver that reads settings from the environment. Flags of
// a single command are not settings and are read from the command line only.
func fromEnvironment(getenv func(string) string) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if flag.Group == nil || flag.Group.Key != settingsGroup {
			return nil, nil
		}
		if value := getenv(variable(flag.Name)); value != "" {
			return value, nil
		}
		return nil, nil
	})
}

func helpWithVariable(value *kong.Value) string {
	if value.Flag == nil || value.Flag.Group == nil || value.Flag.Group.Key != settingsGroup {
		return value.Help
	}
	return value.Help + " [" + variable(value.Name) + "]"
}
