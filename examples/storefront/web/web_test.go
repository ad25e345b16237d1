package web

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// small is a storefront of a few files.
func small() fstest.MapFS {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return fstest.MapFS{
		"lecture.html": file(
			`<title>{{.Title}}</title><main class="lecture">{{.Body}}</main>`),
		"lectures/go/1-1.html": file(
			"<h1>Values &amp; <em>types</em></h1>\n<pre>code</pre><table></table>\n"),
		"files/index.html": file(
			`<html data-api="{{.API}}" data-sign-in="{{.SignIn}}" data-checkout="{{.Checkout}}"{{with .Stripe}} data-stripe="{{.}}"{{end}} data-currency="{{.Currency}}">{{.Script}};{{range .Preloads}}{{.}};{{end}}{{if .Home}}home{{end}}`),
		"files/icon.svg":        file("<svg/>"),
		"files/css/pages-a.css": file("a{}\n"),
		"files/css/layout.css":  file("l{}\n"),
		"files/css/tokens.css":  file("t{}\n"),
		"files/js/app.js": file(
			"import { route } from \"./router.js\";\nimport {\n  one,\n  two,\n} from " +
				"'./api.js'\nimport \"./session.js\";\n" +
				"const late = () => import(\"./pages/late.js\");\n"),
		"files/js/router.js": file(
			"import './api.js'\nexport const route = (name) => import(`./pages/${name}.js`)\n"),
		"files/js/api.js": file(
			"import { route } from './router.js'; // a cycle\nexport const one = 1, two = 2\n"),
		"files/js/session.js": file("export const s = 1\n"),
		"files/js/dom.js":     file("export function d() {}\n"),
		"files/js/pages/late.js": file(
			"import { d } from '../dom.js'\nimport { tabs } from '../components/tabs.js'\nimport " +
				"{ route } from '../router.js'\n"),
		"files/js/pages/home.js": file(`import { card } from "../components/card.js";` +
			"\nconst list = import(\"../components/catalogue.js\")\n"),
		"files/js/components/tabs.js": file("export const t = 1\n"),
		"files/js/components/card.js": file("export const card = () => import('./tabs.js')\n"),
		"files/js/components/catalogue.js": file(
			"import '../api.js'\nimport { d } from '../dom.js';\nimport './card.js'\n"),
	}
}

// serve serves a storefront and returns its URL.
func serve(t *testing.T, c Config) (url string) {
	t.Helper()
	handler, err := newSite(small(), c)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(handler)
	t.Cleanup(srv.Close)
	return srv.URL
}

// get makes a request without following redirects or unpacking the body.
func get(t *testing.T, method, url string, headers ...string) (res *http.Response, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept-Encoding", "identity")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if res, err = http.DefaultClient.Do(r); err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(b)
}

var local = Config{API: "http://localhost:3000/", SignIn: "http://127.0.0.1:3001",
	Checkout: "http://127.0.0.1:3001"}

