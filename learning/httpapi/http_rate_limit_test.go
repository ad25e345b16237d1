package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/httpapi"
)

// exports is a limit that no route of the table has.
var exports = httpapi.Limit{Name: "exports", Requests: 2, Window: time.Hour,
	Message: "Too many exports."}

func TestWithLimits_HostsOwnLimitAppliesToItsRoute(t *testing.T) {
	row := route(http.MethodGet, "/exports", nothing)
	row.Limit = exports.Name
	s := fixtureSite(t, httpapi.WithRoutes(row), httpapi.WithLimits(exports))
	for remaining := range 2 {
		got := s.do(http.MethodGet, "/exports", "", s.as("student")...)
		wantLimit(t, got, http.StatusOK, "2", "2;w=3600", fmt.Sprint(1-remaining))
	}
	got := s.do(http.MethodGet, "/exports", "", s.as("student")...)
	wantLimit(t, got, http.StatusTooManyRequests, "2", "2;w=3600", "0")
	if got.Header().Get("Retry-After") != got.Header().Get("RateLimit-Reset") ||
		!strings.Contains(got.Body.String(), exports.Message) {
		t.Errorf("the refusal is %s with Retry-After %q", got.Body, got.Header().Get("Retry-After"))
	}
	if got := s.do(http.MethodGet, "/exports", "", s.as("educator")...); got.Code != http.StatusOK {
		t.Errorf("another caller: %d %s", got.Code, got.Body)
	}
	if document := s.do(http.MethodGet, "/openapi.json",
		"").Body.String(); !strings.Contains(document, exports.Message) {
		t.Error("the API document does not show the refusal")
	}
}

func TestWithLimits_BuiltInLimitIsChangedAndKeepsItsMessage(t *testing.T) {
	s := fixtureSite(t,
		httpapi.WithLimits(httpapi.Limit{Name: httpapi.PaymentLimit, Requests: 1,
			Window: time.Minute}))
	buy := func() *httptest.ResponseRecorder {
		return s.do(http.MethodPost, "/api/user/purchase", `{"courseId":"course_none"}`,
			s.as("student")...)
	}
	wantLimit(t, buy(), http.StatusNotFound, "1", "1;w=60", "0")
	got := buy()
	wantLimit(t, got, http.StatusTooManyRequests, "1", "1;w=60", "0")
	if !strings.Contains(got.Body.String(), "Too many payment attempts.") {
		t.Errorf("the refusal is %s", got.Body)
	}
}

// wantLimit compares the status and the rate-limit headers of an answer.
func wantLimit(t *testing.T, got *httptest.ResponseRecorder, status int,
	limit, policy, remaining string) {
	t.Helper()
	h := got.Header()
	if got.Code != status || h.Get("RateLimit-Limit") != limit ||
		h.Get("RateLimit-Policy") != policy || h.Get("RateLimit-Remaining") != remaining {
		t.Errorf("got %d with %v, want %d with limit %s, policy %s, remaining %s", got.Code, h,
			status, limit, policy, remaining)
	}
}

// Only a caller whose quiz must be written takes a token.
func TestWithLimits_QuizTakesATokenOnlyIfItMustBeWritten(t *testing.T) {
	limit := httpapi.Limit{Name: httpapi.GenerationLimit, Requests: 1, Window: time.Minute}
	const stored, missing = "/api/quiz/course_go/chapter_1", "/api/quiz/course_go/chapter_2"

	s := fixtureSite(t, httpapi.WithLimits(limit))
	quiz := func(path string) *httptest.ResponseRecorder {
		return s.do(http.MethodGet, path, "", s.as("collector")...)
	}
	wantLimit(t, quiz(stored), http.StatusOK, "", "", "")
	wantLimit(t, quiz(missing), http.StatusOK, "1", "1;w=60", "0")
	wantLimit(t, quiz(missing), http.StatusOK, "", "", "")

	s = fixtureSite(t, httpapi.WithLimits(limit))
	// the last token
	s.do(http.MethodPost, "/api/user/generate-custom-roadmap", `{"topic":"sailing"}`,
		s.as("collector")...)
	got := quiz(missing)
	wantLimit(t, got, http.StatusTooManyRequests, "1", "1;w=60", "0")
	if h := got.Header(); h.Get("Retry-After") != h.Get("RateLimit-Reset") ||
		!strings.Contains(got.Body.String(), "Too many generation requests.") {
		t.Errorf("the refusal is %s with %v", got.Body, h)
	}
}

func TestWithLimits_InvalidLimit(t *testing.T) {
	kit := fixtureSite(t).Kit
	row := route(http.MethodGet, "/exports", nothing)
	row.Limit = exports.Name
	for name, limit := range map[string]httpapi.Limit{
		"no name":     {Requests: 1, Window: time.Minute},
		"no requests": {Name: exports.Name, Window: time.Minute},
		"no window":   {Name: exports.Name, Requests: 1},
		"no route":    {Name: "imports", Requests: 1, Window: time.Minute},
	} {
		if _, err := httpapi.New(kit.Platform, httpapi.WithRoutes(row),
			httpapi.WithLimits(exports, limit)); err == nil ||
			!strings.Contains(err.Error(), "limit") {
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
