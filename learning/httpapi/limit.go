package httpapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/openlectern/openlectern/internal/nilarg"
	"github.com/openlectern/openlectern/internal/web"
	"github.com/openlectern/openlectern/learning/core"
)

// Limit is a rate limit (docs/api.md §1). A caller has one window for all routes with the
// same limit.
type Limit struct {
	Name     string // what a [Route] names; it is part of the code of the refusal
	Requests uint64 // in a window
	Window   time.Duration
	Message  string // of the 429; "" for that of the built-in limit of this name, or a general one
}

// The names of the built-in limits. [WithLimits] changes their figures.
const (
	ChatLimit       = "ai-chat"
	PaymentLimit    = "payment"
	QuoteLimit      = "quote"
	CouponLimit     = "coupon"
	PositionLimit   = "position"
	GenerationLimit = "ai-generation"
	QuizLimit       = "quiz-submit"
	AnswerLimit     = "quiz-answer"
	CommunityLimit  = "community"
	AdminLimit      = "admin"
	FileLimit       = "file"
	PackageLimit    = "package"
	ExportLimit     = "export"
	AnnounceLimit   = "announcement"
	// ChangeLimit is that of the routes with a body that are not in interface.md and have no other.
	ChangeLimit = "change"
	UploadLimit = "upload" // of the parts of resumable uploads
	AgentLimit  = "agent"  // of the requests of agents, beside those of the routes that they call
)

// builtInLimits returns the limits of the route table by name.
func builtInLimits() map[string]Limit {
	all := map[string]Limit{}
	for _, l := range []Limit{
		{Name: ChatLimit, Requests: 30, Window: 10 * time.Minute,
			Message: "Too many chat messages. Please try again later."},
		{Name: PaymentLimit, Requests: 10, Window: 15 * time.Minute,
			Message: "Too many payment attempts. Please try again later."},
		{Name: QuoteLimit, Requests: 30, Window: 10 * time.Minute,
			Message: "Too many quotes. Please try again later."},
		{Name: CouponLimit, Requests: 60, Window: time.Hour,
			Message: "Too many coupon changes. Please try again later."},
		{Name: PositionLimit, Requests: 120, Window: 10 * time.Minute,
			Message: "Too many positions. Please try again later."},
		{Name: GenerationLimit, Requests: 10, Window: time.Hour,
			Message: "Too many generation requests. Please try again later."},
		{Name: QuizLimit, Requests: 30, Window: 10 * time.Minute,
			Message: "Too many quiz submissions. Please try again later."},
		{Name: AnswerLimit, Requests: 600, Window: 10 * time.Minute,
			Message: "Too many answers. Please try again later."},
		{Name: CommunityLimit, Requests: 20, Window: 10 * time.Minute,
			Message: "Too many community posts. Please try again later."},
		{Name: FileLimit, Requests: 60, Window: time.Hour,
			Message: "Too many uploads. Please try again later."},
		{Name: PackageLimit, Requests: 20, Window: time.Hour,
			Message: "Too many course packages. Please try again later."},
		{Name: UploadLimit, Requests: 1200, Window: 10 * time.Minute,
			Message: "Too many parts of uploads. Please try again later."},
		{Name: ChangeLimit, Requests: 600, Window: 10 * time.Minute,
			Message: "Too many changes. Please try again later."},
		{Name: AdminLimit, Requests: 100, Window: 15 * time.Minute,
			Message: "Too many admin requests. Please try again later."},
		{Name: AnnounceLimit, Requests: 10, Window: 24 * time.Hour,
			Message: "Too many announcements. Please try again later."},
		{Name: ExportLimit, Requests: 5, Window: time.Hour,
			Message: "Too many exports. Please try again later."},
	} {
		all[l.Name] = l
	}
	return all
}

// setLimit adds a limit, or replaces the limit of the same name. Without a message it keeps the one
// of the limit that it replaces.
func (a *api) setLimit(l Limit) {
	if l.Message == "" {
		l.Message = a.limits[l.Name].Message
	}
	if l.Message == "" {
		l.Message = "Too many requests. Please try again later."
	}
	a.limits[l.Name] = l
}

