package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/sethvargo/go-limiter"
	"github.com/sethvargo/go-limiter/memorystore"

	"github.com/openlectern/openlectern/learning"
)

// LimitClass is a rate limit (docs/api.md §1). A caller has one window for all routes of the
// class.
type LimitClass struct {
	Name     string
	Requests uint64
	Window   time.Duration
	Message  string // of the 429
}

// The classes of rate limits.
var (
	ChatLimit       = &LimitClass{"ai-chat", 30, 10 * time.Minute, "Too many chat messages. Please try again later."}
	PaymentLimit    = &LimitClass{"payment", 10, 15 * time.Minute, "Too many payment attempts. Please try again later."}
	GenerationLimit = &LimitClass{"ai-generation", 10, time.Hour, "Too many generation requests. Please try again later."}
	QuizLimit       = &LimitClass{"quiz-submit", 30, 10 * time.Minute, "Too many quiz submissions. Please try again later."}
	CommunityLimit  = &LimitClass{"community", 20, 10 * time.Minute, "Too many community posts. Please try again later."}
	AdminLimit      = &LimitClass{"admin", 100, 15 * time.Minute, "Too many admin requests. Please try again later."}
)

var limitClasses = []*LimitClass{ChatLimit, PaymentLimit, GenerationLimit, QuizLimit, CommunityLimit, AdminLimit}

// Limiter counts the requests of one class in fixed windows. Every Store of
// github.com/sethvargo/go-limiter implements it. Take takes a token for key; reset is the
// end of the window in Unix nanoseconds, and ok is false if no token is left. A Limiter
// must be safe for concurrent use.
type Limiter interface {
	Take(ctx context.Context, key string) (tokens, remaining, reset uint64, ok bool, err error)
}

// newMemoryLimiter returns a Limiter that counts in this process.
func newMemoryLimiter(class LimitClass) (Limiter, error) {
	store, err := memorystore.New(&memorystore.Config{
		Tokens: class.Requests, Interval: class.Window,
		SweepInterval: class.Window, SweepMinTTL: 2 * class.Window,
	})
	if err != nil {
		return nil, err
	}
	// The store removes old windows in a goroutine of its own. The cleanup ends it with the
	// handler, because handlers have no Close.
	m := &memoryLimiter{store}
	runtime.AddCleanup(m, func(s limiter.Store) { _ = s.Close(context.Background()) }, store)
	return m, nil
}

type memoryLimiter struct{ limiter.Store }

// classLimiter applies one class to requests.
type classLimiter struct {
	class   *LimitClass
	limiter Limiter
	policy  []string
	limit   []string
}

func (a *api) limiters() (map[*LimitClass]*classLimiter, error) {
	all := map[*LimitClass]*classLimiter{}
	for _, class := range limitClasses {
		counter, err := a.newLimiter(*class)
		if err != nil {
			return nil, fmt.Errorf("httpapi: rate limit %q: %w", class.Name, err)
		}
		n := strconv.FormatUint(class.Requests, 10)
		all[class] = &classLimiter{class, counter, []string{n + ";w=" + seconds(class.Window)}, []string{n}}
	}
	return all, nil
}

// take takes a token for the caller and writes the headers of IETF draft 6 ("RateLimit header
// fields for HTTP"). It returns the failure of a caller without tokens. If the Limiter
// fails, the request is allowed and the error is logged.
func (l *classLimiter) take(w http.ResponseWriter, c *call) error {
	_, remaining, reset, ok, err := l.limiter.Take(c.Context(), l.class.Name+":"+c.limitKey())
	if err != nil {
		c.api.log.ErrorContext(c.Context(), "count a request", "limit", l.class.Name, "error", err)
		return nil
	}
	wait := seconds(time.Until(time.Unix(0, int64(reset))))
	h := w.Header()
	h["Ratelimit-Policy"], h["Ratelimit-Limit"] = l.policy, l.limit
	h.Set("RateLimit-Remaining", strconv.FormatUint(remaining, 10))
	h.Set("RateLimit-Reset", wait)
	if ok {
		return nil
	}
	h.Set("Retry-After", wait)
	return l.class.refusal()
}

// refusal returns the failure of a caller without tokens.
func (class *LimitClass) refusal() *learning.Error {
	return &learning.Error{Kind: learning.RateLimited, Code: "rate_limited_" + class.Name, Message: class.Message}
}

func (c *call) limitKey() string {
	if claims, err := c.claims(); err == nil && claims.UserID != "" {
		return "user:" + claims.UserID
	}
	return "net:" + network(c.api.address(c.Request))
}

// seconds rounds up, so that a client that waits that long has waited long enough.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((max(d, 0)+time.Second-1)/time.Second), 10)
}
