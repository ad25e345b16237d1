// Command mail is a web server with a learning platform whose notifications are also sent as mails:
// a reply to a post, a grade, an announcement, work that waits. Each mail has a link to the page
// that shows it and one to the settings, and kinds that a user has muted there are not sent. It
// expects a mail server at localhost:1025, such as Mailpit, and prints each attempt that failed;
// the mail is sent again later.
package main

import (
	"context"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/wneessen/go-mail"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/gateway"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store/sqlite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	st := must(sqlite.Open(ctx, "sqlite:learning.db"))
	if err := st.Migrate(ctx); err != nil {
		log.Fatal(err)
	}
	box := must(sandbox.Listen(sandbox.Config{Addr: "127.0.0.1:3001",
		WebhookURL: "http://localhost:3000"}))
	p := box.Config()
	// A mail server on another machine needs TLS, which is the default, and a sign-in.
	mailer := must(NewMailer("localhost", 1025, "school@example.com", "http://localhost:3000",
		mail.WithTLSPolicy(mail.NoTLS)))
	mailer.Platform = must(learning.New(st,
		learning.WithEvents("mail", mailer), // the platform stores the name, so it must not change
		learning.WithTokens(must(identity.NewVerifier(p.URL+"/.well-known/jwks.json",
			identity.WithIssuer(p.URL)))),
		learning.WithWebhooks(must(identity.NewWebhookVerifier(p.IdentityWebhookSecret))),
		learning.WithProvider(must(gateway.New(p.URL, p.GatewayKeyID, p.GatewayKeySecret,
			gateway.WithWebhookSecrets(p.GatewayWebhookSecret))))))
	server := &http.Server{Addr: "localhost:3000", Handler: must(httpapi.New(mailer.Platform))}
	go func() { log.Print(server.ListenAndServe()); stop() }()
	mailer.Platform.Run(ctx) // sends the mails, until a signal
	_ = server.Shutdown(context.Background())
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
