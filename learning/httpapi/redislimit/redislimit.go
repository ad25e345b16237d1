// Package redislimit counts rate limits in Redis, so that several instances share them:
//
//	shared, err := redislimit.Open(ctx, "redis://user:password@host:6379/0")
//	defer shared.Close()
//	handler, err := httpapi.New(platform, httpapi.WithLimiters(shared.Limiter))
//
// Requests do not depend on Redis. Each one is counted in the memory of the instance too. While
// Redis does not answer, answers late or returns an error, that count decides.
package redislimit

import (
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gomodule/redigo/redis"

	"github.com/openlectern/openlectern/internal/backoff"
	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/learning/httpapi"
)

const (
	// defaultTimeout is the time in which Redis must count a request.
	defaultTimeout = 50 * time.Millisecond
	// openTimeout is the time that Open waits for Redis.
	openTimeout = 5 * time.Second
	// probePause is the pause between two probes of a Redis that has failed.
	probePause = time.Second
	// prefix is the beginning of every key.
	prefix = "learning:limit:"
)

//go:embed take.lua
var takeText string

var takeScript = redis.NewScript(1, takeText)

// Limits are the limits of a Redis. It is safe for concurrent use.
type Limits struct {
	nilOptions nilarg.Options

	pool    *redis.Pool
	timeout time.Duration // of a request
	log     *slog.Logger
	shared  atomic.Bool   // whether Redis counts; else memory does
	failed  chan struct{} // tells watch that Redis has failed
	stop    context.CancelFunc
	watcher sync.WaitGroup
}

// Option sets an option of [Open].
type Option func(*Limits)

// WithLogger sets where a Redis is reported that cannot be used, and that can be used again. By
// default nothing is logged.
func WithLogger(log *slog.Logger) Option {
	return func(l *Limits) { l.log = nilarg.Given(&l.nilOptions, "WithLogger", log) }
}

// Open returns the limits of the Redis at a URL: redis://user:password@host:6379/0, or rediss for
// TLS. User, password, port and the number of the database may be left out. The parameter
// ?timeout=50ms is the time in which Redis must count a request, and its default.
//
// Open returns an error if it does not understand the URL, without the password. A Redis that
// does not answer is a warning in the log, and is used as soon as it does. ctx bounds only the time
// that Open waits for the first answer; the limits can be used until [Limits.Close].
func Open(ctx context.Context, url string, opts ...Option) (*Limits, error) {
	address, timeout, err := parse(url)
	if err != nil {
		return nil, err
	}
	l := &Limits{timeout: timeout, log: slog.New(slog.DiscardHandler),
		failed: make(chan struct{}, 1)}
	err = nilarg.Apply("redislimit", l, opts)
	if err == nil {
		err = l.nilOptions.Err("redislimit")
	}
	if err != nil {
		return nil, err
	}
	l.pool = newPool(address)
	first, cancel := context.WithTimeout(ctx, max(openTimeout, timeout))
	defer cancel()
	if err := l.probe(first); err != nil {
		l.warn(err)
		l.failed <- struct{}{} // watch probes it from now on
	} else {
		l.shared.Store(true)
	}
	// watch runs until Close, and not until ctx is done.
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	l.stop = stop
	l.watcher.Go(func() { l.watch(watching) })
	return l, nil
}

// CheckURL returns the error of a URL that [Open] does not understand. It connects to no Redis.
func CheckURL(url string) error {
	_, _, err := parse(url)
	return err
}

// maxIdle is how many connections wait for the next request.
const maxIdle = 8

// newPool returns connections to the Redis at a checked address.
func newPool(address string) *redis.Pool {
	return &redis.Pool{
		MaxIdle:     maxIdle,
		IdleTimeout: 5 * time.Minute,
		// An idle connection is tested before it is used again, because Redis may have been
		// restarted since then. One that was just used is not: that would double the requests.
		TestOnBorrowContext: func(ctx context.Context, conn redis.Conn, used time.Time) error {
			if time.Since(used) < probePause {
				return nil
			}
			_, err := redis.DoContext(conn, ctx, "PING")
			return err
		},
		DialContext: func(ctx context.Context) (redis.Conn, error) { return dial(ctx, address) },
	}
}

