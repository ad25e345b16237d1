// Command storefront serves the storefront for a server of the contract:
//
//	go run ./examples/storefront --api https://api.example.org
//
// The server must accept the origin of the storefront (LEARNING_FRONTEND_ORIGIN of the reference
// server). In development the reference server serves the storefront itself.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/openlectern/openlectern/examples/storefront/web"
)

// flags is the command line.
type flags struct {
	API      string `name:"api" default:"http://localhost:3000" help:"Base URL of the API."`
	Sandbox  string `placeholder:"URL" help:"URL of the sandbox, for sign-in and checkout."`
	Addr     string `default:"localhost:5173" help:"Address to listen on."`
	URL      string `name:"url" placeholder:"URL" help:"Its URL; default that of the address."`
	Currency string `default:"INR" help:"ISO 4217 code of the prices."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var f flags
	kong.Parse(&f, kong.Name("storefront"), kong.UsageOnError(),
		kong.Description(
			"A front end of Open Lectern, for any server of the contract. The server must accept "+
				"the origin of the storefront."))
	if err := run(ctx, f, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run listens and serves the storefront until ctx is done. It returns nil then, and an error if the
// address or the configuration is wrong, or the server fails.
func run(ctx context.Context, f flags, stdout io.Writer) error {
	// Listen first, because links in previews need the address.
	listener, err := net.Listen("tcp", f.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("storefront: %s is taken by another program, perhaps by refserver: "+
			"stop it, or choose another address, such as --addr localhost:5174", f.Addr)
	}
	if err != nil {
		return fmt.Errorf("storefront: --addr is %q: it must be host:port, such as "+
			"localhost:5173: %w", f.Addr, err)
	}
	// Build the site, and say where it is.
	url := pageURL(f.Addr, listener)
	handler, err := web.New(web.Config{
		API: f.API, URL: cmp.Or(f.URL, url), SignIn: f.Sandbox, Checkout: f.Sandbox,
		Currency: f.Currency,
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	fmt.Fprintf(stdout,
		"Open %s\n\nThe API is %s. It must accept pages of %s: with the reference server set "+
			"LEARNING_FRONTEND_ORIGIN=%s.\nCtrl-C stops the storefront.\n", url, f.API, url, url)
	return serve(ctx, listener, handler)
}

// pageURL returns the URL to open. It keeps a host that the flag names, because its origin must be
// the one that the server accepts. The port is that of the listener, because that of the flag may
// be 0.
func pageURL(addr string, listener net.Listener) string {
	host, _, _ := strings.Cut(addr, ":")
	isIPv6 := strings.HasPrefix(host, "[") // and was cut at its first colon
	if host == "" || isIPv6 || host == "0.0.0.0" {
		host = "localhost"
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String()) // of a TCP listener
	return "http://" + net.JoinHostPort(host, port)
}

// serve answers requests until ctx is done, and then waits up to five seconds for the running ones.
func serve(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	// Wait for the end, or for a listener that fails.
	select {
	case err := <-failed:
		return fmt.Errorf("storefront: %w", err)
	case <-ctx.Done():
	}
	// Let running requests finish, although ctx is done.
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	return server.Shutdown(ending)
}
