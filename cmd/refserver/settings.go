package main

import (
	"cmp"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// Settings are the settings of an operator. Each is an environment variable, named by
// [variable], and a flag, which overrides the variable.
type Settings struct {
	Env            string        `default:"development" help:"development or production."`
	Addr           string        `default:"${addr}" help:"Address to listen on."`
	Database       string        `default:"sqlite:learning.db" help:"sqlite:FILE, mysql://user:password@host:3306/name, or postgres:// alike."`
	DatabasePrefix string        `help:"Prefix of the names of all tables and indexes, such as lectern_."`
	FrontendOrigin string        `help:"Origin of the front end: https://learn.example.org."`
	Storefront     bool          `default:"true" negatable:"" help:"In development, serve the storefront."`
	PublicURL      string        `name:"public-url" help:"URL of this server, the base of links."`
	Currency       string        `default:"INR" help:"ISO 4217 code, with two decimals."`
	Media          string        `default:"media" help:"Directory for thumbnails and certificates, or an S3-compatible bucket such as s3://lectern/media?endpoint=https://s3.example.org&region=eu-central-1."`
	DrainDelay     time.Duration `default:"0s" help:"Time to serve after a signal, /readyz at 503."`
	ReconcileEvery time.Duration `default:"5m" help:"Pause between reconciliations; 0 means never."`
	LogLevel       string        `default:"info" help:"Least level: debug, info, warn or error."`
	Fonts          string        `help:"Directory of fonts; default the system's Noto fonts."`

	MaxFile     string `default:"500MB" help:"Largest uploaded file: 500MB, 2GB."`
	MaxStorage  string `default:"100GB" help:"Largest size of all files of an educator together: 100GB."`
	EmbedHosts  string `help:"Comma-separated hosts that lectures may embed, beside YouTube's and Vimeo's."`
	FilesSecret string `help:"Comma-separated secrets; the first signs URLs of files in a directory, and all verify."`

	Bucket   BucketSettings   `embed:"" prefix:"media-"`
	Identity IdentitySettings `embed:"" prefix:"identity-"`
	Gateway  GatewaySettings  `embed:"" prefix:"gateway-"`
	Stripe   StripeSettings   `embed:"" prefix:"stripe-"`
	Refund   RefundSettings   `embed:"" prefix:"refund-"`
	Seller   SellerSettings   `embed:"" prefix:"seller-"`
	Tax      TaxSettings      `embed:"" prefix:"tax-"`

	PapersYears int `default:"10" help:"For how many years receipts of deleted users keep their names."`

	AI     AISettings     `embed:"" prefix:"ai-"`
	Events EventsSettings `embed:"" prefix:"events-"`

	Certificate CertificateSettings `embed:"" prefix:"certificate-"`
	Credential  CredentialSettings  `embed:"" prefix:"credential-"`

	RedisURL       string `name:"redis-url" help:"Shared limits: redis://user:password@host:6379."`
	TrustedProxies string `help:"Comma-separated CIDRs of proxies whose X-Forwarded-For is used."`
	MCP            string `name:"mcp" help:"Serve agents at /mcp: true, or all for what moves money or ends access too; default false."`
	MetricsAddr    string `help:"Where /metrics is, such as 127.0.0.1:9464; default nowhere."`

	unreadable map[string]string // values of the environment that have no meaning, by flag
}

// BucketSettings configure the bucket, if [Settings.Media] is one.
type BucketSettings struct {
	KeyID     string `help:"Key id of the bucket; without it AWS_ACCESS_KEY_ID."`
	KeySecret string `help:"Secret of that key; without it AWS_SECRET_ACCESS_KEY."`
	PublicURL string `name:"public-url" help:"Base of files in a public bucket or a CDN."`
}

// IdentitySettings configure the identity provider. If none is set in development,
// the sandbox is used.
type IdentitySettings struct {
	JWKSURL       string `name:"jwks-url" help:"Where the identity provider publishes its keys."`
	Issuer        string `help:"The iss of its session tokens."`
	APIURL        string `name:"api-url" help:"Base of its API, in which roles are set."`
	APIKey        string `name:"api-key" help:"Secret key of that API."`
	WebhookSecret string `help:"Comma-separated signing secrets of its webhooks (whsec_…)."`
	Audience      string `help:"Comma-separated; the aud of a token must have one, if set."`
	Parties       string `help:"Comma-separated accepted azp; default the front-end origin."`
}

// GatewaySettings configure the payment gateway. If none is set in development, the
// sandbox is used.
type GatewaySettings struct {
	URL           string `name:"url" help:"Base of the payment gateway's API."`
	KeyID         string `help:"Public key id."`
	KeySecret     string `help:"Secret of that key."`
	WebhookSecret string `help:"Comma-separated signing secrets of its webhooks."`
}

// StripeSettings configure Stripe, which takes payments beside the payment gateway or in its place.
// If none but the currencies is set in development, the sandbox is used.
type StripeSettings struct {
	Key            string `help:"Secret key (sk_…), or a restricted one (rk_…)."`
	PublishableKey string `help:"Publishable key (pk_…)."`
	WebhookSecret  string `help:"Comma-separated signing secrets of its webhooks (whsec_…)."`
	URL            string `name:"url" help:"Base of its API; default https://api.stripe.com."`
	Currencies     string `help:"Comma-separated currencies to pay at Stripe; default those that the gateway does not take."`
}

// RefundSettings configure what follows from the refund of all that was paid.
type RefundSettings struct {
	KeepAccess        bool `help:"The user stays enrolled."`
	RevokeCertificate bool `help:"The certificate of the course is revoked."`
}

// AISettings configure the AI provider. If none is set, the sandbox is used in
// development, and there is no AI in production.
type AISettings struct {
	URL    string `name:"url" help:"OpenAI-compatible API, such as https://api.example.org/v1."`
	APIKey string `name:"api-key" help:"Secret key of that API, if it needs one."`
	Model  string `help:"Name of the model."`
	Budget string `help:"Tokens per day of one user and of all, such as 50000,5000000."`
	Price  string `help:"Price of a million tokens read and written, such as 0.15,0.60."`
}

// EventsSettings configure the receiver of events. If none is set, no webhooks are sent.
type EventsSettings struct {
	URL    string `name:"url" help:"Where events are sent as signed webhooks."`
	Secret string `help:"Comma-separated secrets (whsec_…); each signs."`
}

// CertificateSettings configure the issuer's name and the appearance of certificates.
type CertificateSettings struct {
	Name   string `default:"Open Lectern" help:"Name of the school on certificates."`
	Logo   string `help:"PNG or JPEG file that is printed above that name."`
	Accent string `help:"Colour of the heading and the ornament, such as #7a1f2b."`
}

// CredentialSettings configure the keys that sign credentials. If no key is set in
// development, one is created in a file next to the database.
type CredentialSettings struct {
	Key         string `help:"PEM file of the private key (PKCS #8) of credentials."`
	RetiredKeys string `help:"Comma-separated PEM files of earlier keys."`
}

// production reports whether the server runs in production. An unknown value of Env, which
// [Settings.check] reports, counts as production.
func (s *Settings) production() bool { return s.Env != development }

const development = "development"

// frontEnd returns the origin of the front end. In production the setting is required.
func (s *Settings) frontEnd() string { return cmp.Or(s.FrontendOrigin, defaultFrontEnd) }

const defaultFrontEnd = "http://localhost:5173"

// set reports whether any setting of the provider is set. Then the sandbox does not take its place,
// and [Settings.checkIdentity] reports those that are missing.
func (i IdentitySettings) set() bool { return i != IdentitySettings{} }

// set is like [IdentitySettings.set], for the gateway.
func (g GatewaySettings) set() bool { return g != GatewaySettings{} }

// set is like [IdentitySettings.set], for Stripe. The currencies do not count, because they also
// apply to the Stripe of the sandbox.
func (s StripeSettings) set() bool { return s != StripeSettings{Currencies: s.Currencies} }

// set is like [IdentitySettings.set], for the AI. The budget and the price do not count, because
// they also apply to the AI of the sandbox.
func (a AISettings) set() bool { return a != AISettings{Budget: a.Budget, Price: a.Price} }

// set reports whether a receiver of events is configured.
func (e EventsSettings) set() bool { return e != EventsSettings{} }

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

// proxies returns the trusted networks. It leaves out what is not a CIDR, which
// [Settings.checkProxies] reports.
func (s *Settings) proxies() []netip.Prefix {
	var all []netip.Prefix
	for _, part := range list(s.TrustedProxies) {
		if prefix, err := netip.ParsePrefix(part); err == nil {
			all = append(all, prefix)
		}
	}
	return all
}

// settingsGroup is the group of those flags that are fields of [Settings]. Only they can also be
// set by a variable of the environment.
const settingsGroup = "settings"

// variable returns the name of the environment variable of a flag: LEARNING_PUBLIC_URL
// for public-url.
func variable(flag string) string {
	return settingPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// fromEnvironment returns a resolver that reads settings from the environment. Flags of
// a single command are not settings and are read from the command line only. The resolver records a
// value that cannot be read in s.unreadable and leaves it out: [Settings.check] reports it with the
// other problems.
func (s *Settings) fromEnvironment(env environment) kong.Resolver {
	return kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if flag.Group == nil || flag.Group.Key != settingsGroup {
			return nil, nil
		}
		// The key of a bucket may come from Amazon's variables, unless the environment has one of
		// the two settings: id and secret belong together.
		value := env[variable(flag.Name)]
		hasKey := env[variable("media-key-id")]+env[variable("media-key-secret")] != ""
		if name, ok := amazonVariables[flag.Name]; ok && !hasKey {
			value = env[name]
		}
		if value == "" {
			return nil, nil // the default of the flag applies
		}
		// Record a value that cannot be read. An error here would hide the other problems.
		if what := wantedForm(flag, value); what != "" {
			if s.unreadable == nil {
				s.unreadable = map[string]string{}
			}
			s.unreadable[flag.Name] = fmt.Sprintf("is %q: it must be %s", value, what)
			return nil, nil
		}
		return value, nil
	})
}

// wantedForm describes the form of the values of a flag if value does not have it; "" if it has, or
// if the flag takes any text.
func wantedForm(flag *kong.Flag, value string) string {
	switches := []string{"true", "1", "yes", "false", "0", "no"} // all that the parser accepts
	switch {
	case flag.IsBool() && !slices.Contains(switches, strings.ToLower(value)):
		return "true or false"
	case flag.Target.Type() == reflect.TypeFor[time.Duration]():
		if _, err := time.ParseDuration(value); err != nil {
			return "a time with its unit, such as 10s or 5m"
		}
	}
	return ""
}

// amazonVariables are the variables of Amazon's own tools, which are read if neither setting
// of a bucket's key is in the environment.
var amazonVariables = map[string]string{"media-key-id": "AWS_ACCESS_KEY_ID",
	"media-key-secret": "AWS_SECRET_ACCESS_KEY"}

// helpWithVariable returns the help of a flag, with the variable if the flag is a setting.
func helpWithVariable(value *kong.Value) string {
	if value.Flag == nil || value.Flag.Group == nil || value.Flag.Group.Key != settingsGroup {
		return value.Help
	}
	return value.Help + " [" + variable(value.Name) + "]"
}
