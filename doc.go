// Package openlectern is the root of Open Lectern, the back end of a learning
// platform as a library: courses, purchases through a payment gateway, enrolments,
// progress and certificates, quizzes by hand or by AI, assignments, a community, a tutor by AI, and
// the webhooks that keep the providers and the database in step. The package itself has
// the contract cases only, for tests; this page lists the packages of the module.
//
// The module serves the whole HTTP contract as one [net/http.Handler] that mounts
// in any Go server, stores its data in SQLite, MySQL (or MariaDB) or PostgreSQL, and needs no
// cgo. It contains the rules of the platform: who may do
// what, what a course costs, which payment completes which purchase, and who has
// completed what. Signing in is the task of an identity provider, taking money of a
// payment gateway, writing of a language model, and pages of a front end.
//
// # A complete program
//
// This server mounts the platform and a page of its own. The sandbox takes the place
// of an identity provider and a payment gateway. The program is examples/minimal;
// its test buys a course.
//
//	func main() {
//		const url = "http://localhost:3000"
//		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
//		defer stop()
//		st := must(sqlite.Open(ctx, "sqlite:learning.db"))
//		defer st.Close()
//		disk := must(media.NewDisk("media", url+"/media"))
//		box := must(sandbox.Listen(sandbox.Config{Addr: "127.0.0.1:3001", WebhookURL: url}))
//		platform, handler := routes(st, disk, box.Config())
//		server := &http.Server{Addr: "localhost:3000", Handler: handler,
//			ReadHeaderTimeout: 10 * time.Second}
//		go func() { log.Print(server.ListenAndServe()); stop() }()
//		platform.Run(ctx) // events, lost payments and tidying, until a signal
//		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
//		defer cancel()
//		_ = server.Shutdown(ctx) // after the requests that are being answered
//	}
//
//	// routes mounts the platform and a route of the server's own on one mux.
//	func routes(
//		st *store.Store, disk *media.Disk, p sandbox.Config,
//	) (*learning.Platform, http.Handler) {
//		if err := st.Migrate(context.Background()); err != nil {
//			log.Fatal(err)
//		}
//		platform := must(learning.New(st,
//			learning.WithTokens(must(identity.NewVerifier(p.URL+"/.well-known/jwks.json",
//				identity.WithIssuer(p.URL)))),
//			learning.WithWebhooks(must(identity.NewWebhookVerifier(p.IdentityWebhookSecret))),
//			learning.WithProvider(must(gateway.New(p.URL, p.GatewayKeyID, p.GatewayKeySecret,
//				gateway.WithWebhookSecrets(p.GatewayWebhookSecret)))),
//			learning.WithMedia(disk)))
//		mux := http.NewServeMux()
//		mux.Handle("/", must(httpapi.New(platform)))
//		mux.Handle("/media/", http.StripPrefix("/media/", disk))
//		mux.HandleFunc("GET /about", func(w http.ResponseWriter, _ *http.Request) {
//			fmt.Fprintln(w, "Our school")
//		})
//		return platform, mux
//	}
//
//	func must[T any](v T, err error) T {
//		if err != nil {
//			log.Fatal(err)
//		}
//		return v
//	}
//
// # Packages
//
//   - learning: the platform, made of the parts below, and an option for every setting
//   - learning/core: what all parts share: who calls, failures, pages, money, events
//   - learning/people, learning/file, learning/catalog, learning/study, learning/assess,
//     learning/due, learning/certify, learning/payment, learning/offer, learning/bundle,
//     learning/purchase, learning/refund, learning/sale, learning/papers, learning/community,
//     learning/tutor, learning/staff, learning/inbox, learning/exchange: the parts of the school,
//     with their types, rules and operations, and an interface for everything that a host plugs in
//   - learning/store: the data, with its migrations; learning/store/sqlite, learning/store/mysql
//     and learning/store/postgres open it with the driver of an engine, and learning/store/engines
//     with that of a URL
//   - learning/httpapi: the routes, as one table, and everything else that is HTTP
//   - learning/httpapi/swaggerui: the files of a page that tries the routes out
//   - learning/httpapi/redislimit: rate limits in Redis, for several servers
//   - learning/httpapi/mcpserver: the routes as tools of agents, by the Model Context Protocol
//   - learning/identity: session tokens, roles and webhooks of an identity provider
//   - learning/gateway: orders, payments and signatures of a payment gateway
//   - learning/stripe: payments, refunds and disputes at Stripe
//   - learning/media: public files, and the files of lectures, on a disk, and the handlers that
//     serve them
//   - learning/media/bucket: the same in an S3-compatible bucket, for several servers
//   - learning/certificate: certificates as PDF, in any script
//   - learning/credential: certificates as signed Open Badges 3.0 credentials
//   - learning/ai: a client of any OpenAI-compatible API
//   - learning/webhook: sends events as signed webhooks
//   - learning/metrics: what an observer learns, as a collector of Prometheus
//   - learning/sandbox: stand-ins for these providers over real HTTP, for development and tests
//   - learning/learningtest: a platform with the sandbox as its providers, for tests
//   - cmd/refserver: the reference server, configured by flags and environment
//   - examples: small programs, each with a test
//
// The parts of the school import those before them, and package learning imports all of them and
// none of the others. Packages store, httpapi and metrics import learning, redislimit and mcpserver
// httpapi, and the adapters the part that declares their interface. Only commands, examples and
// tests combine them. The
// library reads no environment, no flags and no files by itself.
//
// # Stability
//
// Before v1 a minor version may change exported names; the changelog says what to write
// instead. The HTTP contract, the codes of errors, the settings of refserver and the
// database are kept: a new version migrates every released one. From v1 on a program that
// compiles continues to compile, except that the interfaces which the library implements,
// such as learning.Store, get new methods: a type that wraps a store embeds *store.Store.
// The page docs/stability.md is the whole promise.
package openlectern
