package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/bundle"
	"github.com/openlectern/openlectern/learning/catalog"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/httpapi"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sale"
)

// school is a platform, and the storefront before it.
type school struct {
	*learningtest.Kit
	api, url string
	handler  *site
	asked    atomic.Int64 // how many requests the storefront has sent to the API
}

// newSchool serves a school whose answers pass through wrap, if it is not nil.
func newSchool(t *testing.T, wrap func(http.Handler) http.Handler) *school {
	t.Helper()
	s := &school{Kit: learningtest.New(t)}
	api, err := httpapi.New(s.Platform)
	if err != nil {
		t.Fatal(err)
	}
	counted := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		api.ServeHTTP(w, r)
	}))
	if wrap != nil {
		counted = wrap(counted)
	}
	s.api = s.Serve(t, counted, "")
	s.restart(t)
	return s
}

// restart starts another storefront, which has kept no previews. Its visitors wait for them on a
// busy machine, too.
func (s *school) restart(t *testing.T) {
	t.Helper()
	var err error
	s.handler, err = newSite(embedded, Config{API: s.api, URL: "https://school.example"})
	if err != nil {
		t.Fatal(err)
	}
	s.handler.previews.wait = time.Minute
	srv := httptest.NewServer(s.handler)
	t.Cleanup(srv.Close)
	s.url = srv.URL
}

// edit changes a course, whose educator is that of the kit.
func (s *school) edit(t *testing.T, courseID string, e catalog.CourseEdit) {
	t.Helper()
	educator := learning.Actor{UserID: "educator", Role: core.Educator}
	c, err := s.Platform.Catalog.EditableCourse(t.Context(), educator, courseID)
	if err != nil {
		t.Fatal(err)
	}
	e.Version = c.Version
	if _, err := s.Platform.Catalog.EditCourse(t.Context(), educator, courseID, e); err != nil {
		t.Fatal(err)
	}
}

// tags returns the lines of the title, the metadata and the preview in a document.
func tags(document string) (lines []string) {
	for line := range strings.Lines(document) {
		for _, start := range []string{`<title>`, `<meta property="og:`, `<meta name="description"`,
			`<meta name="robots"`} {
			if strings.HasPrefix(line, start) {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
	}
	return lines
}

func generalTags() []string {
	return []string{
		`<meta name="description" content="A school with courses, quizzes, certificates and a community.">`,
		`<meta property="og:site_name" content="Open Lectern">`,
		`<meta property="og:type" content="website">`,
		`<meta property="og:title" content="Open Lectern">`,
		`<meta property="og:description" content="A school with courses, quizzes, certificates and a community.">`,
		`<meta property="og:image" content="https://school.example/preview.png">`,
		`<title>Open Lectern</title>`,
	}
}

func TestPreview_OfACourse(t *testing.T) {
	t.Parallel()
	s := newSchool(t, nil)
	s.Course(t, "go", 0)
	s.edit(t, "go", catalog.CourseEdit{
		Title:       new(`Go "fast" </title><script>alert(1)</script> & more`),
		Description: new("Learn:\n\n- \"><img src=x onerror=alert(2)>\n- two\n\n1. three"),
	})
	c, err := s.Platform.Catalog.PublishedCourse(t.Context(), "go")
	if err != nil {
		t.Fatal(err)
	}
	res, document := get(t, http.MethodGet, s.url+"/courses/go?utm=1")
	want := []string{
		`<meta name="description" content="Learn: &#34;&gt;&lt;img src=x onerror=alert(2)&gt; two three">`,
		`<meta property="og:site_name" content="Open Lectern">`,
		`<meta property="og:type" content="website">`,
		`<meta property="og:title" content="Go &#34;fast&#34; &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; more">`,
		`<meta property="og:description" content="Learn: &#34;&gt;&lt;img src=x onerror=alert(2)&gt; two three">`,
		`<meta property="og:image" content="` + s.Platform.Files.MediaURL(c.Thumbnail) + `">`,
		`<meta property="og:url" content="https://school.example/courses/go">`,
		`<title>Go &#34;fast&#34; &lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; more · Open Lectern</title>`,
	}
	if diff := cmp.Diff(want, tags(document)); diff != "" || res.StatusCode != http.StatusOK {
		t.Errorf("status %d: %s", res.StatusCode, diff)
	}
	if strings.Count(document, "<script") != 1 || strings.Contains(document, "<img") ||
		res.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("with the policy %q the document is\n%s",
			res.Header.Get("Content-Security-Policy"), document)
	}
	again, _ := get(t, http.MethodGet, s.url+"/courses/go", "If-None-Match", res.Header.Get("ETag"))
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("the same document again: status %d", again.StatusCode)
	}
	if res, body := get(t, http.MethodHead, s.url+"/courses/go"); res.StatusCode != http.StatusOK ||
		body != "" {
		t.Errorf("HEAD: status %d, %q", res.StatusCode, body)
	}
}

