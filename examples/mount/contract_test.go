package main

import (
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// TestContract_HoldsBehindTheMiddleware runs the contract cases of the platform against it as this
// program serves it. The cases sign in with tokens, which the middleware passes on.
func TestContract_HoldsBehindTheMiddleware(t *testing.T) {
	routers := []string{"net/http", "chi", "gin", "echo"}
	if testing.Short() {
		routers = routers[:1]
	}
	for _, router := range routers {
		t.Run(router, func(t *testing.T) {
			learningtest.Contract(t, func(
				platform *learning.Platform, options ...httpapi.Option) (http.Handler, error) {
				api, err := httpapi.New(platform, options...)
				if err != nil {
					return nil, err
				}
				return servers[router](below(api), newSessions()), nil
			}, prefix)
		})
	}
}