func TestIndex_HasTheConfigurationAndAStrictPolicy(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config        Config
		policy, start string
	}{
		"with a sandbox": {local, "default-src 'none'; script-src 'self'; style-src 'self'; " +
			"img-src 'self' data: blob: https: http://localhost:3000 http://127.0.0.1:3001; " +
			"media-src 'self' blob: https: http://localhost:3000; " +
			"frame-src 'self' https: http://localhost:3000; connect-src 'self' " +
			"http://localhost:3000 " +
			"http://127.0.0.1:3001; form-action 'self' http://127.0.0.1:3001; " +
			"base-uri 'none'; frame-ancestors 'none'",
			`<html data-api="http://localhost:3000" data-sign-in="http://127.0.0.1:3001" data-checkout="http://127.0.0.1:3001" data-currency="INR">`},
		"below a prefix": {Config{API: "https://example.org/school", Currency: "EUR"},
			"default-src 'none'; script-src 'self'; style-src 'self'; " +
				"img-src 'self' data: blob: https: https://example.org; " +
				"media-src 'self' blob: https: https://example.org; " +
				"frame-src 'self' https: https://example.org; connect-src 'self' https://example.org; form-action " +
				"'self'; base-uri 'none'; frame-ancestors 'none'",
			`<html data-api="https://example.org/school" data-sign-in="" data-checkout="" data-currency="EUR">`},
		"with Stripe": {Config{API: "https://example.org", Stripe: "https://js.stripe.com/v3/"},
			"default-src 'none'; script-src 'self' https://js.stripe.com; style-src 'self'; " +
				"img-src 'self' data: blob: https: https://example.org; " +
				"media-src 'self' blob: https: https://example.org; " +
				"frame-src 'self' https: https://example.org; connect-src " +
				"'self' https://example.org https://api.stripe.com; form-action 'self'; " +
				"base-uri 'none'; frame-ancestors 'none'",
			`<html data-api="https://example.org" data-sign-in="" data-checkout="" data-stripe="https://js.stripe.com/v3/" data-currency="INR">`},
		"with the Stripe of a sandbox": {Config{API: "https://example.org",
			Stripe: "http://127.0.0.1:3001/stripe/v3/"},
			"default-src 'none'; script-src 'self' http://127.0.0.1:3001; style-src 'self'; " +
				"img-src 'self' data: blob: https: https://example.org; " +
				"media-src 'self' blob: https: https://example.org; " +
				"frame-src 'self' https: https://example.org; connect-src 'self' " +
				"https://example.org; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
			`<html data-api="https://example.org" data-sign-in="" data-checkout="" data-stripe="http://127.0.0.1:3001/stripe/v3/" data-currency="INR">`},
		"with an identity provider of its own": {Config{API: "http://localhost:3000",
			Checkout: "http://127.0.0.1:3001/"},
			"default-src 'none'; script-src 'self'; style-src 'self'; " +
				"img-src 'self' data: blob: https: http://localhost:3000 http://127.0.0.1:3001; " +
				"media-src 'self' blob: https: http://localhost:3000; " +
				"frame-src 'self' https: http://localhost:3000; connect-src 'self' " +
				"http://localhost:3000 " +
				"http://127.0.0.1:3001; form-action 'self' http://127.0.0.1:3001; " +
				"base-uri 'none'; frame-ancestors 'none'",
			`<html data-api="http://localhost:3000" data-sign-in="" data-checkout="http://127.0.0.1:3001" data-currency="INR">`},
	} {
		res, body := get(t, http.MethodGet, serve(t, test.config)+"/")
		if diff := cmp.Diff(test.policy, res.Header.Get("Content-Security-Policy")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !strings.HasPrefix(body, test.start) ||
			res.Header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("%s: %s\n%s", name, res.Header, body)
		}
	}
}

func TestIndex_LoadsTheModulesOfItsPage(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	for path, want := range map[string]string{
		"/":         "/js/storefront.js;/js/pages/home.js;/js/components/catalogue.js;home",
		"/courses":  "/js/storefront.js;",
		"/a/b.html": "/js/storefront.js;",
	} {
		_, body := get(t, http.MethodGet, url+path)
		if _, got, _ := strings.Cut(body, ">"); got != want {
			t.Errorf("%s loads %s, want %s", path, got, want)
		}
	}
}

func TestFiles_AreServed(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	for path, want := range map[string]struct{ kind, body string }{
		"/storefront.css": {"text/css; charset=utf-8",
			"/* tokens.css */\nt{}\n/* layout.css */\nl{}\n"},
		"/pages.css":             {"text/css; charset=utf-8", "/* pages-a.css */\na{}\n"},
		"/js/components/tabs.js": {"text/javascript; charset=utf-8", "export const t = 1\n"},
		"/icon.svg":              {"image/svg+xml", "<svg/>"},
		"/lectures/go/1-1": {"text/html; charset=utf-8",
			"<title>Values &amp; types</title><main class=\"lecture\"><h1>Values &amp; " +
				"<em>types</em></h1>\n<pre tabindex=\"0\">code</pre><div class=\"table-scroll\" " +
				"tabindex=\"0\"><table></table></div>\n</main>"},
	} {
		res, body := get(t, http.MethodGet, url+path)
		if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != want.kind ||
			body != want.body {
			t.Errorf("%s: %d %s\n%s", path, res.StatusCode, res.Header.Get("Content-Type"), body)
		}
		if h := res.Header; h.Get("X-Content-Type-Options") != "nosniff" ||
			h.Get("Cache-Control") != "no-cache" {
			t.Errorf("%s: %v", path, h)
		}
	}
}

