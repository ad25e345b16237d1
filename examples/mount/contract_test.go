package main

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// contractRouters is an environment variable with the routers that run the contract cases, comma
// separated, such as "net/http,chi". Without it none does, because each router takes half a minute.
const contractRouters = "MOUNT_CONTRACT_ROUTERS"

// TestContract_HoldsBehindTheMiddleware runs the contract cases of the platform against it as this
// program serves it. The cases sign in with tokens, which the middleware passes on.
func TestContract_HoldsBehindTheMiddleware(t *testing.T) {
	names := os.Getenv(contractRouters)
	if names == "" {
		t.Skipf("left out: the contract cases; `make verify` runs them, or %s=net/http",
			contractRouters)
	}
	for router := range strings.SplitSeq(names, ",") {
		serve := servers[router]
		if serve == nil {
			t.Fatalf("%s has %q, which is no router of this program", contractRouters, router)
		}
		t.Run(router, func(t *testing.T) {
			learningtest.Contract(t, func(
				platform *learning.Platform, options ...httpapi.Option) (http.Handler, error) {
				api, err := httpapi.New(platform, options...)
				if err != nil {
					return nil, err
				}
				return serve(below(api), newSessions()), nil
			}, prefix)
		})
	}
}
