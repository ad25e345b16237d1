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

// LimitClass is a rate limit of docs/api.md §1: one window for a caller
// across all routes of the class.
type LimitClass struct {
	Name     string
	Requests uint64
	Window   time.Duration
	Message  string // of the 429
}

// The classes of limits.
var (
	ChatLimit       = &LimitClass{"ai-chat", 30, 10 * time.Minute, "Too many chat messages. Please try again later."}
	PaymentLimit    = &LimitClass{"payment", 10, 15 * time.Minute, "Too many payment attempts. Please try again later."}
	GenerationLimit = &LimitClass{"ai-generation", 10, time.Hour, "Too many generation requests. Please try again later."}
	QuizLimit       = &LimitClass{"quiz-submit", 30, 10 * time.Minute, "Too many quiz submissions. Please try again later."}
	CommunityLimit  = &LimitClass{"community", 20, 10 * time.Minute, "Too many community posts. Please try again later."}
	AdminLimit      = &LimitClass{"admin", 100, 15 * time.Minute, "Too many admin requests. Please try again later."}
)

var limitClasses = []*LimitClass{ChatLimit, PaymentLimit, GenerationLimit, QuizLimit, CommunityLimit, AdminLimit}

// Limiter counts the requests of one class in fixed windows. It is the one method
// that is needed of a Store of github.com/sethvargo/go-limiter, so all of its
// stores fit. Reset is a time in Unix nanoseconds.
type Limiter interface {
	Take(ctx context.Context, key string) (tokens, remaining, reset uint64, ok bool, err error)
}

// inMemory counts in this process. A window that has closed is forgotten at the
// next sweep.
func inMemory(class LimitClass) (Limiter, error) {
	store, err := memorystore.New(&memorystore.Config{
		Tokens: class.Requests, Interval: class.Window,
		SweepInterval: class.Window, SweepMinTTL: 2 * class.Window,
	})
	if err != nil {
		return nil, err
	}
	// The store sweeps in a goroutine of its own, which ends with the handler: a
	// handler is not closed, it is only forgotten.
	m := &memory{store}
	runtime.AddCleanup(m, func(s limiter.Store) { _ = s.Close(context.Background()) }, store)
	return m, nil
}

type memory struct{ limiter.Store }

// limiter applies one class to requests.
type classLimiter struct {
	class  *LimitClass
	taker  Limiter
	policy []string
	limit  []string
}

func (a *api) limiters() (map[*LimitClass]*classLimiter, error) {
	all := map[*LimitClass]*classLimiter{}
	for _, class := range limitClasses {
		taker, err := a.newLimiter(*class)
		if err != nil {
			return nil, fmt.Errorf("httpapi: rate limit %q: %w", class.Name, err)
		}
		n := strconv.FormatUint(class.Requests, 10)
		all[class] = &classLimiter{class, taker, []string{n + ";w=" + seconds(class.Window)}, []string{n}}
	}
	return all, nil
}

// take counts a request and writes the headers of IETF draft 6 ("RateLimit
// header fields for HTTP"). A caller is a user when signed in, else a network. A
// store that fails does not close the API: the request passes, and the log says so.
func (l *classLimiter) take(w http.ResponseWriter, c *call) error {
	_, remaining, reset, ok, err := l.taker.Take(c.Context(), l.class.Name+":"+c.limitKey())
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

// refusal is the failure of a caller over the limit.
func (class *LimitClass) refusal() *learning.Error {
	return &learning.Error{Kind: learning.RateLimited, Code: "rate_limited_" + class.Name, Message: class.Message}
}

func (c *call) limitKey() string {
	if claims, err := c.claims(); err == nil && claims.UserID != "" {
		return "user:" + claims.UserID
	}
	return "net:" + network(c.api.address(c.Request))
}

// seconds rounds up, so that who waits that long has waited long enough.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((max(d, 0)+time.Second-1)/time.Second), 10)
}
