// Command minimal is a web server that contains a learning platform. The sandbox
// takes the place of an identity provider and a payment gateway.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/media"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

func main() {
	const url = "http://localhost:3000"
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	st := must(sqlite.Open(ctx, "sqlite:learning.db"))
	defer st.Close()
	disk := must(media.NewDisk("media", url+"/media"))
	box := must(sandbox.Listen(sandbox.Config{Addr: "127.0.0.1:3001", WebhookURL: url}))
	platform, handler := routes(st, disk, box.Config())
	server := &http.Server{Addr: "localhost:3000", Handler: handler,
		ReadHeaderTimeout: 10 * time.Second}
	go func() { log.Print(server.ListenAndServe()); stop() }()
	platform.Run(ctx) // events, lost payments and tidying, until a signal
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_ = server.Shutdown(ctx) // after the requests that are being answered
}

// routes mounts the platform and a route of the server's own on one mux.
func routes(
	st *store.Store, disk *media.Disk, p sandbox.Config,
) (*learning.Platform, http.Handler) {
	if err := st.Migrate(context.Background()); err != nil {
		log.Fatal(err)
	}
	platform := must(learning.New(st,
		learning.WithTokens(must(identity.NewVerifier(p.URL+"/.well-known/jwks.json",
			identity.WithIssuer(p.URL)))),
		learning.WithWebhooks(must(identity.NewWebhookVerifier(p.IdentityWebhookSecret))),
		learning.WithProvider(must(gateway.New(p.URL, p.GatewayKeyID, p.GatewayKeySecret,
			gateway.WithWebhookSecrets(p.GatewayWebhookSecret)))),
		learning.WithMedia(disk)))
	mux := http.NewServeMux()
	mux.Handle("/", must(httpapi.New(platform)))
	mux.Handle("/media/", http.StripPrefix("/media/", disk))
	mux.HandleFunc("GET /about", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "Our school")
	})
	return platform, mux
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