func TestServeHTTP_UnknownPathsAndMethods(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	for _, test := range []struct {
		method, path string
		status       int
	}{
		{http.MethodGet, "/js/none.js", http.StatusNotFound},
		// a second copy would have a session of its own
		{http.MethodGet, "/js/session.js", http.StatusNotFound},
		{http.MethodGet, "/js/", http.StatusNotFound},
		{http.MethodGet, "/js/../web.go", http.StatusNotFound},
		{http.MethodGet, "/lectures/go/9-9", http.StatusNotFound},
		{http.MethodHead, "/lectures/go/9-9", http.StatusNotFound},
		{http.MethodHead, "/courses/go", http.StatusOK},
		{http.MethodPost, "/", http.StatusMethodNotAllowed},
	} {
		res, body := get(t, test.method, url+test.path)
		if res.StatusCode != test.status || test.method == http.MethodHead && body != "" {
			t.Errorf("%s %s: %d %s", test.method, test.path, res.StatusCode, body)
		}
		if strings.Contains(body, "package web") {
			t.Errorf("%s shows a source file", test.path)
		}
	}
}

func TestLectures_HaveAPolicyForTheFrameOfThePlayer(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	for _, path := range []string{"/lectures/go/1-1", "/lectures/go/9-9"} {
		res, _ := get(t, http.MethodGet, url+path)
		want := "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; " +
			"form-action 'none'; frame-ancestors 'self'"
		if got := res.Header.Get("Content-Security-Policy"); got != want {
			t.Errorf("%s: %s", path, got)
		}
	}
}

func TestFiles_AreNotSentAgain(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	for _, path := range []string{"/", "/js/storefront.js", "/storefront.css", "/pages.css", "/lectures/go/1-1"} {
		for _, encoding := range []string{"identity", "gzip"} {
			first, _ := get(t, http.MethodGet, url+path, "Accept-Encoding", encoding)
			again, body := get(t, http.MethodGet, url+path, "Accept-Encoding", encoding,
				"If-None-Match", first.Header.Get("ETag"))
			if first.Header.Get("ETag") == "" || again.StatusCode != http.StatusNotModified ||
				body != "" {
				t.Errorf("%s, %s: tag %s, then %d", path, encoding, first.Header.Get("ETag"),
					again.StatusCode)
			}
		}
	}
}

func TestFiles_AreCompressedForClientsThatAcceptIt(t *testing.T) {
	t.Parallel()
	url := serve(t, local) + "/js/components/tabs.js"
	for accepted, want := range map[string]string{"gzip, deflate, br": "gzip",
		"br;q=1, gzip;q=0.5": "gzip", "gzip;q=0": "", "br": "", "": ""} {
		res, body := get(t, http.MethodGet, url, "Accept-Encoding", accepted)
		if got := res.Header.Get("Content-Encoding"); got != want ||
			res.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%q: encoding %q, vary %q", accepted, got, res.Header.Get("Vary"))
		}
		if want == "gzip" {
			unpacked, err := gzip.NewReader(strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(unpacked)
			if err != nil {
				t.Fatal(err)
			}
			body = string(b)
		}
		if body != "export const t = 1\n" {
			t.Errorf("%q: %q", accepted, body)
		}
	}
}

func TestNew_RefusesWhatItCannotServe(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config Config
		change map[string]string
		want   string
	}{
		"no API":                {Config{}, nil, "the URL of the API"},
		"an API that is no URL": {Config{API: "localhost:3000"}, nil, "http://localhost:3000"},
		"an API with a query": {Config{API: "http://localhost:3000?a=1"}, nil,
			"the URL of the API"},
		"an API with a directive": {Config{API: "http://a;script-src"}, nil,
			"the URL of the API"},
		"a sandbox that is no URL": {Config{API: "http://localhost:3000", SignIn: "x"}, nil,
			"the URL of the sandbox for sign-in"},
		"a checkout that is no URL": {Config{API: "http://localhost:3000", Checkout: "x"}, nil,
			"the URL of the sandbox for checkout"},
		"a module that is not there": {local,
			map[string]string{"files/js/dom.js": "import './none.js'"}, "none.js"},
		"a name in two modules": {local,
			map[string]string{"files/js/dom.js": "export const card = 1"}, "dom.js"},
		"an import with a new name": {local,
			map[string]string{"files/js/session.js": "import { d as e } from './dom.js'"},
			"d as e"},
		"a whole module as a value": {local,
			map[string]string{"files/js/session.js": "import * as dom from './dom.js'"},
			"* as dom"},
		"a default export": {local,
			map[string]string{"files/js/session.js": "export default 1"}, "export default"},
		"a lecture without a title": {local,
			map[string]string{"lectures/go/1-1.html": "<p>Text</p>"}, "lectures/go/1-1.html"},
		"an invalid template": {local, map[string]string{"files/index.html": "{{.None}}"},
			"None"},
	} {
		files := small()
		for file, text := range test.change {
			files[file] = &fstest.MapFile{Data: []byte(text)}
		}
		if _, err := newSite(files, test.config); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
