package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/observertest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestWithObserver_Requests(t *testing.T) {
	var seen observertest.Recorder
	inside := func(w http.ResponseWriter, r *http.Request) {
		if op := observertest.Inside(r.Context()); op.Kind != core.OperationRequest {
			t.Errorf("the handler runs inside %+v", op)
		}
		_, _ = w.Write([]byte("12345"))
	}
	row := route(http.MethodGet, "/inside", inside)
	s := observedSite(t, &seen, httpapi.WithRoutes(row))
	for _, c := range []struct {
		method, path, name, route string
		status                    int
	}{
		{http.MethodGet, "/inside", "GET", row.ID, http.StatusOK},
		{http.MethodGet, "/api/course/none", "GET", "course.get", http.StatusNotFound},
		{http.MethodGet, "/no/such/path", "GET", "", http.StatusNotFound},
		{"BREW", "/inside", "other", "", http.StatusMethodNotAllowed},
	} {
		answer := s.do(c.method, c.path, "")
		want := observertest.Ended{
			Operation: core.Operation{Kind: core.OperationRequest, Name: c.name},
			Outcome: core.Outcome{Route: c.route, Status: c.status,
				Bytes: int64(answer.Body.Len())},
		}
		if got := seen.Of(core.OperationRequest); len(got) != 1 || got[0] != want {
			t.Errorf("%s %s: got %+v, want %+v", c.method, c.path, got, want)
		}
		seen.Reset()
	}
}

func TestWithObserver_PanicOfAHandler_EndsTheRequest(t *testing.T) {
	var seen observertest.Recorder
	row := route(http.MethodGet, "/panic",
		func(http.ResponseWriter, *http.Request) { panic("no handler") })
	s := observedSite(t, &seen, httpapi.WithRoutes(row))
	s.do(http.MethodGet, "/panic", "")
	if got := seen.Of(core.OperationRequest); len(got) != 1 ||
		got[0].Status != http.StatusInternalServerError || seen.Running() != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestWithObserver_RateLimits(t *testing.T) {
	var seen observertest.Recorder
	limit := httpapi.Limit{Name: httpapi.PaymentLimit, Requests: 1, Window: time.Minute}
	s := observedSite(t, &seen, httpapi.WithLimits(limit))
	for range 2 {
		s.do(http.MethodPost, "/api/user/purchase", `{"courseId":"course_none"}`,
			s.as("student")...)
	}
	got := seen.Of(core.OperationLimit)
	if len(got) != 2 || got[0].Name != limit.Name || got[0].Err != nil {
		t.Fatalf("got %+v", got)
	}
	if _, refused := errors.AsType[*core.RetryableError](got[1].Err); !refused {
		t.Errorf("the second request: %+v", got[1])
	}
}

func TestWithObserver_ListOfCoursesIsMadeOnce(t *testing.T) {
	var seen observertest.Recorder
	s := observedSite(t, &seen)
	for range 3 {
		s.do(http.MethodGet, "/api/course/all", "")
	}
	if got := seen.Of(core.OperationList); len(got) != 1 || got[0].Name != "courses" ||
		got[0].Err != nil {
		t.Errorf("got %+v", got)
	}
}

// BenchmarkWithObserver measures the smallest answer with and without an observer that does
// nothing. Without one there is no cost.
func BenchmarkWithObserver(b *testing.B) {
	for name, observer := range map[string]core.Observer{"off": nil, "on": idle{}} {
		b.Run(name, func(b *testing.B) {
			s := observedSite(b, observer)
			b.ReportAllocs()
			for b.Loop() {
				s.handler.ServeHTTP(httptest.NewRecorder(),
					httptest.NewRequest(http.MethodGet, "/", nil))
			}
		})
	}
}

// observedSite returns a site as fixtureSite does, with an observer of the platform.
func observedSite(tb testing.TB, o core.Observer, opts ...httpapi.Option) *site {
	tb.Helper()
	observed := learningtest.WithPlatform(learning.WithObserver(o))
	return fixtureSiteOf(tb, learningtest.New(tb, observed), opts...)
}

// idle is an observer that does nothing.
type idle struct{}

func (idle) Begin(ctx context.Context,
	_ core.Operation) (context.Context, func(core.Outcome)) {
	return ctx, func(core.Outcome) {}
}
