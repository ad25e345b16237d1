package sandbox

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"time"
)

// Listen returns a sandbox that listens on cfg.Addr; the default is a free port of 127.0.0.1. If
// cfg.URL is empty, it is set to that address. Close stops the listener.
func Listen(cfg Config) (*Sandbox, error) {
	if cfg.Addr == "" {
		cfg.Addr = "127.0.0.1:0"
	}
	// Listen before the sandbox is made: its tokens and pages contain its URL with the port.
	l, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen for the sandbox: %w", err)
	}
	cfg.Addr = l.Addr().String()
	if cfg.URL == "" {
		cfg.URL = "http://" + cfg.Addr
	}
	s, err := New(cfg)
	if err != nil {
		l.Close()
		return nil, err
	}
	// Store the addresses before other goroutines have the state.
	err = s.state.listens(served{URL: s.cfg.URL, WebhookURL: s.cfg.WebhookURL})
	if err != nil {
		l.Close()
		s.Close()
		return nil, err
	}
	s.serve(l)
	return s, nil
}

// Saved returns what a state file has of a [Config]: the keys and secrets, and the URL and the
// WebhookURL of the last sandbox that listened with the file. So another process can sign tokens
// and webhooks as that sandbox does: see [New]. The addresses are empty if none has listened.
func Saved(stateFile string) (Config, error) {
	st, err := openState(stateFile)
	if err != nil {
		return Config{}, err
	}
	saved := st.data.Secrets
	return Config{URL: st.data.Served.URL, WebhookURL: st.data.Served.WebhookURL,
		GatewayKeyID: saved.GatewayKeyID, GatewayKeySecret: saved.GatewayKeySecret,
		GatewayWebhookSecret: saved.GatewayWebhookSecret, IdentityAPIKey: saved.IdentityAPIKey,
		IdentityWebhookSecret: saved.IdentityWebhookSecret, AIAPIKey: saved.AIAPIKey,
		StripeKey: saved.StripeKey, StripePublishableKey: saved.StripePublishableKey,
		StripeWebhookSecret: saved.StripeWebhookSecret,
		State:               stateFile}, nil
}

// serve starts to answer the requests of a listener, and sets s.stop to what ends that. There is no
// WriteTimeout, because faults delay answers for any time.
func (s *Sandbox) serve(l net.Listener) {
	srv := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: 30 * time.Second, IdleTimeout: 2 * time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = srv.Serve(l) // returns http.ErrServerClosed after stop
	}()
	s.stop = func() {
		// Give requests a second to end, then close their connections.
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if srv.Shutdown(ctx) != nil {
			srv.Close()
		}
		<-ended
	}
}