// Limiter counts the requests of one limit in fixed windows. Every Store of
// github.com/sethvargo/go-limiter implements it. Take takes a token for key; reset is the
// end of the window in Unix nanoseconds, and ok is false if no token is left. A Limiter
// must be safe for concurrent use.
type Limiter interface {
	Take(ctx context.Context, key string) (tokens, remaining, reset uint64, ok bool, err error)
}

// rateLimit applies a limit to requests.
type rateLimit struct {
	Limit
	limiter Limiter
}

// newRateLimit checks a limit, and makes its Limiter.
func (a *api) newRateLimit(l Limit) (*rateLimit, error) {
	if l.Name == "" || l.Requests == 0 || l.Window <= 0 {
		return nil, errors.New("it needs a name, a number of requests and a window")
	}
	counter, err := a.newLimiter(l)
	if err != nil {
		return nil, err
	}
	if nilarg.Is(counter) {
		return nil, errors.New("the function of WithLimiters has returned a nil Limiter")
	}
	return &rateLimit{l, counter}, nil
}

// applyLimits sets the rate limits of rows. It returns an error if a row has an unknown limit,
// and if no row has a limit that [WithLimits] sets.
func (a *api) applyLimits(rows []Route) error {
	all := map[string]*rateLimit{}
	for _, name := range slices.Sorted(maps.Keys(a.limits)) {
		made, err := a.newRateLimit(a.limits[name])
		if err != nil {
			return fmt.Errorf("httpapi: rate limit %q: %w", name, err)
		}
		all[name] = made
	}
	// Each row gets the limit that it names.
	for i, row := range rows {
		if rows[i].limit = all[row.Limit]; rows[i].limit == nil && row.Limit != "" {
			return fmt.Errorf("httpapi: route %s has the limit %q, which is not set", row.ID,
				row.Limit)
		}
	}
	// A limit that no row has is a misspelled name in WithLimits.
	for name := range all {
		if !slices.ContainsFunc(rows, func(row Route) bool { return row.Limit == name }) {
			return fmt.Errorf("httpapi: rate limit %q: no route has it", name)
		}
	}
	return nil
}

// quota is what the caller of a request has left of its limit.
type quota struct {
	*rateLimit
	remaining uint64        // requests in this window
	reset     time.Duration // until the window ends
}

// admit takes a token of the route's limit for the caller, and sets quota. It returns the failure
// of a caller without tokens. If the Limiter fails, admit allows the request and logs the error;
// then quota stays nil.
func (c *call) admit(ctx context.Context) error {
	l := c.limit
	ctx, end := c.api.observe(ctx, core.OperationLimit, l.Name)
	// The key begins with the name, because the Limiters of a host may share one store.
	_, remaining, reset, ok, err := l.limiter.Take(ctx, l.Name+":"+c.Key())
	if err != nil {
		end(err)
		c.api.server.Log.ErrorContext(ctx, "count a request", "limit", l.Name, "error", err)
		return nil
	}
	c.quota = &quota{
		rateLimit: l,
		remaining: remaining,
		reset:     time.Until(time.Unix(0, int64(reset))),
	}
	if !ok {
		err = &core.RetryableError{Failure: l.refusal(), After: c.quota.reset}
	}
	end(err)
	return err
}

// writeQuota writes the headers of IETF draft 6 ("RateLimit header fields for HTTP"), unless
// the request has taken no token.
func (c *call) writeQuota(w http.ResponseWriter) {
	q := c.quota
	if q == nil {
		return
	}
	h := w.Header()
	requests := strconv.FormatUint(q.Requests, 10)
	h.Set("RateLimit-Policy", requests+";w="+web.Seconds(q.Window))
	h.Set("RateLimit-Limit", requests)
	h.Set("RateLimit-Remaining", strconv.FormatUint(q.remaining, 10))
	h.Set("RateLimit-Reset", web.Seconds(q.reset))
}

// refusal returns the failure of a caller without tokens.
func (l Limit) refusal() *core.Error {
	return &core.Error{Kind: core.RateLimited, Code: "rate_limited_" + l.Name,
		Message: l.Message}
}

// Key returns who shares the tokens of a limit, and bounds of memory and temporary files: the user,
// or all callers without a valid token of a network.
func (c *call) Key() string {
	if claims, err := c.claims(); err == nil && claims.UserID != "" {
		return "user:" + claims.UserID
	}
	return "net:" + web.Network(c.Server.Address(c.Request))
}
