package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
)

// serveDevelopment serves in development, with the sandbox in place of the providers that
// are not configured. It runs work in another goroutine, as [program.serve] does. It listens
// first, because the sandbox and all links need the address.
func (p *program) serveDevelopment(ctx context.Context, st *store.Store,
	work func(*devServer, context.Context)) error {
	listener, err := p.listen()
	if err != nil {
		return err
	}
	defer listener.Close() // serve has closed it, unless an error occurs before
	// Open the storefront and the sandbox. Their addresses become settings, which the site needs.
	front := p.openStorefront()
	defer front.close()
	box, err := p.openSandbox(localURL(listener.Addr()))
	if err != nil {
		return err
	}
	if box != nil {
		defer box.Close() // after the requests have finished, because they may call it
	}
	// Build the site with the completed settings.
	server := &devServer{program: p, store: st, box: box, front: front,
		url: localURL(listener.Addr())}
	site, err := p.build(ctx, st, httpapi.WithDocsUsers(server.docsUsers))
	if err != nil {
		return err
	}
	defer site.close()
	server.platform, server.options = site.platform, site.options
	pages, err := server.storefrontHandler()
	if err != nil {
		return err
	}
	// Serve, with the scheduled work in the background.
	return p.serve(ctx, listener, site.handler, site.platform.Run,
		func(ctx context.Context) {
			if !server.signsIn() { // the sandbox answers at once, when a user needs its keys
				server.fetchKeys(ctx, site.tokens)
			}
		},
		func(ctx context.Context) { front.serve(ctx, pages, p.log) },
		func(ctx context.Context) { work(server, ctx) })
}

// openSandbox starts the sandbox and completes the settings with its addresses and keys. url is
// that of this server, to which the sandbox sends webhooks; it also becomes the public URL if none
// is set. openSandbox returns nil if all providers are configured.
func (p *program) openSandbox(url string) (*sandbox.Sandbox, error) {
	if p.PublicURL == "" {
		p.PublicURL = url
	}
	if p.Identity.set() && p.Gateway.set() && p.AI.set() {
		return nil, nil
	}
	// Listen for those providers that are not configured.
	box, err := sandbox.Listen(sandbox.Config{
		Addr: p.sandboxAddr, WebhookURL: url, PublicURL: p.PublicURL, FrontendOrigin: p.frontEnd(),
		State: p.sandboxFile(), Log: p.log,
	})
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s, where the sandbox listens, is taken by another program, "+
			"perhaps another refserver: stop it, or choose another address with --sandbox-addr, "+
			"such as --sandbox-addr 127.0.0.1:3006", p.sandboxAddr)
	}
	if err != nil {
		return nil, err
	}
	p.useSandbox(box.Config())
	return box, nil
}

// useSandbox sets the settings of the providers that are not configured to those of the
// sandbox.
func (p *program) useSandbox(box sandbox.Config) {
	if !p.Identity.set() {
		p.Identity = IdentitySettings{
			JWKSURL: box.URL + "/.well-known/jwks.json", Issuer: box.URL, APIURL: box.URL,
			APIKey: box.IdentityAPIKey, WebhookSecret: box.IdentityWebhookSecret,
		}
	}
	if !p.Gateway.set() {
		p.Gateway = GatewaySettings{
			URL: box.URL, KeyID: box.GatewayKeyID, KeySecret: box.GatewayKeySecret,
			WebhookSecret: box.GatewayWebhookSecret,
		}
	}
	if !p.Stripe.set() {
		p.Stripe = StripeSettings{
			Key: box.StripeKey, PublishableKey: box.StripePublishableKey,
			WebhookSecret: box.StripeWebhookSecret, URL: box.URL + sandbox.StripePath,
			Currencies: p.Stripe.Currencies,
		}
	}
	if !p.AI.set() {
		p.AI = AISettings{URL: box.URL + "/v1", APIKey: box.AIAPIKey, Model: sandbox.AIModel,
			Budget: p.AI.Budget, Price: p.AI.Price}
	}
}

// sandboxFile returns the file in which the sandbox stores its users, keys and orders.
func (p *program) sandboxFile() string { return p.fileNextToDatabase("sandbox.json") }

// fileNextToDatabase returns the path of a file in the folder of the database, so that
// both are copied and deleted together. Its name is that of the database, a dot and name.
func (s *Settings) fileNextToDatabase(name string) string {
	path, ok := strings.CutPrefix(s.Database, "sqlite:")
	if !ok { // the database is a server: in the working directory
		path = "learning.db"
	}
	return path + "." + name
}

// createOnce creates a file that only its owner may read, unless it exists. Of several servers that
// start at once, one gives its content the name, and all read that one.
func createOnce(file string, content []byte) error {
	// Write a file with another name first, so that no server reads a part of the content.
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*") // with the mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(content)
	if err := errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), file); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// readSandbox opens the file of a sandbox without listening, for commands that run while
// a server runs or after it has stopped. The addresses of the sandbox and the server are those of
// the server that used the file last, unless flags or the environment give others: its tokens have
// the address of its sandbox in them. Only if sends is true it sends webhooks. The caller must
// close the sandbox.
func (p *program) readSandbox(sends bool) (*sandbox.Sandbox, error) {
	if p.production() {
		return nil, errors.New("there is no sandbox in production")
	}
	if _, err := os.Stat(p.sandboxFile()); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s: start the server first (%s), in this folder and "+
			"with the same --database", p.sandboxFile(), p.name)
	}
	saved, err := sandbox.Saved(p.sandboxFile())
	if err != nil {
		return nil, err
	}
	if saved.URL == "" || isGiven(p.sandboxAddr, defaultSandboxAddr) {
		saved.URL = "http://" + p.sandboxAddr
	}
	if saved.WebhookURL == "" || isGiven(p.Addr, defaultAddr) {
		saved.WebhookURL = p.serverURL()
	}
	p.sandboxAddr = strings.TrimPrefix(saved.URL, "http://") // for hints
	if !sends {
		saved.WebhookURL = ""
	}
	return sandbox.New(saved)
}

// isGiven reports whether an address is neither the default nor a free port.
func isGiven(addr, byDefault string) bool {
	return addr != byDefault && !strings.HasSuffix(addr, ":0")
}

// useRunningSandbox completes the settings with those of a sandbox in another process,
// unless configured is true: then the provider is not the sandbox.
func (p *program) useRunningSandbox(configured bool) error {
	if p.production() || configured {
		return nil
	}
	box, err := p.readSandbox(false)
	if err != nil {
		return err
	}
	defer box.Close()
	p.useSandbox(box.Config())
	return nil
}

// localURL returns the URL of a listener for clients on this machine.
func localURL(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	// A listener on all addresses, such as [::], is reached at localhost.
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
