package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func nothing(http.ResponseWriter, *http.Request) {}

func TestNew_InvalidRow(t *testing.T) {
	t.Parallel()
	kit := learningtest.New(t)
	good := route(http.MethodGet, "/extra", nothing)
	for _, test := range []struct {
		name   string
		change func(*httpapi.Route)
		says   string
	}{
		{"no access rule", func(r *httpapi.Route) { r.Access = 0 }, "access"},
		{"an unknown access rule", func(r *httpapi.Route) { r.Access = 200 }, "access"},
		{"every origin and a token",
			func(r *httpapi.Route) { r.AnyOrigin, r.Access = true, httpapi.SignedIn },
			"every origin"},
		{"every origin and a change",
			func(r *httpapi.Route) { r.AnyOrigin, r.Method = true, http.MethodPost },
			"every origin"},
		{"no id", func(r *httpapi.Route) { r.ID = "" }, "id"},
		{"no action", func(r *httpapi.Route) { r.Do = httpapi.Action{} }, "nothing"},
		{"a relative path", func(r *httpapi.Route) { r.Path = "extra" }, "path"},
		{"an unknown limit", func(r *httpapi.Route) { r.Limit = "mine" }, "limit"},
		{"a path that the table has", func(r *httpapi.Route) { r.Path = "/api/course/all" },
			"another route"},
		{"a parameter where the table has one",
			func(r *httpapi.Route) { r.Path = "/api/course/:slug" }, "another route"},
		{"the id of another row", func(r *httpapi.Route) { r.ID = "course.list" }, "id"},
		{"a parameter without a name", func(r *httpapi.Route) { r.Path = "/extra/:" }, "parameter"},
		{"a parameter twice", func(r *httpapi.Route) { r.Path = "/extra/:id/:id" }, "parameter"},
		{"the rest of a path in its middle",
			func(r *httpapi.Route) { r.Path = "/extra/*rest/more" }, "parameter"},
		{"a parameter as net/http writes it",
			func(r *httpapi.Route) { r.Path = "/extra/{id}" }, "write :name"},
		{"the rest of a path as net/http writes it",
			func(r *httpapi.Route) { r.Path = "/extra/{rest...}" }, "*name"},
		{"the end of a path as net/http writes it",
			func(r *httpapi.Route) { r.Path = "/extra/{$}" }, "write :name"},
		{"a method in the path", func(r *httpapi.Route) { r.Path = "GET /extra" },
			"the method is a field"},
		{"an action without a handler",
			func(r *httpapi.Route) { r.Do = httpapi.Handle((*http.ServeMux)(nil)) }, "not nil"},
		{"no method", func(r *httpapi.Route) { r.Method = "" }, "method"},
	} {
		t.Run(test.name, func(t *testing.T) {
			row := good
			test.change(&row)
			_, err := httpapi.New(kit.Platform, httpapi.WithRoutes(row))
			if err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error is %v, want one about %q", err, test.says)
			}
		})
	}
	if _, err := httpapi.New(kit.Platform, httpapi.WithRoutes(good)); err != nil {
		t.Errorf("the row itself is refused: %v", err)
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	kit := learningtest.New(t)
	for _, origin := range []string{"", "*", "null", "localhost:5173", "https://learn.example.org/",
		"https://learn.example.org/path", "ftp://learn.example.org", "https://",
		"https://user@learn.example.org", "https://learn.example.org:443",
		"http://learn.example.org:80", "https://Learn.example.org"} {
		if _, err := httpapi.New(kit.Platform, httpapi.WithOrigin(origin)); err == nil {
			t.Errorf("origin %q is accepted", origin)
		}
	}
	if _, err := httpapi.New(nil); err == nil {
		t.Error("a handler is made without a platform")
	}
	refuse := func(httpapi.Limit) (httpapi.Limiter, error) { return nil, errors.New("no store") }
	if _, err := httpapi.New(kit.Platform, httpapi.WithLimiters(refuse)); err == nil ||
		!strings.Contains(err.Error(), "no store") {
		t.Errorf("without limiters the error is %v", err)
	}
}

// Routes of a host have the same headers, access rules and request ids as all others.
func TestWithRoutes_SameRulesAsAllRoutes(t *testing.T) {
	var rows []httpapi.Route
	access := map[string]httpapi.Access{"/public": httpapi.Public, "/any-token": httpapi.AnyToken,
		"/signed-in": httpapi.SignedIn, "/educators": httpapi.Educators, "/staff": httpapi.Staff,
		"/admins": httpapi.Admins}
	for path, rule := range access {
		row := route(http.MethodGet, path, nothing)
		row.Access = rule
		rows = append(rows, row)
	}
	s := fixtureSite(t, httpapi.WithRoutes(rows...))
	for path, want := range map[string]map[string]int{
		"/public": {"": 200, "student": 200, "educator": 200, "admin": 200, "gone": 200,
			"newcomer": 200},
		"/any-token": {"": 401, "student": 200, "educator": 200, "admin": 200, "gone": 200,
			"newcomer": 200},
		"/signed-in": {"": 401, "student": 200, "educator": 200, "admin": 200, "gone": 401,
			"newcomer": 200},
		"/educators": {"": 401, "student": 403, "educator": 200, "admin": 403, "gone": 401,
			"newcomer": 403},
		"/staff": {"": 401, "student": 403, "educator": 200, "admin": 200, "gone": 401,
			"newcomer": 403},
		"/admins": {"": 401, "student": 403, "educator": 403, "admin": 200, "gone": 401,
			"newcomer": 403},
	} {
		for who, status := range want {
			var headers []string
			if who != "" {
				headers = s.as(who)
			}
			got := s.do(http.MethodGet, path, "", headers...)
			if got.Code != status || got.Header().Get("X-Request-Id") == "" ||
				got.Header().Get("X-Content-Type-Options") != "nosniff" {
				t.Errorf("%s for %q: %d, headers %v; want %d", path, who, got.Code, got.Header(),
					status)
			}
		}
	}
}

