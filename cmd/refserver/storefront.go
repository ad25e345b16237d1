package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"syscall"

	"github.com/openlectern/openlectern/examples/storefront/web"
)

// defaultPort is the port of the front end in development, and lastPort the last one that is
// tried if other programs have those before.
const defaultPort, lastPort = 5173, 5192

// storefront is the front end that a server in development serves. Without listeners it serves
// none.
type storefront struct {
	listeners []net.Listener
	origin    string
	// why there is no storefront, or why it has another port; for the start-up text
	reason string
}

// openStorefront listens on the origin of the front end, unless the storefront is switched off or
// the origin is that of another machine. If the origin is not configured and its port is taken,
// it chooses the next free port and sets the origin, which the API and the sandbox then accept.
func (p *program) openStorefront() *storefront {
	if !p.Storefront {
		return &storefront{}
	}
	if p.FrontendOrigin != "" {
		return openConfigured(p.FrontendOrigin)
	}
	f := openFrom(defaultPort, lastPort)
	if f.origin != defaultFrontEnd { // "" if all ports are taken, which keeps the default
		p.FrontendOrigin = f.origin
	}
	return f
}

// openConfigured listens on an origin that is configured. A taken port is that of the host's own
// front end.
func openConfigured(origin string) *storefront {
	// Only an origin of this machine can be served here.
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" ||
		u.Hostname() != "localhost" && u.Hostname() != "127.0.0.1" {
		return &storefront{}
	}
	port := u.Port()
	if port == "" {
		port = "80"
	}
	// The server starts without the storefront too, so an error becomes the reason that is shown.
	listeners, err := listenLocally(u.Hostname(), port)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return &storefront{reason: "another program, such as your own front end, has its port"}
	case err != nil:
		return &storefront{reason: err.Error()}
	}
	return &storefront{listeners: listeners, origin: origin}
}

// openFrom listens on the first port from first to last that is free.
func openFrom(first, last int) *storefront {
	for port := first; port <= last; port++ {
		listeners, err := listenLocally("localhost", strconv.Itoa(port))
		if err != nil { // nearly always a taken port
			continue
		}
		f := &storefront{listeners: listeners, origin: "http://localhost:" + strconv.Itoa(port)}
		if port > first {
			f.reason = fmt.Sprintf("another program has port %d", first)
		}
		return f
	}
	return &storefront{reason: fmt.Sprintf("other programs have the ports %d to %d", first, last)}
}

// listenLocally listens on a port of 127.0.0.1 and, for localhost, of ::1, because browsers try
// both: a program that has the port on one of them would be shown in place of the storefront.
func listenLocally(host, port string) ([]net.Listener, error) {
	ipv4, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		return nil, err
	}
	if host != "localhost" {
		return []net.Listener{ipv4}, nil
	}
	// An error other than a taken port means that the machine has no IPv6: then ::1 is not needed.
	ipv6, err := net.Listen("tcp", net.JoinHostPort("::1", port))
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, errors.Join(err, ipv4.Close())
	case err != nil:
		return []net.Listener{ipv4}, nil
	}
	return []net.Listener{ipv4, ipv6}, nil
}

// redirect leads a browser that uses another name of this machine to the origin, because the API
// accepts pages of the origin only.
func (f *storefront) redirect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if "http://"+r.Host != f.origin {
			http.Redirect(w, r, f.origin+r.URL.RequestURI(), http.StatusTemporaryRedirect)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// close stops listening. It may be called after serve.
func (f *storefront) close() {
	for _, listener := range f.listeners {
		_ = listener.Close()
	}
}

// serve answers requests until ctx is done.
func (f *storefront) serve(ctx context.Context, handler http.Handler, log *slog.Logger) {
	server := newServer(f.redirect(handler), log)
	var running sync.WaitGroup
	// One server for all listeners.
	for _, listener := range f.listeners {
		running.Go(func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				log.Error("serve the storefront", "error", err)
			}
		})
	}
	<-ctx.Done()
	_ = shutdown(server, closeTime) // its files are sent at once
	_ = server.Close()
	running.Wait()
}

// storefrontHandler returns the handler of the storefront. It uses the sandbox for what the sandbox
// plays: the identity provider, the payment gateway, or both.
func (h *devServer) storefrontHandler() (http.Handler, error) {
	// Browsers call the API at its public URL. The storefront itself calls it on this machine.
	c := web.Config{API: h.PublicURL, Internal: h.url, URL: h.front.origin, Currency: h.Currency}
	if h.signsIn() {
		c.SignIn = h.box.Config().URL
	}
	if h.takesPayments() {
		c.Checkout = h.box.Config().URL
	}
	c.Stripe = h.stripeScript()
	return web.New(c)
}
