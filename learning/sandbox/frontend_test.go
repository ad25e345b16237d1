package sandbox_test

import (
	"net/http"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

const frontend = "http://localhost:5173"

func TestFrontend_SignsInAndPaysFromTheBrowser(t *testing.T) {
	s := start(t, sandbox.Config{FrontendOrigin: frontend})
	withUsers(t, s)
	base, json := s.Config().URL, header("Content-Type", "application/json")
	for what, do := range map[string]func(...func(*http.Request)) (int, http.Header, string){
		"sign in": func(change ...func(*http.Request)) (int, http.Header, string) {
			return call(t, "POST", base+"/v1/sign-in", `{"userId":"user_1"}`,
				append(change, json)...)
		},
		"pay": func(change ...func(*http.Request)) (int, http.Header, string) {
			return call(t, "POST", base+"/checkout/"+newOrder(t, s).ID, `{"action":"pay"}`,
				append(change, json, header("Accept", "application/json"))...)
		},
		"list people": func(change ...func(*http.Request)) (int, http.Header, string) {
			return call(t, "GET", base+"/v1/people", "", change...)
		},
		"show a picture": func(change ...func(*http.Request)) (int, http.Header, string) {
			return call(t, "GET", s.Identity().PictureURL("user_1"), "", change...)
		},
	} {
		site := header("Sec-Fetch-Site", "cross-site")
		if status, h, body := do(header("Origin", frontend), site); status != http.StatusOK ||
			h.Get("Access-Control-Allow-Origin") != frontend {
			t.Errorf("%s: status %d, allowed %q: %s", what, status,
				h.Get("Access-Control-Allow-Origin"), body)
		}
		status, h, _ := do(header("Origin", "https://elsewhere.example.org"), site)
		if h.Get("Access-Control-Allow-Origin") != "" ||
			what != "show a picture" && what != "list people" && status != http.StatusForbidden {
			t.Errorf("%s from another origin: status %d, allowed %q", what, status,
				h.Get("Access-Control-Allow-Origin"))
		}
	}
}

func TestFrontend_Preflight(t *testing.T) {
	for _, test := range []struct {
		configured, origin, path string
		allowed                  bool
	}{
		{frontend, frontend, "/v1/sign-in", true},
		{frontend, frontend, "/checkout/order_1", true},
		{frontend, "https://elsewhere.example.org", "/v1/sign-in", false},
		{frontend, frontend, "/sandbox/faults", false},
		{frontend, frontend, "/v1/orders", false},
		{frontend, frontend, "/v1/users/user_1/metadata", false},
		{"", frontend, "/v1/sign-in", false},
	} {
		s := start(t, sandbox.Config{FrontendOrigin: test.configured})
		_, h, _ := call(t, "OPTIONS", s.Config().URL+test.path, "", header("Origin", test.origin),
			header("Access-Control-Request-Method", "POST"),
			header("Access-Control-Request-Headers", "content-type"))
		if got := h.Get("Access-Control-Allow-Origin") != ""; got != test.allowed {
			t.Errorf("%+v: allowed %v", test, got)
		}
	}
}

func TestFrontend_CannotSetFaults(t *testing.T) {
	s := start(t, sandbox.Config{FrontendOrigin: frontend})
	status, _, _ := call(t, "POST", s.Config().URL+"/sandbox/faults",
		`{"provider":"ai","kind":"hang"}`, header("Origin", frontend),
		header("Sec-Fetch-Site", "cross-site"))
	if status != http.StatusForbidden {
		t.Errorf("status %d", status)
	}
}

func TestFrontend_InvalidOrigin(t *testing.T) {
	for _, origin := range []string{"localhost:5173", "http://localhost:5173/",
		"http://localhost:5173/app", "*", "https://*.example.org", "null"} {
		if s, err := sandbox.Listen(sandbox.Config{FrontendOrigin: origin}); err == nil {
			s.Close()
			t.Errorf("%q is accepted", origin)
		}
	}
}

func TestIcon_IsServed(t *testing.T) {
	s := start(t, sandbox.Config{})
	status, h, body := call(t, "GET", s.Config().URL+"/favicon.ico", "")
	if status != http.StatusOK || h.Get("Content-Type") != "image/png" || len(body) == 0 {
		t.Errorf("status %d, %s, %d bytes", status, h.Get("Content-Type"), len(body))
	}
}
