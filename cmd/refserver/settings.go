package main

import (
	"cmp"
	"net/netip"
	"strings"

	"github.com/alecthomas/kong"
)

// Settings are what an operator decides. Each is an environment variable, named
// by [variable], and a flag, which overrides it.
type Settings struct {
	Env            string `default:"development" help:"development or production."`
	Addr           string `default:":3000" help:"Address to listen on."`
	Database       string `default:"sqlite:learning.db" help:"sqlite:FILE or mysql://user:password@host:3306/name."`
	FrontendOrigin string `help:"The one front end whose pages may call the API, such as https://learn.example.org; http://localhost:5173 in development."`
	PublicURL      string `name:"public-url" help:"URL under which this server is reached, such as https://api.example.org: the base of links."`
	Currency       string `default:"INR" help:"ISO 4217 code of a currency with two decimals."`
	Media          string `default:"media" help:"Directory for thumbnails and certificates."`
	Fonts          string `help:"Directory of fonts for certificates; the system's Noto fonts without it."`

	Identity IdentitySettings `embed:"" prefix:"identity-"`
	Gateway  GatewaySettings  `embed:"" prefix:"gateway-"`
	AI       AISettings       `embed:"" prefix:"ai-"`

	Certificate CertificateSettings `embed:"" prefix:"certificate-"`
	Credential  CredentialSettings  `embed:"" prefix:"credential-"`

	RedisURL       string `name:"redis-url" help:"Redis for rate limits that several servers share (a later version)."`
	TrustedProxies string `help:"Comma-separated CIDRs of proxies whose X-Forwarded-For is believed."`
	MetricsAddr    string `help:"Address to serve /metrics on (a later version)."`
}

// IdentitySettings say who signs people in. In development, with none of them
// set, that is the sandbox.
type IdentitySettings struct {
	JWKSURL       string `name:"jwks-url" help:"Where the identity provider publishes its keys."`
	Issuer        string `help:"The iss of its session tokens."`
	APIURL        string `name:"api-url" help:"Base of its API, in which roles are set."`
	APIKey        string `name:"api-key" help:"Secret key of that API."`
	WebhookSecret string `help:"Comma-separated signing secrets of its webhooks (whsec_…)."`
	Audience      string `help:"Comma-separated values of which the aud of a token must hold one; not checked without it."`
	Parties       string `help:"Comma-separated values of azp that are accepted, and then required; without it the front-end origin, where a token has an azp."`
}

// GatewaySettings say who takes payments. In development, with none of them set,
// that is the sandbox.
type GatewaySettings struct {
	URL           string `name:"url" help:"Base of the payment gateway's API."`
	KeyID         string `help:"Public key id."`
	KeySecret     string `help:"Secret of that key."`
	WebhookSecret string `help:"Comma-separated signing secrets of its webhooks."`
}

// AISettings say who writes quizzes and roadmaps and answers in the chat. In
// development, with none of them set, that is the sandbox; in production, nobody.
type AISettings struct {
	URL    string `name:"url" help:"Base of an OpenAI-compatible API, such as https://api.example.org/v1; without it there is no AI in production."`
	APIKey string `name:"api-key" help:"Secret key of that API; some on one's own machines need none."`
	Model  string `help:"Name of the model."`
	Budget string `help:"Tokens a day for one person and, after a comma, for all together, such as 50000,5000000; 0 is no bound."`
}

// CertificateSettings say what stands on certificates beside who has done what.
type CertificateSettings struct {
	Name   string `default:"Open Lectern" help:"Who certifies: the name of the school on certificates and credentials."`
	Logo   string `help:"PNG or JPEG file that stands above that name."`
	Accent string `help:"Colour of the heading and the ornament, such as #7a1f2b."`
}

// CredentialSettings say with which keys certificates are signed as credentials. In
// development, without one, a key is made and kept beside the database.
type CredentialSettings struct {
	Key         string `help:"PEM file of the private key (PKCS #8) that signs certificates as Open Badges credentials."`
	RetiredKeys string `help:"Comma-separated PEM files of the keys that signed before, private or public: they stay published."`
}

func (s *Settings) production() bool { return s.Env != development }

const development = "development"

// frontEnd is the origin of the front end. In production it is always set.
func (s *Settings) frontEnd() string { return cmp.Or(s.FrontendOrigin, "http://localhost:5173") }

// set tells whether somebody has configured a provider: then all of it is needed.
func (i IdentitySettings) set() bool { return i != IdentitySettings{} }
func (g GatewaySettings) set() bool  { return g != GatewaySettings{} }
func (a AISettings) set() bool       { return a != AISettings{Budget: a.Budget} }

// list reads a comma-separated setting. Blanks around the parts are dropped, and
// so are empty parts.
func list(s string) []string {
	var parts []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// proxies reads the trusted networks; [Settings.checkProxies] has seen that it can.
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

// variable is the name of the environment variable of a setting: that of
// --public-url is LEARNING_PUBLIC_URL.
func variable(flag string) string {
	return "LEARNING_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment lets the parser find settings in the environment. Other flags
// belong to one command and are only given there.
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