// Close closes the connections. It first ends watch, which could else begin to use Redis again.
// After Close limiters count in memory.
func (l *Limits) Close() error {
	l.stop()
	l.watcher.Wait()
	l.shared.Store(false)
	return l.pool.Close()
}

// Shared reports whether Redis counts now. If it does not, limiters count in memory.
func (l *Limits) Shared() bool { return l.shared.Load() }

// Limiter returns a limiter for a limit: see [httpapi.WithLimiters].
func (l *Limits) Limiter(limit httpapi.Limit) (httpapi.Limiter, error) {
	memory, err := httpapi.NewMemoryLimiter(limit)
	if err != nil {
		return nil, err
	}
	return &limiter{Limits: l, limit: limit, memory: memory}, nil
}

// limiter counts one limit.
type limiter struct {
	*Limits
	limit  httpapi.Limit
	memory httpapi.Limiter
}

// Take implements [httpapi.Limiter]. The count of Redis decides; that of the memory decides while
// Redis cannot be used.
func (l *limiter) Take(ctx context.Context,
	key string) (tokens, remaining, reset uint64, ok bool, err error) {
	// In memory every request is counted, so that a caller does not begin again when Redis fails.
	tokens, remaining, reset, ok, err = l.memory.Take(ctx, key)
	if !l.shared.Load() {
		return tokens, remaining, reset, ok, err
	}
	// A client that leaves does not end the call, because that would look like a failure of Redis.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.timeout)
	defer cancel()
	taken, failure := l.take(ctx, key, l.limit)
	if failure != nil { // what memory has counted decides, for this request too
		l.lose(failure)
		return tokens, remaining, reset, ok, err
	}
	return l.limit.Requests, taken.remaining, uint64(time.Now().Add(taken.left).UnixNano()),
		taken.ok, nil
}

// taken is the result of the script.
type taken struct {
	ok        bool          // a token was left
	remaining uint64        // tokens
	left      time.Duration // of the window
}

// take counts a request in Redis. The length of the window is part of the key, because instances
// with an earlier version of a limit may run at the same time.
func (l *Limits) take(ctx context.Context, key string, limit httpapi.Limit) (taken, error) {
	window := limit.Window.Microseconds()
	name := fmt.Sprintf("%s%s:%d", prefix, key, window)
	conn, err := l.pool.GetContext(ctx)
	if err != nil {
		return taken{}, err
	}
	defer conn.Close()
	values, err := redis.Int64s(takeScript.DoContext(ctx, conn, name, window, limit.Requests))
	if err != nil {
		return taken{}, err
	}
	// take.lua says what the values are.
	if len(values) != 3 {
		return taken{}, fmt.Errorf("the script returned %d values", len(values))
	}
	return taken{ok: values[0] == 1, remaining: uint64(values[1]),
		left: time.Duration(values[2]) * time.Microsecond}, nil
}

// lose makes memory decide, until watch has found that Redis can be used. err is logged once, and
// not for each request that fails at the same time.
func (l *Limits) lose(err error) {
	if l.shared.CompareAndSwap(true, false) {
		l.warn(err)
		select {
		case l.failed <- struct{}{}:
		default: // a failure is waiting for watch already, and one is enough
		}
	}
}

// warn logs that Redis cannot be used.
func (l *Limits) warn(err error) {
	l.log.Warn("rate limits are not shared", "error", err)
}

// watch waits until Redis has failed, and probes it until it counts again. The first probe waits
// for a pause too, because a Redis that fails now and then would else cost many requests the
// time-out, and two lines of the log each.
func (l *Limits) watch(ctx context.Context) {
	for {
		select {
		case <-l.failed:
		case <-ctx.Done():
			return
		}
		for isBack := false; !isBack; isBack = l.isBack(ctx) {
			if backoff.Sleep(ctx, probePause) != nil {
				return
			}
		}
		l.log.Info("rate limits are shared again")
		l.shared.Store(true)
	}
}

// isBack reports whether Redis counts a request within the time-out.
func (l *Limits) isBack(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	return l.probe(ctx) == nil
}

// probe counts a request under a key of its own, which is that of no caller, to try all that take
// does. Its error says why Redis cannot be used.
func (l *Limits) probe(ctx context.Context) error {
	_, err := l.take(ctx, "probe", httpapi.Limit{Requests: 1, Window: time.Second})
	return err
}
