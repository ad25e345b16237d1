package httpapi_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

func TestNotConfigured_IsLoggedOnceAtTheStart(t *testing.T) {
	kit := learningtest.New(t)
	platform, err := learning.New(kit.Store, learning.WithLogger(kit.Log.Logger()))
	check(t, err)
	kit.Platform = platform
	s := newSite(t, kit)
	start := kit.Log.String()
	for _, want := range []string{"Credential issuer is not configured", "credential.keys",
		"Payment gateway is not configured", "gateway.webhook"} {
		if strings.Count(start, want) != 1 {
			t.Errorf("%q is not once in the log of the start:\n%s", want, start)
		}
	}
	for method, path := range map[string]string{http.MethodGet: "/.well-known/jwks.json",
		http.MethodPost: "/gateway"} {
		if got := s.do(method, path, "{}"); got.Code != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", path, got.Code, got.Body)
		}
	}
	requests := strings.TrimPrefix(kit.Log.String(), start)
	if strings.Count(requests, "status=503") != 2 || strings.Contains(requests, "level=ERROR") ||
		strings.Contains(requests, "not configured") {
		t.Errorf("the log of the requests:\n%s", requests)
	}
}

func TestNotConfigured_CompletePlatformLogsNothing(t *testing.T) {
	kit := learningtest.New(t)
	if missing := kit.Platform.NotConfigured(); len(missing) > 0 {
		t.Skipf("the platform of the tests lacks %v", missing)
	}
	if _, err := httpapi.New(kit.Platform); err != nil ||
		strings.Contains(kit.Log.String(), "503") {
		t.Errorf("%v:\n%s", err, kit.Log.String())
	}
}
