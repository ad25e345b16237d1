package httpapi_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
)

// panickingLimiter panics once.
type panickingLimiter struct{ panicked atomic.Bool }

func (l *panickingLimiter) Take(context.Context,
	string) (tokens, remaining, reset uint64, ok bool, err error) {
	if !l.panicked.Swap(true) {
		panic("no limiter")
	}
	return 10, 9, 0, true, nil
}

func TestQuiz_PanicOfTheHostsLimiterDoesNotBlockTheNextRequest(t *testing.T) {
	limiter := &panickingLimiter{}
	s := fixtureSite(t,
		httpapi.WithLimiters(func(httpapi.Limit) (httpapi.Limiter, error) { return limiter, nil }))
	const missing = "/api/quiz/course_go/chapter_2"
	if got := s.do(http.MethodGet, missing, "", s.as("collector")...); got.Code !=
		http.StatusInternalServerError || got.Body.String() != panicAnswer {
		t.Errorf("with the panic: %d %s", got.Code, got.Body)
	}
	if got := s.do(http.MethodGet, missing, "", s.as("collector")...); got.Code != http.StatusOK {
		t.Errorf("the next one: %d %s", got.Code, got.Body)
	}
}
