package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// These tests check the documented interface from the outside: each route, its
// access rule and the fields of its answer.

const (
	unauthorizedBody   = `{"success":false,"message":"Unauthorized Access"}`
	unexpectedBody     = `{"success":false,"message":"An unexpected error occurred"}`
	invalidRequestBody = `{"success":false,"message":"Invalid request data"}`
)

func wantResponse(t *testing.T, what string, w *httptest.ResponseRecorder, status int,
	body string) {
	t.Helper()
	if got := strings.TrimSpace(w.Body.String()); w.Code != status || (body != "" && got != body) {
		t.Errorf("%s: %d %s, want %d %s", what, w.Code, got, status, body)
	}
}

// interfaceRoutes are the routes of the service by access rule.
var interfaceRoutes = map[string][]string{
	"public": {"GET /", "GET /api/course/all", "GET /api/community/groups",
		"GET /api/community/posts"},
	"user": {"GET /api/user/data", "POST /api/user/purchase", "POST /api/user/verify-gateway",
		"GET /api/user/enrolled-courses",
		"POST /api/user/ai-chat", "POST /api/educator/apply",
		"GET /api/educator/application-status", "POST /api/quiz/submit"},
	"educator": {"POST /api/educator/add-course", "GET /api/educator/courses",
		"GET /api/educator/dashboard",
		"GET /api/educator/enrolled-students", "POST /api/quiz/generate",
		"GET /api/quiz/educator-insights"},
	"admin": {"GET /api/admin/educator-applications",
		"PATCH /api/admin/educator-applications/x/approve",
		"PATCH /api/admin/educator-applications/x/reject", "GET /api/admin/stats",
		"GET /api/admin/chart-data",
		"GET /api/admin/courses", "GET /api/admin/purchases", "GET /api/admin/users"},
}

func TestInterface_Authentication(t *testing.T) {
	s := newSite(t, learningtest.New(t))
	for _, role := range []string{"student", "educator", "admin"} {
		check(t, s.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: role, Role: role}))
	}
	check(t, s.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: "none"}))
	expired, err := s.Sandbox.Identity().Token("student", sandbox.WithTTL(-time.Second))
	check(t, err)
	callers := map[string][]string{"no token": nil, "garbage": {"Authorization", "Bearer x"},
		"expired": {"Authorization", "Bearer " + expired},
		"none":    s.as("none"), "student": s.as("student"), "educator": s.as("educator"),
		"admin": s.as("admin")}
	for access, routes := range interfaceRoutes {
		for _, route := range routes {
			method, path, _ := strings.Cut(route, " ")
			for caller, headers := range callers {
				what := route + " by " + caller
				w := s.do(method, path, "", headers...)
				signedIn := caller != "no token" && caller != "garbage" && caller != "expired"
				switch {
				case access == "public":
					wantResponse(t, what, w, http.StatusOK, "")
				case !signedIn:
					wantResponse(t, what, w, http.StatusUnauthorized, unauthorizedBody)
				case access != "user" && caller != access:
					wantResponse(t, what, w, http.StatusForbidden, unauthorizedBody)
				case w.Code == http.StatusUnauthorized || w.Code == http.StatusForbidden ||
					w.Code >= 500 && w.Code != http.StatusServiceUnavailable:
					t.Errorf("%s: %d %s", what, w.Code, w.Body)
				}
			}
		}
	}
	for _, path := range []string{"/api/user/nowhere", "/api/educator/nowhere",
		"/api/admin/nowhere", "/nowhere"} {
		wantResponse(t, path, s.get(path), http.StatusNotFound,
			`{"success":false,"message":"Route not found"}`)
	}
}

