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
	s.serve(l)
	return s, nil
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