func TestPreview_OfABundle(t *testing.T) {
	t.Parallel()
	s := newSchool(t, nil)
	educator := learning.Actor{UserID: "educator", Role: core.Educator}
	for _, id := range []string{"go", "sql"} {
		s.Course(t, id, 100_00)
	}
	s.edit(t, "go", catalog.CourseEdit{Title: new("Go & friends")})
	s.edit(t, "sql", catalog.CourseEdit{Title: new("SQL")})
	b, err := s.Platform.Bundles.Create(t.Context(), educator, bundle.NewBundle{
		Title: "Both <of> them", CourseIDs: []string{"go", "sql"}, Price: 150_00, Published: true})
	if err != nil {
		t.Fatal(err)
	}
	check := func(description string) {
		t.Helper()
		_, document := get(t, http.MethodGet, s.url+"/bundles/"+b.ID)
		want := generalTags()
		want[0] = `<meta name="description" content="` + description + `">`
		want[3] = `<meta property="og:title" content="Both &lt;of&gt; them">`
		want[4] = `<meta property="og:description" content="` + description + `">`
		want[5] = `<meta property="og:image" content="` +
			s.Platform.Files.MediaURL(b.Courses[0].Thumbnail) + `">`
		want = append(want[:6],
			`<meta property="og:url" content="https://school.example/bundles/`+b.ID+`">`,
			`<title>Both &lt;of&gt; them · Open Lectern</title>`)
		if diff := cmp.Diff(want, tags(document)); diff != "" {
			t.Error(diff)
		}
	}
	check("2 courses at one price: Go &amp; friends, SQL.")
	if _, err := s.Platform.Bundles.Edit(t.Context(), educator, b.ID,
		bundle.Edit{Version: b.Version, Description: new("A start.")}); err != nil {
		t.Fatal(err)
	}
	s.restart(t)
	check("A start.")
}

func TestPreview_OfACertificate(t *testing.T) {
	t.Parallel()
	s := newSchool(t, nil)
	s.Course(t, "go", 0)
	s.edit(t, "go", catalog.CourseEdit{Title: new("Go & friends")})
	ada := s.Person(t, "ada", core.Student)
	if _, err := s.Platform.Sales.OpenOrder(t.Context(), ada,
		sale.OrderRequest{CourseID: "go"}); err != nil {
		t.Fatal(err)
	}
	course, err := s.Platform.Catalog.EditableCourse(t.Context(),
		learning.Actor{UserID: "educator", Role: core.Educator}, "go")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Platform.Study.CompleteLecture(t.Context(), ada, "go",
		course.Content[0].Lectures[0].ID); err != nil {
		t.Fatal(err)
	}
	c, err := s.Platform.Certify.GenerateCertificate(t.Context(), ada, "go")
	if err != nil {
		t.Fatal(err)
	}
	url := "/certificates/" + c.ID
	check := func(description string) {
		t.Helper()
		_, document := get(t, http.MethodGet, s.url+url)
		want := generalTags()
		want[0] = `<meta name="description" content="` + description + `">`
		want[3] = `<meta property="og:title" content="` + c.StudentName + `: Go &amp; friends">`
		want[4] = `<meta property="og:description" content="` + description + `">`
		want = append(want[:6], `<meta property="og:url" content="https://school.example`+url+`">`,
			`<meta name="robots" content="noindex">`,
			`<title>`+c.StudentName+`: Go &amp; friends · Open Lectern</title>`)
		if diff := cmp.Diff(want, tags(document)); diff != "" {
			t.Error(diff)
		}
	}
	check(c.StudentName + " has completed the course Go &amp; friends. Issued by Open Lectern on " +
		c.IssuedAt.Format("2 January 2006") + ".")
	_, err = s.Platform.System().RevokeCertificate(t.Context(), c.ID, "a mistake")
	if err != nil {
		t.Fatal(err)
	}
	s.restart(t)
	check("This certificate was revoked.")
}

func TestPreview_NoSuchPageIsGeneralAndNotFound(t *testing.T) {
	t.Parallel()
	s := newSchool(t, nil)
	s.Course(t, "draft", 0)
	s.edit(t, "draft", catalog.CourseEdit{Title: new("A secret title"), Published: new(false)})
	for path, status := range map[string]int{
		"/courses/draft": http.StatusNotFound, "/courses/none": http.StatusNotFound,
		"/bundles/none":      http.StatusNotFound,
		"/certificates/none": http.StatusNotFound,
		"/courses/a%2Fb":     http.StatusNotFound, "/courses/..%2Fall": http.StatusNotFound,
		"/courses/%00":                          http.StatusNotFound,
		"/courses/draft%3Fx=1":                  http.StatusNotFound,
		"/courses/" + strings.Repeat("a", 3000): http.StatusNotFound,
		"/courses":                              http.StatusOK, "/courses/": http.StatusOK,
		"/courses/all/more":        http.StatusOK,
		"/courses//certificates/1": http.StatusOK,
		"/verify":                  http.StatusOK, "/learn/draft": http.StatusOK,
	} {
		res, document := get(t, http.MethodGet, s.url+path)
		if diff := cmp.Diff(generalTags(), tags(document)); diff != "" ||
			res.StatusCode != status || strings.Contains(document, "secret") {
			t.Errorf("%.60s: status %d, want %d: %s", path, res.StatusCode, status, diff)
		}
	}
	_, home := get(t, http.MethodGet, s.url+"/")
	if !strings.Contains(home, `<meta property="og:url" content="https://school.example/">`) {
		t.Errorf("the home page has no og:url:\n%s", home)
	}
}

