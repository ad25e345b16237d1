package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strings"
	"syscall"

	"github.com/openlectern/openlectern/learning/sandbox"
	"github.com/openlectern/openlectern/learning/store"
)

// develop serves on a developer's machine, with the sandbox in place of the
// providers that are not configured. It listens first, because the sandbox and
// all links need to know where.
func (p *program) develop(ctx context.Context, st *store.Store) error {
	listener, err := p.listen()
	if err != nil {
		return err
	}
	defer listener.Close() // closed by then, unless something below fails
	box, err := p.openSandbox(reach(listener.Addr()))
	if err != nil {
		return err
	}
	if box != nil {
		defer box.Close() // after the requests, which may need it
	}
	site, err := p.build(st)
	if err != nil {
		return err
	}
	defer site.disk.Close()
	host := &host{program: p, store: st, platform: site.platform, options: site.options, box: box, url: reach(listener.Addr())}
	return p.serve(ctx, listener, site.handler, host.welcome)
}

// openSandbox starts the sandbox unless all providers are configured (then it is
// nil), and completes the settings with what it offers.
func (p *program) openSandbox(url string) (*sandbox.Sandbox, error) {
	if p.PublicURL == "" {
		p.PublicURL = url
	}
	if p.Identity.set() && p.Gateway.set() && p.AI.set() {
		return nil, nil
	}
	box, err := sandbox.Listen(sandbox.Config{Addr: p.sandboxAddr, WebhookURL: url, FrontendOrigin: p.frontEnd(), State: p.sandboxFile(), Log: p.log})
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s, where the sandbox listens, is taken by another program, perhaps another refserver: stop it, or choose another address with --sandbox-addr, such as --sandbox-addr 127.0.0.1:3006", p.sandboxAddr)
	}
	if err != nil {
		return nil, err
	}
	p.adopt(box.Config())
	return box, nil
}

// adopt puts the sandbox in place of the providers that are not configured.
func (p *program) adopt(box sandbox.Config) {
	if !p.Identity.set() {
		p.Identity = IdentitySettings{
			JWKSURL: box.URL + "/.well-known/jwks.json", Issuer: box.URL, APIURL: box.URL,
			APIKey: box.IdentityAPIKey, WebhookSecret: box.IdentityWebhookSecret,
		}
	}
	if !p.Gateway.set() {
		p.Gateway = GatewaySettings{
			URL: box.URL, KeyID: box.GatewayKeyID, KeySecret: box.GatewayKeySecret, WebhookSecret: box.GatewayWebhookSecret,
		}
	}
	if !p.AI.set() {
		p.AI = AISettings{URL: box.URL + "/v1", APIKey: box.AIAPIKey, Model: sandbox.AIModel, Budget: p.AI.Budget}
	}
}

// sandboxFile is where the sandbox keeps its users, keys and orders.
func (p *program) sandboxFile() string { return p.beside("sandbox.json") }

// beside is a file beside the database, so that the two are kept, and thrown away,
// together.
func (s *Settings) beside(name string) string {
	path, ok := strings.CutPrefix(s.Database, "sqlite:")
	if !ok {
		path = "learning.db"
	}
	return path + "." + name
}

// readSandbox opens what a sandbox has written, without listening: for commands
// that run beside a server, or after one.
func (p *program) readSandbox(webhooks string) (*sandbox.Sandbox, error) {
	if p.production() {
		return nil, errors.New("there is no sandbox in production")
	}
	if _, err := os.Stat(p.sandboxFile()); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no %s: start refserver here first, with the same --database", p.sandboxFile())
	}
	return sandbox.New(sandbox.Config{URL: "http://" + p.sandboxAddr, WebhookURL: webhooks, State: p.sandboxFile()})
}

// borrowSandbox completes the settings with those of the sandbox that runs
// elsewhere, unless the provider that is needed is configured.
func (p *program) borrowSandbox(configured bool) error {
	if p.production() || configured {
		return nil
	}
	box, err := p.readSandbox("")
	if err != nil {
		return err
	}
	defer box.Close()
	p.adopt(box.Config())
	return nil
}

// reach is the URL at which somebody on this machine reaches an address that is
// listened on.
func reach(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port)
}
