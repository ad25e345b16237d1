package learningtest_test

import (
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// newSchool returns the handler of a host: the platform below a prefix, inside middleware
// that adds a header.
func newSchool(platform *learning.Platform, options ...httpapi.Option) (http.Handler, error) {
	api, err := httpapi.New(platform, options...)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/school/", http.StripPrefix("/school", api))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-School", "Open Lectern")
		mux.ServeHTTP(w, r)
	}), nil
}

// TestContract_HandlerBelowAPrefixInsideMiddleware takes samples, unless all cases are wanted.
func TestContract_HandlerBelowAPrefixInsideMiddleware(t *testing.T) {
	if contracttest.AllCases() {
		learningtest.Contract(t, newSchool, "/school")
		return
	}
	contracttest.Run(t, contracttest.Samples(contracttest.LoadCases(t)), newSchool, "/school")
}