func TestInterface_WebhookSignatures(t *testing.T) {
	h := newHooks(t)
	h.Person(t, "ada", "")
	h.Clock.Advance(time.Second)
	body := h.user("user.updated", "ada", "Augusta")
	good := h.Sandbox.Identity().SignWebhook([]byte(body), "msg_1", h.Clock.Now())
	names := []string{"hook-id", "hook-timestamp", "hook-signature"}
	for _, missing := range names {
		var headers []string
		for _, name := range names {
			if name != missing {
				headers = append(headers, name, good.Get(name))
			}
		}
		wantResponse(t, "without "+missing, h.do(http.MethodPost, "/idp", body, headers...),
			http.StatusInternalServerError, unexpectedBody)
	}
	headers := []string{"hook-id", "msg_1", "hook-timestamp", good.Get("hook-timestamp"),
		"hook-signature", good.Get("hook-signature")}
	wantResponse(t, "another body", h.do(http.MethodPost, "/idp", body+" ", headers...),
		http.StatusInternalServerError, unexpectedBody)
	wantResponse(t, "the signed body", h.do(http.MethodPost, "/idp", body, headers...),
		http.StatusOK, "{}")

	event := `{"event":"payment.failed","payload":{}}`
	signature := h.Sandbox.Gateway().SignWebhook([]byte(event))
	const refused = `{"error":"Invalid gateway webhook signature"}`
	wantResponse(t, "gateway, unsigned", h.do(http.MethodPost, "/gateway", event),
		http.StatusBadRequest, refused)
	wantResponse(t, "gateway, another body",
		h.do(http.MethodPost, "/gateway", event+" ", "x-gateway-signature", signature),
		http.StatusBadRequest, refused)
	wantResponse(t, "gateway, signed",
		h.do(http.MethodPost, "/gateway", event, "x-gateway-signature", signature), http.StatusOK,
		`{"received":true}`)
}

