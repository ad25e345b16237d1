package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/openlectern/learning/learning/store"
)

// Every step of a connection has an end. An answer may take long when somebody
// waits for an order that somebody else is opening (the provider's time, and the
// lease on top), or for what somebody else has the AI make and then has to make it
// after all, after an upload over a slow line; writing ends later than all of them.
const (
	headerTime = 10 * time.Second
	readTime   = time.Minute
	writeTime  = readTime + 3*aiTimeout
	idleTime   = 2 * time.Minute
	maxHeader  = 64 << 10 // bytes

	// drainTime is how long requests may finish after a signal. Most supervisors
	// kill after 30 seconds.
	drainTime = 25 * time.Second
)

type serveCommand struct{}

// Run serves until ctx is done, then lets requests finish.
func (serveCommand) Run(ctx context.Context, p *program) error {
	if err := p.check(forServing...); err != nil {
		return err
	}
	st, err := p.openStore(ctx)
	if err != nil {
		return err
	}
	defer st.Close()
	if p.production() {
		return p.produce(ctx, st)
	}
	return p.develop(ctx, st)
}

// produce serves in production. It listens last: whoever can connect is answered.
func (p *program) produce(ctx context.Context, st *store.Store) error {
	site, err := p.build(st)
	if err != nil {
		return err
	}
	defer site.disk.Close()
	listener, err := p.listen()
	if err != nil {
		return err
	}
	return p.serve(ctx, listener, site.handler, func(ctx context.Context) { p.reconcileOften(ctx, site.platform) })
}

func (p *program) listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", p.Addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program, perhaps another refserver: stop it, or choose another address with --addr, such as --addr :3005", p.Addr)
	}
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	return listener, nil
}

// serve answers requests until ctx is done or the listener fails. Beside them runs
// work, which ends with its context; serve returns after both have ended.
func (p *program) serve(ctx context.Context, listener net.Listener, handler http.Handler, work func(context.Context)) error {
	ctx, cancel := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer cancel()
	server := newServer(handler, p.log)
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	p.log.Info("listening", "address", listener.Addr().String(), "version", version())
	beside.Go(func() { work(ctx) })
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	p.log.Info("draining", "at_most", drainTime)
	if err := drain(server, drainTime); err != nil {
		return err
	}
	p.log.Info("stopped")
	return nil
}

func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, WriteTimeout: writeTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader,
		// OPTIONS * is answered as any other path that is not there, headers and all.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// drain lets running requests finish, and cuts off those that do not in time.
func drain(server *http.Server, atMost time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), atMost)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("some requests did not finish within %v: %w", atMost, err), server.Close())
	}
	return nil
}
