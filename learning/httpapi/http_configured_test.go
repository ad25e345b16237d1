package httpapi_test

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
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

// providerOptions are the options of a platform without which some routes answer 503.
var providerOptions = []string{"WithTokens", "WithRoles", "WithWebhooks", "WithProvider",
	"WithMedia", "WithFiles", "WithCertificates", "WithCredentials", "WithReceipts", "WithAI"}

func TestNotConfigured_EachOptionHasItsOwnError(t *testing.T) {
	platform, err := learning.New(learningtest.New(t).Store)
	check(t, err)
	codes, messages := map[string]bool{}, map[string]bool{}
	for _, missing := range platform.NotConfigured() {
		codes[missing.Code], messages[missing.Message] = true, true
	}
	if len(codes) != len(providerOptions) || len(messages) != len(providerOptions) {
		t.Errorf("%d codes and %d messages of %d options: %v", len(codes), len(messages),
			len(providerOptions), messages)
	}
}

// TestNotConfigured_StartNamesTheRoutesThatAnswer503 leaves out one option after the other. The log
// of the start must have one line, with the message and the routes that are answered. A route that
// needs the option for some requests only is named if a contract case shows it.
func TestNotConfigured_StartNamesTheRoutesThatAnswer503(t *testing.T) {
	t.Parallel()
	w, requests, shown := contracttest.NewFixture(t), successes(t), map[string]bool{}
	for _, c := range contracttest.LoadCases(t) {
		if status, message := contracttest.StatusAndMessage(t, c.Answer); status == 503 {
			shown[c.Route+": "+message] = true
		}
	}
	// What deletes comes last, so that it does not turn the answers of others into 404.
	rows := slices.Clone(httpapi.Table())
	slices.SortStableFunc(rows, func(a, b httpapi.Row) int {
		order := map[string]int{http.MethodGet: 1, http.MethodDelete: 3}
		return cmp.Or(order[a.Method], 2) - cmp.Or(order[b.Method], 2)
	})
	for _, option := range providerOptions {
		t.Run(option, func(t *testing.T) {
			t.Parallel()
			given := contracttest.Setup{API: []httpapi.Option{httpapi.WithLimiters(unlimited)}}
			given.Without(option)
			srv := w.OnSQLite(t, &given)
			message, routes := startLine(t, srv.Log())
			for _, row := range rows {
				if requests[row.ID] == "" {
					continue // TestContractCases_CoverTheTable fails
				}
				got := contracttest.Send(t, srv.Addr, srv.Expander(t).Build(requests[row.ID]))
				isNamed := slices.Contains(routes, row.ID)
				switch is503 := got.StatusCode == http.StatusServiceUnavailable; {
				case is503 && (!isNamed || !strings.Contains(string(got.Content), message)):
					t.Errorf("%s answers 503 %s; the start says %q of %v", row.ID, got.Content,
						message, routes)
				case isNamed && !is503 && !shown[row.ID+": "+message]:
					t.Errorf("the start says %q of %s, which answers %s", message, row.ID,
						got.Status)
				}
			}
		})
	}
}

// startLine returns the message and the routes of the one line of a log about routes that answer
// 503.
func startLine(t *testing.T, log string) (message string, routes []string) {
	t.Helper()
	if n := strings.Count(log, "some routes answer 503"); n != 1 {
		t.Errorf("the start has %d lines about routes that answer 503:\n%s", n, log)
	}
	_, line, _ := strings.Cut(log, "some routes answer 503")
	line, _, _ = strings.Cut(line, "\n")
	_, message, _ = strings.Cut(line, `reason="`)
	message, _, _ = strings.Cut(message, `"`)
	_, list, _ := strings.Cut(line, "[")
	list, _, _ = strings.Cut(list, "]")
	return message, strings.Fields(list)
}
