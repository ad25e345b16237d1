package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/openlectern/openlectern/learning/store"
)

// Bounds of each phase of a connection. The handler sets a deadline for each piece of a
// body that it reads and of an answer that it writes. There is no WriteTimeout, because
// it would also bound the time in which the handler waits for the AI.
const (
	headerTime = 10 * time.Second
	readTime   = 20 * time.Second // for the parts of a request that no handler reads
	idleTime   = 2 * time.Minute
	maxHeader  = 64 << 10 // bytes

	// sendBuffer is the size of the kernel's send buffer of a connection, in bytes. It is
	// set because the default may be megabytes for a client that does not read.
	sendBuffer = 128 << 10

	// drainTime is how long running requests may take to finish after a signal,
	// cancelTime how long they may take to return after they were cancelled, and closeTime
	// after their connections were closed. The sum is below 30 seconds, because most
	// supervisors kill a process then.
	drainTime  = 24 * time.Second
	cancelTime = 3 * time.Second
	closeTime  = time.Second
)

// tidyEvery is how often one of the servers on a database removes leftovers. The build of the
// fault bench changes it.
var tidyEvery = 5 * time.Minute

// errStopping is the cancellation cause of requests that run longer than drainTime.
var errStopping = errors.New("the server stops")

type serveCommand struct{}

// Run serves until ctx is done, and then waits for running requests to finish.
func (serveCommand) Run(ctx context.Context, p *program) error {
	if err := p.check(serverChecks...); err != nil {
		return err
	}
	p.warnOfSettings()
	// Start measuring before the database is opened, so that its operations are measured too.
	stop, err := p.observe(ctx)
	if err != nil {
		return err
	}
	defer stop()
	// Migrate and open the database.
	var options []store.Option
	if p.observer != nil {
		options = append(options, store.WithObserver(p.observer))
	}
	st, err := p.migratedStore(ctx, options...)
	if err != nil {
		return err
	}
	defer st.Close()
	// Metrics have their own address, and are served while the rest starts.
	stopMetrics, err := p.serveMetrics(ctx)
	if err != nil {
		return err
	}
	defer stopMetrics()
	if p.production() {
		return p.serveProduction(ctx, st)
	}
	return p.serveDevelopment(ctx, st, (*devServer).welcome)
}

// serveProduction serves in production. It listens last, so that a client that can
// connect is answered.
func (p *program) serveProduction(ctx context.Context, st *store.Store) error {
	// Build the handler, and fetch the keys, so that the first request can be authenticated.
	site, err := p.build(ctx, st)
	if err != nil {
		return err
	}
	defer site.close()
	p.fetchKeys(ctx, site.tokens)
	listener, err := p.listen()
	if err != nil {
		return err
	}
	// Serve, with the scheduled work in the background.
	return p.serve(ctx, listener, site.handler, site.platform.Run)
}

// listen listens on the address of the settings.
func (p *program) listen() (net.Listener, error) {
	listener, err := net.Listen("tcp", p.Addr)
	if err == nil {
		return boundedListener{listener}, nil
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, fmt.Errorf("%s is taken by another program, perhaps another refserver: stop "+
			"it, or choose another address with --addr, such as --addr :3005", p.Addr)
	}
	return nil, fmt.Errorf("listen: %w", err)
}

// boundedListener sets the send buffer of each connection to sendBuffer.
type boundedListener struct{ net.Listener }

// Accept waits for the next connection.
func (l boundedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if tcp, ok := conn.(*net.TCPConn); ok && err == nil {
		_ = tcp.SetWriteBuffer(sendBuffer) // on failure the connection takes more memory, and works
	}
	return conn, err
}

