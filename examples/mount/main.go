// Command mount is a server that existed before the platform: it has a router and a sign-in of
// its own. The platform is mounted below /school, in net/http, chi, gin or echo:
//
//	go run . -router gin
//	curl -c cookies -d user=ben http://localhost:3000/sign-in
//	curl -b cookies http://localhost:3000/school/api/user/data
//
// Three things are needed. http.StripPrefix removes the prefix (func school). Middleware copies the
// cookie of the session to the header that the platform reads (httpapi.TokenFromCookie).
// A people.TokenVerifier turns the session into claims (sessions.VerifyToken). The sandbox
// takes the place of a payment gateway and an AI provider.
//
// The example is a module of its own, so that programs that use the platform do not depend on
// three routers.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	chimiddleware "github.com/go-chi/chi/v5/middleware"
	"github.com/labstack/echo/v5"
	echomiddleware "github.com/labstack/echo/v5/middleware"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/ai"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/sqlite"
	"github.com/openlectern/openlectern/learning/tutor"
)

const prefix = "/school"

func main() {
	router := flag.String("router", "net/http", "net/http, chi, gin or echo")
	flag.Parse()
	newServer := servers[*router]
	if newServer == nil {
		log.Fatalf("there is no router %q", *router)
	}
	const url = "http://localhost:3000"
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Open what the platform needs.
	st := must(sqlite.Open(ctx, "sqlite:learning.db"))
	if err := st.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	disk := must(media.NewDisk("media", url+prefix+"/media"))
	box := must(sandbox.Listen(sandbox.Config{Addr: "127.0.0.1:3001", WebhookURL: url + prefix}))
	providers := box.Config() // the addresses and keys of the gateway and the AI
	model := must(ai.New(providers.URL+"/v1", providers.AIAPIKey, sandbox.AIModel))
	// Serve the sign-in, which the server had before, and the platform with the chosen router. The
	// platform asks the sessions who a user is, and a sign-in creates the user on the platform.
	users := newSessions()
	platform := school(st, disk, model, providers, users, url)
	server := &http.Server{Addr: "localhost:3000", Handler: newServer(platform, users)}
	go func() { log.Print(server.ListenAndServe()); stop() }()
	users.platform.Run(ctx) // events, lost payments and tidying, until a signal
	_ = server.Shutdown(context.Background())
}

// school returns the handler of all paths below the prefix. url is that of the server. school sets
// s.platform, because the platform needs the sessions and a sign-in needs the platform.
func school(st learning.Store, disk *media.Disk, model tutor.AI, p sandbox.Config, s *sessions,
	url string) http.Handler {
	s.platform = must(learning.New(st, learning.WithTokens(s), learning.WithRoles(s),
		learning.WithMedia(disk), learning.WithAI(model),
		learning.WithProvider(must(gateway.New(p.URL, p.GatewayKeyID, p.GatewayKeySecret,
			gateway.WithWebhookSecrets(p.GatewayWebhookSecret))))))
	// Files are a route of the API, so that they need no route in each router.
	files := httpapi.Route{ID: "media", Method: http.MethodGet, Path: "/media/*name",
		Access:  httpapi.Public,
		Summary: "Show a stored file", Do: httpapi.Handle(http.StripPrefix("/media/", disk))}
	return below(must(httpapi.New(s.platform, httpapi.WithOrigin(url),
		httpapi.WithPublicURL(url+prefix), httpapi.WithRoutes(files))))
}

// below returns the handler of the API for paths with the prefix, inside the middleware that it
// needs.
func below(api http.Handler) http.Handler {
	return http.StripPrefix(prefix, httpapi.TokenFromCookie(cookieName, api))
}

// servers are the same server with each router, by its name.
var servers = map[string]func(school http.Handler, s *sessions) http.Handler{
	"net/http": func(school http.Handler, s *sessions) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("POST /sign-in", s.signIn)
		mux.Handle(prefix+"/", school)
		return mux
	},
	"chi": func(school http.Handler, s *sessions) http.Handler {
		r := chi.NewRouter()
		r.Use(chimiddleware.Recoverer)
		r.Post("/sign-in", s.signIn)
		r.Handle(prefix+"/*", school) // Mount would leave the prefix in the path
		return r
	},
	"gin": func(school http.Handler, s *sessions) http.Handler {
		r := gin.New()
		r.Use(gin.Recovery())
		r.POST("/sign-in", gin.WrapF(s.signIn))
		r.Any(prefix+"/*path", gin.WrapH(school))
		return r
	},
	"echo": func(school http.Handler, s *sessions) http.Handler {
		e := echo.New()
		e.Use(echomiddleware.Recover())
		e.POST("/sign-in", echo.WrapHandler(http.HandlerFunc(s.signIn)))
		e.Any(prefix+"/*", echo.WrapHandler(school))
		return e
	},
}

// must returns v, or ends the program if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
