package httpapi_test

import (
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/internal/contracttest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/credential"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
)

const prefix = "/our/school"

// mountedSite serves the fixture under the prefix of a host's server. Its URLs have the prefix.
func mountedSite(t *testing.T, opts ...httpapi.Option) (s *site, base string) {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	base = server.URL + prefix
	issuer, err := credential.New(learningtest.CredentialKey, base)
	check(t, err)
	kit := learningtest.New(t, learningtest.WithPlatform(learning.WithCredentials(issuer)))
	contracttest.Fill(t, kit.Store)
	s = newSite(t, kit, opts...)
	mux.Handle(prefix+"/", http.StripPrefix(prefix, s.handler))
	return s, base
}

// fetch reads a URL.
func fetch(t *testing.T, url string,
	headers ...string) (status int, header http.Header, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	check(t, err)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	check(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	check(t, err)
	return answer.StatusCode, answer.Header, string(text)
}

// resolve returns the URL of a link on a page.
func resolve(t *testing.T, page, link string) string {
	t.Helper()
	base, err := url.Parse(page)
	check(t, err)
	target, err := base.Parse(link)
	check(t, err)
	return target.String()
}

func TestPrefix_DocsLoadAllTheirFiles(t *testing.T) {
	_, base := mountedSite(t)
	_, _, page := fetch(t, base+"/docs")
	links := docsLink.FindAllStringSubmatch(page, -1)
	if len(links) == 0 {
		t.Fatalf("the page has no links:\n%s", page)
	}
	for _, link := range links {
		if status, _, _ := fetch(t, resolve(t, base+"/docs", link[1])); status != http.StatusOK {
			t.Errorf("%s answers %d", link[1], status)
		}
	}
}

func TestPrefix_OpenAPINamesTheServer(t *testing.T) {
	const elsewhere = "https://learn.example.org" + prefix
	for name, test := range map[string]struct {
		opts []httpapi.Option
		want func(base string) string
	}{
		"without a public URL, relative": {nil, func(base string) string { return base }},
		"with a public URL": {[]httpapi.Option{httpapi.WithPublicURL(elsewhere + "/")},
			func(string) string { return elsewhere }},
	} {
		t.Run(name, func(t *testing.T) {
			_, base := mountedSite(t, test.opts...)
			_, _, body := fetch(t, base+"/openapi.json")
			var document struct{ Servers []struct{ URL string } }
			check(t, json.Unmarshal([]byte(body), &document))
			if len(document.Servers) != 1 {
				t.Fatalf("the servers are %v", document.Servers)
			}
			got := strings.TrimSuffix(resolve(t, base+"/openapi.json", document.Servers[0].URL),
				"/")
			if got != test.want(base) {
				t.Errorf("the server is %s, want %s", got, test.want(base))
			}
		})
	}
}

// The key id of a credential is the URL of the key.
func TestPrefix_CredentialIsVerifiedBelowIt(t *testing.T) {
	_, base := mountedSite(t)
	status, _, token := fetch(t, base+"/api/certificate/"+contracttest.FixtureCertificates[0].ID+
		"/credential")
	if status != http.StatusOK {
		t.Fatalf("the credential: %d %s", status, token)
	}
	encoded, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(encoded)
	check(t, err)
	var header struct{ Kid string }
	check(t, json.Unmarshal(text, &header))
	if status, _, body := fetch(t, header.Kid); status != http.StatusOK ||
		!strings.HasPrefix(header.Kid, base+"/") {
		t.Errorf("the key %s answers %d %s", header.Kid, status, body)
	}
}

func TestPrefix_AnswersAreThoseOfTheRoot(t *testing.T) {
	row := route(http.MethodGet, "/notes/:id",
		func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w,
				r.PathValue("id"))
		})
	s, base := mountedSite(t, httpapi.WithRoutes(row))
	for _, path := range []string{"/", "/api/course/all", "/api/course/course_go",
		"/api/course/course%2Fgo", "/api/nothing", "/notes/7", "/api/user/data", "/gateway"} {
		want := s.get(path)
		status, header, body := fetch(t, base+path, "Accept-Encoding", "identity")
		if status != want.Code || body != want.Body.String() ||
			header.Get("Etag") != want.Header().Get("Etag") {
			t.Errorf("%s answers %d %s, want %d %s", path, status, body, want.Code, want.Body)
		}
	}
}