// serve answers requests until ctx is done or the listener fails. It runs each work in another
// goroutine, with a context that is done when serving ends, and waits for all to return.
func (p *program) serve(ctx context.Context, listener net.Listener, handler http.Handler,
	works ...func(context.Context)) error {
	surviveClosedLog()
	// Whatever ends serving ends the background work, and this function waits for it.
	ctx, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	defer background.Wait()
	defer cancel()
	counted := &countedHandler{Handler: handler}
	server := newServer(counted, p.log)
	// Requests have a context of their own, because they may finish after ctx is done.
	requests, cancelRequests := context.WithCancelCause(context.Background())
	defer cancelRequests(nil)
	server.BaseContext = func(net.Listener) context.Context { return requests }
	// Serve.
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	p.log.Log(ctx, p.levelOfListening(), "listening", "address", listener.Addr().String(),
		"version", version())
	for _, work := range works {
		background.Go(func() { work(ctx) })
	}
	// Wait for the signal, or for a listener that fails: before drain, Serve returns for no other
	// reason.
	select {
	case err := <-failed:
		return fmt.Errorf("serve: %w", err)
	case <-ctx.Done():
	}
	// Let running requests finish.
	if err := p.drain(server, counted, cancelRequests); err != nil {
		return err
	}
	p.log.Info("stopped")
	return nil
}

// surviveClosedLog makes writing to a closed pipe return an error. Without it, the program
// would end if the reader of its log ends. It holds until the program ends, because the last
// lines are written after serve has returned.
func surviveClosedLog() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // nobody reads the channel
}

// newServer returns a server with the bounds of this file. Its own errors, such as a broken
// connection, are lines of log.
func newServer(handler http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: headerTime, ReadTimeout: readTime, IdleTimeout: idleTime,
		MaxHeaderBytes: maxHeader,
		// The handler answers OPTIONS * as an unknown path, with the headers of every answer.
		DisableGeneralOptionsHandler: true,
		ErrorLog:                     slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

// drain waits until load balancers have noticed that the server is not ready, and then for
// running requests to finish. It cancels those that do not finish in time,
// so that a stream can end with an error event. Then it closes the connections, because a
// handler that writes to a client that does not read waits for its connection only. It
// returns an error if handlers still run after that.
func (p *program) drain(server *http.Server, handler *countedHandler,
	cancel context.CancelCauseFunc) error {
	p.draining.Store(true)
	// 1. Answer 503 to load balancers, and go on serving.
	if p.DrainDelay > 0 {
		p.log.Info("not ready any more", "drains_after", p.DrainDelay)
		time.Sleep(p.DrainDelay)
	}
	// 2. Accept no connections, and wait.
	p.log.Info("draining", "at_most", p.drainTime)
	if shutdown(server, p.drainTime) == nil {
		return nil
	}
	// 3. Cancel what still runs.
	p.log.Warn("cancelling the requests that did not finish", "after", p.drainTime)
	cancel(errStopping)
	if shutdown(server, p.cancelTime) == nil {
		return nil
	}
	// 4. Close the connections of what still runs.
	p.log.Warn("closing the connections of the requests that did not end", "after", p.cancelTime)
	err := server.Close()
	if n := handler.await(p.closeTime); n > 0 {
		err = errors.Join(fmt.Errorf("%d requests did not end after they were cancelled and "+
			"their connections closed", n), err)
	}
	return err
}

// countedHandler counts the requests that it is serving, because [http.Server.Close] does not wait
// for handlers to return.
type countedHandler struct {
	http.Handler
	requests atomic.Int64
}

// ServeHTTP serves a request.
func (h *countedHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.requests.Add(1)
	defer h.requests.Add(-1)
	h.Handler.ServeHTTP(w, r)
}

// await waits until no request is being served, for at most atMost. It returns how many are being
// served then.
func (h *countedHandler) await(atMost time.Duration) int64 {
	const poll = 5 * time.Millisecond
	for end := time.Now().Add(atMost); h.requests.Load() > 0 && time.Now().Before(end); {
		time.Sleep(poll)
	}
	return h.requests.Load()
}

// shutdown closes the listeners of a server and waits for running requests for at most atMost. It
// returns an error if some are still running then. It may be called again.
func shutdown(server *http.Server, atMost time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), atMost)
	defer cancel()
	return server.Shutdown(ctx)
}
