package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

var (
	docsLink  = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	docsUsers = regexp.MustCompile(`<script type="application/json" id="users">(.*)</script>`)
)

func TestDocs_LoadsFromThisServerOnly(t *testing.T) {
	s := fixtureSite(t)
	page := s.get("/docs").Body.String()
	links := docsLink.FindAllStringSubmatch(page, -1)
	if len(links) != 5 {
		t.Errorf("the page has the links %q", links)
	}
	for _, link := range links {
		got := s.do(http.MethodGet, "/"+link[1], "", "Accept-Encoding", "gzip")
		if got.Code != http.StatusOK || got.Body.Len() == 0 {
			t.Errorf("%s: %d", link[1], got.Code)
		}
		if kind := got.Header().Get("Content-Type"); strings.HasSuffix(link[1], ".js") !=
			strings.Contains(kind, "javascript") {
			t.Errorf("%s has the type %s", link[1], kind)
		}
	}
	if strings.Contains(page, "//") || strings.Contains(page, "<script>") ||
		regexp.MustCompile(`\son\w+=`).MatchString(page) {
		t.Errorf("the page loads from elsewhere, or has a script of its own:\n%s", page)
	}
}

func TestDocs_ReaderSignsInAsAUser(t *testing.T) {
	var s *site
	s = fixtureSite(t, httpapi.WithPublicURL(contracttest.PublicURL),
		httpapi.WithDocsUsers(func() []httpapi.DocsUser {
			return []httpapi.DocsUser{{Name: "</script><b>Sana", Token: s.Token(t, "student")}}
		}))
	page := s.get("/docs").Body.String()
	found := docsUsers.FindStringSubmatch(page)
	if found == nil || strings.Contains(page, "<b>") {
		t.Fatalf("the page is\n%s", page)
	}
	var users []httpapi.DocsUser
	check(t, json.Unmarshal([]byte(found[1]), &users))
	if len(users) != 1 || users[0].Name != "</script><b>Sana" {
		t.Fatalf("the users are %v", users)
	}
	got := s.do(http.MethodPost, "/api/user/track-time",
		`{"page":"Docs","path":"/docs","duration":1}`, "Origin", contracttest.PublicURL,
		"Authorization", "Bearer "+users[0].Token)
	if got.Code != http.StatusOK {
		t.Errorf("a route that is tried from the page: %d %s", got.Code, got.Body)
	}
}

func TestDocs_ListsNoUsersWithoutTheOption(t *testing.T) {
	found := docsUsers.FindStringSubmatch(fixtureSite(t).get("/docs").Body.String())
	if found == nil || found[1] != "[]" {
		t.Errorf("the users are %v", found)
	}
}

// A host that does not give the files of Swagger UI has no page, and no route for it.
func TestDocs_WithoutTheOption_AreNotServed(t *testing.T) {
	handler, err := httpapi.New(learningtest.New(t).Platform)
	check(t, err)
	for _, path := range []string{"/docs", "/docs/docs.js", "/docs/swagger-ui.css"} {
		got := httptest.NewRecorder()
		handler.ServeHTTP(got, httptest.NewRequest(http.MethodGet, path, nil))
		if got.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.Code)
		}
	}
	got := httptest.NewRecorder()
	handler.ServeHTTP(got, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	if got.Code != http.StatusOK || strings.Contains(got.Body.String(), `"/docs"`) {
		t.Errorf("the API document: %d, or it has the page", got.Code)
	}
}