// A link that many people get at once costs the API one request, and an attacker with many links
// few at a time.
func TestPreview_AsksTheAPISeldom(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	var running, most atomic.Int64
	s := newSchool(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/api/course/held") {
				for n := running.Add(1); n > most.Load(); {
					most.Store(n)
				}
				<-release
				running.Add(-1)
			}
			next.ServeHTTP(w, r)
		})
	})
	s.Course(t, "go", 0)
	before := s.asked.Load()
	var visitors sync.WaitGroup
	for range 50 {
		visitors.Go(func() {
			if _, document := get(t, http.MethodGet,
				s.url+"/courses/go"); !strings.Contains(document, "<title>Course go · ") {
				t.Errorf("a visitor gets %s", tags(document))
			}
		})
	}
	visitors.Wait()
	if n := s.asked.Load() - before; n != 1 {
		t.Errorf("50 visitors of a page cost %d requests, want 1", n)
	}

	// While the API does not answer, visitors wait for a moment only.
	s.handler.previews.wait = previewWait
	for i := range 40 {
		visitors.Go(func() {
			start := time.Now()
			res, _ := get(t, http.MethodGet, fmt.Sprintf("%s/courses/held%d", s.url, i))
			if took := time.Since(start); res.StatusCode != http.StatusOK || took > 20*previewWait {
				t.Errorf("status %d after %v", res.StatusCode, took)
			}
		})
	}
	visitors.Wait()
	close(release)
	if n := most.Load(); n > maxLookups {
		t.Errorf("%d requests at a time, want at most %d", n, maxLookups)
	}
}

func TestPreview_KeepsFewPages(t *testing.T) {
	t.Parallel()
	s := newSchool(t, nil)
	for i := range maxPreviews + 50 {
		get(t, http.MethodGet, fmt.Sprintf("%s/courses/none-%d", s.url, i))
	}
	s.handler.previews.mu.Lock()
	defer s.handler.previews.mu.Unlock()
	if n := len(s.handler.previews.kept); n > maxPreviews {
		t.Errorf("%d pages are kept, want at most %d", n, maxPreviews)
	}
}

// A page works without its preview, and has it as soon as the API answers again.
func TestPreview_WithoutTheAPI(t *testing.T) {
	t.Parallel()
	var isBroken atomic.Bool
	s := newSchool(t, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if isBroken.Load() {
				http.Error(w, "", http.StatusBadGateway)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
	s.Course(t, "go", 0)
	isBroken.Store(true)
	res, document := get(t, http.MethodGet, s.url+"/courses/go")
	if diff := cmp.Diff(generalTags(), tags(document)); diff != "" ||
		res.StatusCode != http.StatusOK {
		t.Errorf("status %d: %s", res.StatusCode, diff)
	}
	isBroken.Store(false)
	if _, document = get(t, http.MethodGet, s.url+"/courses/go"); !strings.Contains(document,
		"<title>Course go · ") {
		t.Errorf("after the API answers again: %s", tags(document))
	}
}

func TestPreview_PicturesAreAbsoluteWebAddresses(t *testing.T) {
	t.Parallel()
	p := newPreviews(Config{API: "https://api.example/school", URL: "https://school.example"}, nil)
	const general = "https://school.example/preview.png"
	for address, want := range map[string]string{
		"https://media.example/a.png?x=1": "https://media.example/a.png?x=1",
		"/media/a.png":                    "https://api.example/media/a.png",
		"media/a b.png":                   "https://api.example/school/media/a%20b.png",
		"":                                general,
		"javascript:alert(1)":             general,
		"data:image/png;base64,AA":        general,
		"http://[broken":                  general,
	} {
		if got := p.image(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}

func TestShorten_OneLineOfAText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "",
		"One\n\n- two\n* three\n 12) four": "One two three four",
		strings.Repeat("ä", 200):           strings.Repeat("ä", 200),
		strings.Repeat("ä", 201):           strings.Repeat("ä", 199) + "…",
		strings.Repeat("word ", 60): strings.TrimSpace(strings.Repeat("word ", 39)) +
			"…",
		"A - B\n-not a list\n1.5 is a number.": "A - B -not a list 1.5 is a number.",
	} {
		if got := shorten(text); got != want {
			t.Errorf("%.20q: %q, want %q", text, got, want)
		}
	}
}