func TestInterface_IdentityEvents(t *testing.T) {
	h := newHooks(t)
	check(t, h.Sandbox.Identity().PutUserQuietly(sandbox.User{ID: "ada"}))
	send := func(body string) {
		t.Helper()
		if status, answer := h.send("msg_1", body); status != http.StatusOK || answer != "{}" {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
	h.wantUser("ada", "")
	send(h.user("user.created", "ada", "Ada"))
	h.wantUser("ada", "Ada Lovelace")
	for range 2 {
		send(h.user("user.updated", "ada", "Augusta"))
		h.wantUser("ada", "Augusta Lovelace")
	}
	for _, kind := range []string{"session.created", "organization.created", "", "user"} {
		send(h.user(kind, "ada", "Eve"))
		h.wantUser("ada", "Augusta Lovelace")
	}
	send(`{"type":"user.deleted","data":{"id":"ada"}}`)
	h.wantUser("ada", "")
	send(`{"type":"user.deleted","data":{"id":"ada"}}`)
	send(`{"type":"user.deleted","data":{"id":"nobody"}}`)
	send(h.user("user.created", "ada", "Ada"))
	h.wantUser("ada", "Ada Lovelace")
}

// interfaceApplication is an educator application with the documented fields (docs/api.md §9).
type interfaceApplication struct {
	ID                string   `json:"_id"`
	UserID            string   `json:"userId"`
	ProfessionalTitle string   `json:"professionalTitle"`
	Bio               string   `json:"bio"`
	Expertise         []string `json:"expertise"`
	LinkedinURL       string   `json:"linkedinUrl"`
	Status            string   `json:"status"`
	RejectionReason   string   `json:"rejectionReason"`
	CreatedAt         string   `json:"createdAt"`
}

// onlyApplication returns the one application in the admin's list.
func (s *site) onlyApplication(query string) interfaceApplication {
	s.tb.Helper()
	w := s.do(http.MethodGet, "/api/admin/educator-applications"+query, "", s.as("boss")...)
	var answer struct {
		Success      bool
		Applications []interfaceApplication
	}
	check(s.tb, json.Unmarshal(w.Body.Bytes(), &answer))
	if !answer.Success || len(answer.Applications) != 1 {
		s.tb.Fatalf("%d %s", w.Code, w.Body)
	}
	return answer.Applications[0]
}

func TestInterface_Application(t *testing.T) {
	s := newSite(t, learningtest.New(t))
	s.Person(t, "boss", "admin")
	s.Person(t, "ada", "")
	apply := func(body string) *httptest.ResponseRecorder {
		return s.do(http.MethodPost, "/api/educator/apply", body,
			append(s.as("ada"), "Content-Type", "application/json")...)
	}
	decide := func(id, decision, body string) *httptest.ResponseRecorder {
		return s.do(http.MethodPatch, "/api/admin/educator-applications/"+id+"/"+decision, body,
			s.as("boss")...)
	}
	want := func(status, title, reason string) interfaceApplication {
		t.Helper()
		a := s.onlyApplication("?status=" + status)
		if a.Status != status || a.ProfessionalTitle != title || a.RejectionReason != reason ||
			a.UserID != "ada" {
			t.Errorf("%+v, want %s, %s and the reason %q", a, status, title, reason)
		}
		if _, err := time.Parse(time.RFC3339, a.CreatedAt); err != nil {
			t.Error(err)
		}
		w := s.do(http.MethodGet, "/api/educator/application-status", "", s.as("ada")...)
		if !strings.Contains(w.Body.String(), `"status":"`+status+`"`) ||
			!strings.Contains(w.Body.String(), `"rejectionReason":"`+reason+`"`) {
			t.Errorf("the applicant gets %s", w.Body)
		}
		return a
	}
	for _, body := range []string{``, `{}`, `{"professionalTitle":"Engineer","bio":"I teach."}`,
		`{"professionalTitle":"Engineer","bio":"I teach.","expertise":[]}`,
		`{"professionalTitle":"Engineer","expertise":["Go"]}`,
		`{"bio":"I teach.","expertise":["Go"]}`,
		`{"professionalTitle":1,"bio":"I teach.","expertise":["Go"]}`, `{`} {
		wantResponse(t, body, apply(body), http.StatusBadRequest, invalidRequestBody)
	}
	const form = `{"professionalTitle":"Engineer","bio":"I teach.","expertise":["Go"],"linkedinUrl":"linkedin.com/in/ada"}`
	wantResponse(t, "apply", apply(form), http.StatusOK, "")
	a := want("pending", "Engineer", "")
	if a.LinkedinURL != "https://linkedin.com/in/ada" {
		t.Errorf("linkedinUrl is %q", a.LinkedinURL)
	}
	wantResponse(t, "apply again", apply(form), http.StatusConflict, "")
	wantResponse(t, "unknown status",
		s.do(http.MethodGet, "/api/admin/educator-applications?status=open", "", s.as("boss")...),
		http.StatusBadRequest, invalidRequestBody)
	for _, decision := range []string{"approve", "reject"} {
		wantResponse(t, decision+" an unknown one", decide("unknown", decision, ""),
			http.StatusNotFound, "")
	}

	const rejected = `{"success":true,"message":"Application rejected."}`
	wantResponse(t, "reject", decide(a.ID, "reject", `{"reason":"Too short"}`), http.StatusOK,
		rejected)
	want("rejected", "Engineer", "Too short")
	wantResponse(t, "reject again", decide(a.ID, "reject", ""), http.StatusConflict, "")
	for _, body := range []string{"", `{}`, `{"reason":null}`, `{"reason":""}`} {
		wantResponse(t, "apply after a rejection",
			apply(strings.Replace(form, "Engineer", "Teacher", 1)), http.StatusOK, "")
		if again := want("pending", "Teacher", ""); again.ID != a.ID ||
			again.CreatedAt != a.CreatedAt {
			t.Errorf("the application is another one: %+v", again)
		}
		wantResponse(t, "reject "+body, decide(a.ID, "reject", body), http.StatusOK, rejected)
		want("rejected", "Teacher", "")
	}
	wantResponse(t, "apply for the last time", apply(form), http.StatusOK, "")
	before := s.as("ada")
	wantResponse(t, "approve", decide(a.ID, "approve", ""), http.StatusOK,
		`{"success":true,"message":"Application approved. Educator role granted."}`)
	want("approved", "Engineer", "")
	if u, _ := s.Sandbox.Identity().User("ada"); u.Role != "educator" {
		t.Errorf("the role at the provider is %q", u.Role)
	}
	wantResponse(t, "an educator route with the old token",
		s.do(http.MethodGet, "/api/educator/courses", "", before...), http.StatusOK, "")
	wantResponse(t, "apply when approved", apply(form), http.StatusConflict, "")
	wantResponse(t, "approve again", decide(a.ID, "approve", ""), http.StatusConflict, "")
}
