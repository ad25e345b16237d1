package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// Each request has one log line with caller, route and status, and the same id as the answer.
func TestLog_OneLineForEachRequest(t *testing.T) {
	var log learningtest.Log
	k := learningtest.New(t, learningtest.WithPlatform(learning.WithLogger(log.Logger())))
	k.Person(t, "student", "student")
	h, err := httpapi.New(k.Platform)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodGet, "/api/user/data", nil)
	r.Header.Set("Authorization", "Bearer "+k.Token(t, "student"))
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	line := log.String()
	if strings.Count(line, "\n") != 1 {
		t.Errorf("the log does not have exactly one line:\n%s", line)
	}
	for _, want := range []string{"request_id=" + w.Header().Get("X-Request-Id"), "method=GET",
		"route=user.data", "status=200", "took=", "user=student"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is not in the log: %s", want, line)
		}
	}
}
