// Command product is a whole product with a school in it, as a team would build one that exists
// already: a router (chi), users and sessions with cookies, PostgreSQL with migrations of its own
// (goose), metrics, invoices that are committed with the purchase, and mails that follow from
// events.
//
//	DATABASE_URL=postgres://localhost/product go run .
//	curl -d name=Ben -d email=ben@example.org -d password=… http://localhost:3000/sign-up
//	curl -c cookies -d email=ben@example.org -d password=… http://localhost:3000/sign-in
//	curl -b cookies http://localhost:3000/school/api/user/data
//
// Each part is a file: the sign-in (account.go), the invoices (invoice.go), the mails (mail.go) and
// the school (school.go). Without GATEWAY_URL the sandbox takes the place of a payment gateway.
//
// The example is a module of its own, so that programs that use the platform do not depend on its
// libraries.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// settings are what differs between the places where the product runs.
type settings struct {
	url      string // of the product, without a path
	database string
	media    string // a folder, which all instances share
	smtp     string // host:port; "" for none: mails are in the log
	from     string // of mails
	gateway  gatewaySettings
}

// gatewaySettings are those of the payment gateway.
type gatewaySettings struct{ url, keyID, keySecret, webhookSecret string }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv("ADDR"), settings{
		url:      cmp.Or(os.Getenv("PUBLIC_URL"), "http://localhost:3000"),
		database: os.Getenv("DATABASE_URL"),
		media:    cmp.Or(os.Getenv("MEDIA"), "media"),
		smtp:     os.Getenv("SMTP_ADDR"),
		from:     cmp.Or(os.Getenv("MAIL_FROM"), "school@localhost"),
		gateway: gatewaySettings{url: os.Getenv("GATEWAY_URL"),
			keyID: os.Getenv("GATEWAY_KEY_ID"), keySecret: os.Getenv("GATEWAY_KEY_SECRET"),
			webhookSecret: os.Getenv("GATEWAY_WEBHOOK_SECRET")},
	}); err != nil {
		log.Fatal(err)
	}
}

// run serves the product until ctx is done, and until everything that it began has ended.
func run(ctx context.Context, addr string, s settings) error {
	if s.gateway.url == "" {
		box, err := sandbox.Listen(sandbox.Config{Addr: "127.0.0.1:3001",
			WebhookURL: s.url + prefix})
		if err != nil {
			return err
		}
		defer box.Close()
		s.gateway = sandboxGateway(box)
	}
	p, err := open(ctx, s)
	if err != nil {
		return err
	}
	defer p.close()
	listener, err := net.Listen("tcp", cmp.Or(addr, "localhost:3000"))
	if err != nil {
		return err
	}
	return p.serve(ctx, listener)
}

// sandboxGateway returns the settings of the gateway of a sandbox.
func sandboxGateway(box *sandbox.Sandbox) gatewaySettings {
	c := box.Config()
	return gatewaySettings{url: c.URL, keyID: c.GatewayKeyID, keySecret: c.GatewayKeySecret,
		webhookSecret: c.GatewayWebhookSecret}
}

// serve answers requests and does the work of the school until ctx is done. Then it answers the
// requests that have begun, and returns.
func (p *product) serve(ctx context.Context, listener net.Listener) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := &http.Server{Handler: p.handler, ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() {
		served <- server.Serve(listener)
		stop() // a server that has failed ends the work too
	}()
	p.platform.Run(ctx) // returns when all work has stopped

	const patience = 20 * time.Second
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	err := server.Shutdown(ending)
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, fmt.Errorf("serve: %w", failed))
	}
	return err
}