func TestLimiter_FailureAllowsTheRequest(t *testing.T) {
	limiters := func(httpapi.Limit) (httpapi.Limiter, error) {
		return scripted(func(string) (uint64, uint64, uint64, bool, error) {
			return 0, 0, 0, false,
				contracttest.ErrInternal
		}), nil
	}
	s := fixtureSite(t, httpapi.WithLimiters(limiters))
	got := s.do(http.MethodPost, "/api/user/purchase", `{"courseId":"course_none"}`,
		s.as("student")...)
	if got.Code != http.StatusNotFound {
		t.Errorf("the answer is %d %s", got.Code, got.Body)
	}
	if !strings.Contains(s.Log.String(), "count a request") {
		t.Errorf("the log does not have the failure:\n%s", s.Log.String())
	}
}

// The handler creates one limiter for each class, and takes tokens with a key of class and caller.
func TestLimiter_KeyHasClassAndCaller(t *testing.T) {
	classes, keys := map[string]httpapi.Limit{}, []string{}
	limiters := func(class httpapi.Limit) (httpapi.Limiter, error) {
		classes[class.Name] = class
		return scripted(func(key string) (uint64, uint64, uint64, bool, error) {
			keys = append(keys, key)
			reset := time.Now().Add(90 * time.Second)
			return class.Requests, 0, uint64(reset.UnixNano()), false, nil
		}), nil
	}
	s := fixtureSite(t, httpapi.WithLimiters(limiters))
	for name, want := range map[string]httpapi.Limit{ // docs/api.md §1
		"ai-chat":       {Requests: 30, Window: 10 * time.Minute},
		"payment":       {Requests: 10, Window: 15 * time.Minute},
		"ai-generation": {Requests: 10, Window: time.Hour},
		"quiz-submit":   {Requests: 30, Window: 10 * time.Minute},
		"community":     {Requests: 20, Window: 10 * time.Minute},
		"admin":         {Requests: 100, Window: 15 * time.Minute},
	} {
		if got := classes[name]; got.Requests != want.Requests || got.Window != want.Window ||
			!strings.HasSuffix(got.Message, ". Please try again later.") {
			t.Errorf("class %s is %+v", name, got)
		}
	}
	got := s.do(http.MethodPost, "/api/user/purchase", "{}", s.as("student")...)
	s.do(http.MethodPost, "/api/user/verify-gateway", "{}")
	retry, err := strconv.Atoi(got.Header().Get("Retry-After"))
	check(t, err)
	if got.Code != http.StatusTooManyRequests || retry < 60 || retry > 90 ||
		got.Header().Get("RateLimit-Reset") != got.Header().Get("Retry-After") {
		t.Errorf("the answer is %d, headers %v", got.Code, got.Header())
	}
	if len(keys) != 2 || keys[0] != "payment:user:student" || keys[1] != "payment:net:192.0.2.1" {
		t.Errorf("the keys are %q", keys)
	}
}

// timedStore is a store whose transactions time out. It records how much time they had.
type timedStore struct {
	learning.Store
	left *time.Duration
}

func (s timedStore) InTx(ctx context.Context, _ func(learning.Tx) error) error {
	end, _ := ctx.Deadline() // the zero time is no deadline
	*s.left = time.Until(end)
	return context.DeadlineExceeded
}

// The gateway counts five seconds as a time-out.
func TestGatewayWebhook_AnswersWithinFiveSeconds(t *testing.T) {
	var left time.Duration
	s := newSite(t, wrapped(t, func(st learning.Store) learning.Store {
		contracttest.Fill(t, st)
		return timedStore{st, &left}
	}))
	body := `{"event":"payment.captured","payload":{"payment":{"entity":{"id":"pay_1","amount":44910,"currency":"INR","order_id":"order_open","notes":{"purchaseId":"purchase_open"}}}}}`
	got := s.do(http.MethodPost, "/gateway", body, "x-gateway-signature",
		s.Sandbox.Gateway().SignWebhook([]byte(body)))
	if got.Code != http.StatusInternalServerError || left <= 0 || left >= 5*time.Second {
		t.Errorf("with %v for the transaction, the answer is %d %s", left, got.Code, got.Body)
	}
}

func TestNew_NilOption(t *testing.T) {
	kit := learningtest.New(t)
	for want, opt := range map[string]httpapi.Option{
		"option 1 is nil": nil, "WithLimiters": httpapi.WithLimiters(nil),
	} {
		if _, err := httpapi.New(kit.Platform, opt); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in the error %v", want, err)
		}
	}
}
