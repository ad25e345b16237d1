package faultbench

import (
	"database/sql"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql" // the drivers of the store
	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	_ "modernc.org/sqlite"

	"github.com/openlectern/openlectern/internal/enginetest"
	"github.com/openlectern/openlectern/internal/servertest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// The links to providers.
const (
	linkGateway  = "gateway"
	linkStripe   = "stripe" // also the name of the provider
	linkIdentity = "identity"
	linkAI       = "ai"
	linkEvents   = "events"
	linkMedia    = "media" // the bucket, if there are several servers
	linkRedis    = "redis" // the rate limits, if there are several servers
)

const (
	publicURL = "https://api.example.org" // with which the URLs in answers begin
	founder   = "founder"                 // the user who creates the groups
)

// bench is everything that takes part in a run.
type bench struct {
	tb      testing.TB
	seed    uint64
	dir     string
	engine  engine
	journal *journal
	claims  *claims          // what was answered, for the books
	box     *sandbox.Sandbox // the gateway, the identity provider and the AI
	db      *sql.DB          // without a proxy

	links    map[string]*Proxy // by target: "gateway", "database 1"
	servers  []*server
	postman  *postman
	receiver *receiver
	objects  *s3mem.Backend // the bucket; nil for a folder
	redisURL string         // through the proxy; "" for limits in memory
}

// newBench starts the providers and the servers on an engine, with the catalogue imported. All of
// them end with the test. It ends the test if something does not start.
func newBench(tb testing.TB, engineName string, seed uint64) *bench {
	tb.Helper()
	open := engines[engineName]
	if open == nil {
		tb.Fatalf("there is no engine %q", engineName)
	}
	b := &bench{tb: tb, seed: seed, dir: tb.TempDir(), engine: open(tb), journal: newJournal(),
		claims: newClaims(), links: map[string]*Proxy{}}
	b.openProviders()
	b.openDatabase()
	b.openServers()
	return b
}

// must ends the test if there is an error.
func (b *bench) must(err error) {
	b.tb.Helper()
	if err != nil {
		b.tb.Fatal(err)
	}
}

// openProviders starts the sandbox, the receiver of events, the bucket and Redis, each with a proxy
// in front.
func (b *bench) openProviders() {
	b.tb.Helper()
	var err error
	b.box, err = sandbox.Listen(sandbox.Config{Retry: retries()})
	b.must(err)
	b.tb.Cleanup(b.box.Close)
	// The receiver of events checks their signatures and keeps their order.
	b.receiver, err = newReceiver(b.journal)
	b.must(err)
	events := b.listen(b.receiver)
	// A proxy before each of them can break the connection.
	for _, name := range []string{linkGateway, linkStripe, linkIdentity, linkAI} {
		b.link(name, b.box.Config().Addr)
	}
	b.link(linkEvents, events)
	// Several servers share files and rate limits.
	if b.engine.servers > 1 {
		b.objects = s3mem.New()
		b.must(b.objects.CreateBucket(bucket))
		// no limit, because the clocks of servers are moved
		anyTime := gofakes3.WithTimeSkewLimit(0)
		b.link(linkMedia, b.listen(gofakes3.New(b.objects, anyTime).Server()))
		b.openRedis()
	}
}

// retries returns the pauses between the tries of the sandbox to send a webhook: from 0.1 seconds
// to one, for about 1000 seconds, which is longer than every outage of a run.
func retries() []time.Duration {
	all := make([]time.Duration, 1_000)
	for i := range all {
		all[i] = min(100*time.Millisecond<<min(i, 10), time.Second)
	}
	return all
}

// listen serves a handler until the end of the test, and returns its address.
func (b *bench) listen(handler http.Handler) (addr string) {
	s := httptest.NewServer(handler)
	b.tb.Cleanup(func() {
		// Close waits for requests, some of which may hang.
		s.CloseClientConnections()
		s.Close()
	})
	return strings.TrimPrefix(s.URL, "http://")
}

// link puts a proxy in front of an address, and returns the address of the proxy. name is that of
// the target of faults.
func (b *bench) link(name, addr string) string {
	b.tb.Helper()
	p, err := NewProxy(addr)
	b.must(err)
	b.tb.Cleanup(p.Close)
	b.links[name] = p
	return p.Addr()
}

// openDatabase opens the pool of the bench itself, which leads through no proxy.
func (b *bench) openDatabase() {
	b.tb.Helper()
	var err error
	b.db, err = enginetest.OpenSQL(b.engine.urls[0])
	b.must(err)
	b.db.SetMaxIdleConns(-1) // a server that was killed leaves dead connections
	b.tb.Cleanup(func() { _ = b.db.Close() })
}

// openServers builds the program, imports the catalogue and starts the servers.
func (b *bench) openServers() {
	b.tb.Helper()
	// Build the program with a clock that the bench can move.
	program := filepath.Join(b.dir, "refserver")
	build := exec.Command("go", "build", "-tags", "faultbench", "-o", program, "./cmd/refserver")
	build.Dir = "../.." // the module that the server belongs to
	if out, err := build.CombinedOutput(); err != nil {
		b.tb.Fatalf("build refserver: %v\n%s", err, out)
	}
	// Give each server its address, its clock file and its settings.
	for i := range b.engine.servers {
		s, err := newServer(i, program, b.dir, b.settings(i), b.journal)
		b.must(err)
		b.servers = append(b.servers, s)
		b.tb.Cleanup(s.kill)
	}
	// Import the catalogue while no server runs.
	text, err := catalogue()
	b.must(err)
	file := filepath.Join(b.dir, "catalogue.json")
	b.must(os.WriteFile(file, text, 0o600))
	_, err = b.servers[0].run("import", file)
	b.must(err)
	// Start the servers, and let webhooks pass through the postman.
	for _, s := range b.servers {
		b.must(s.start(b.tb.Context()))
	}
	b.postman = newPostman(b.seed, b.urls(), b.journal)
	b.tb.Cleanup(b.postman.close)
	b.box.SetWebhookURL("http://" + b.listen(b.postman))
}

// settings returns the settings of a server in production, whose connections all lead through
// proxies.
func (b *bench) settings(i int) map[string]string {
	b.tb.Helper()
	cfg := b.box.Config()
	at := func(link string) string { return "http://" + b.links[link].Addr() }
	// These name the sandbox itself: below, the proxies replace it.
	env := servertest.Settings(cfg)
	maps.Copy(env, map[string]string{
		"LEARNING_ENV":                    "production",
		"LEARNING_RECONCILE_EVERY":        "10s", // many times in a run
		"LEARNING_LOG_LEVEL":              "warn",
		"LEARNING_DATABASE":               b.engine.urls[i],
		"LEARNING_MEDIA":                  b.mediaFolder(),
		"LEARNING_FRONTEND_ORIGIN":        "https://learn.example.org",
		"LEARNING_PUBLIC_URL":             publicURL,
		"LEARNING_IDENTITY_JWKS_URL":      at(linkIdentity) + "/.well-known/jwks.json",
		"LEARNING_IDENTITY_API_URL":       at(linkIdentity),
		"LEARNING_GATEWAY_URL":            at(linkGateway),
		"LEARNING_STRIPE_URL":             at(linkStripe) + sandbox.StripePath,
		"LEARNING_STRIPE_CURRENCIES":      stripeCurrency,
		"LEARNING_AI_URL":                 at(linkAI) + "/v1",
		"LEARNING_AI_API_KEY":             cfg.AIAPIKey,
		"LEARNING_AI_MODEL":               sandbox.AIModel,
		"LEARNING_STRIPE_KEY":             cfg.StripeKey,
		"LEARNING_STRIPE_PUBLISHABLE_KEY": cfg.StripePublishableKey,
		"LEARNING_STRIPE_WEBHOOK_SECRET":  cfg.StripeWebhookSecret,
		"LEARNING_EVENTS_URL":             at(linkEvents),
		"LEARNING_EVENTS_SECRET":          eventSecret,
	})
	// What the engine, Redis and the bucket change.
	if !b.engine.isSQLite() {
		env["LEARNING_DATABASE"] = b.databaseURL(i)
	}
	if b.redisURL != "" {
		env["LEARNING_REDIS_URL"] = b.redisURL
	}
	if b.links[linkMedia] != nil {
		env["LEARNING_MEDIA"] = "s3://" + bucket + "/" + bucketFolder + "?endpoint=" + at(linkMedia)
		env["LEARNING_MEDIA_KEY_ID"] = "key-1"
		env["LEARNING_MEDIA_KEY_SECRET"] = "the secret of the bucket"
	}
	return env
}

// databaseURL returns the URL of the database of a server, through a proxy. On a cluster the proxy
// leads to a switch, which begins with the server's own node and follows the nodes that are ready.
func (b *bench) databaseURL(i int) string {
	b.tb.Helper()
	text := b.engine.urls[i]
	if len(b.engine.nodes) > 1 {
		text = enginetest.NewNodeSwitch(b.tb,
			slices.Concat(b.engine.urls[i:], b.engine.urls[:i])...).URL
	}
	u, err := url.Parse(text)
	b.must(err)
	u.Host = b.link(numbered(targetDatabase, i), u.Host)
	return u.String()
}

// files returns the names of the stored files.
func (b *bench) files() ([]string, error) {
	if b.objects != nil {
		return bucketFiles(b.objects)
	}
	return folderFiles(b.mediaFolder())
}

// mediaFolder returns the folder of the files, which does not exist if they are in a bucket.
func (b *bench) mediaFolder() string { return filepath.Join(b.dir, "media") }

// urls returns the URLs of the servers.
func (b *bench) urls() (all []string) {
	for _, s := range b.servers {
		all = append(all, s.url)
	}
	return all
}

// place returns what faults can happen to, for [NewSchedule].
func (b *bench) place() Place {
	p := Place{Servers: len(b.servers), Engines: len(b.engine.nodes), Poolers: len(b.engine.poolers),
		Providers: []string{linkGateway, linkStripe, linkIdentity, linkAI, linkEvents}}
	for _, n := range b.engine.nodes {
		_, p.Processes = n.(processNode)
	}
	if b.links[linkMedia] != nil {
		p.Providers = append(p.Providers, linkMedia, linkRedis)
	}
	return p
}
