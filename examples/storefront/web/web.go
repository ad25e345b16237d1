// Package web serves the storefront: a front end of the whole contract, made of plain HTML, CSS
// and ES modules. All files are part of the program.
package web

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed files lectures lecture.html
var embedded embed.FS

// Config configures a storefront. Only API is required.
type Config struct {
	API      string // base URL of the API for browsers, such as http://localhost:3000
	Internal string // base URL of the API for this server; default API
	// base URL of the storefront, for previews of links; default http://localhost:5173
	URL string
	// base URL of the sandbox, if it signs users in; without it they paste a session token
	SignIn string
	// base URL of the sandbox, if it takes payments; without it paid courses cannot be bought
	Checkout string
	// URL of Stripe's script, https://js.stripe.com/v3/ or that of the sandbox, if Stripe takes
	// payments; without it courses in the currencies of Stripe cannot be bought
	Stripe   string
	Currency string // ISO 4217 code of the prices; default INR
}

// New returns a handler that serves the storefront at the root of an origin. It returns an error
// if a URL of the configuration is invalid. The handler is safe for concurrent use.
func New(c Config) (http.Handler, error) { return newSite(embedded, c) }

// embeddedModules are the modules of the storefront, which depend on no configuration.
var embeddedModules = sync.OnceValues(func() (map[string]*asset,
	error) {
	return joinModules(embedded)
})

const (
	scriptType = "text/javascript; charset=utf-8"
	styleType  = "text/css; charset=utf-8"
)

// site has all answers of the storefront, by path. They are made once, because they depend on
// the configuration only; those with a preview of their own are in previews.
type site struct {
	assets         map[string]*asset
	home, deepLink *asset // index.html at "/" and at all other paths of pages
	previews       *previews
	noLecture      *asset // the page below /lectures/ of a lecture that does not exist
}

// newSite makes all answers of a storefront from files. It returns an error if a URL of the
// configuration is invalid, or if a file is missing or wrong.
func newSite(files fs.FS, c Config) (*site, error) {
	c, err := c.complete()
	if err != nil {
		return nil, err
	}
	s := &site{assets: map[string]*asset{}}
	for _, add := range []func(fs.FS, Config) error{s.addFiles, s.addModules, s.addIndex,
		s.addLectures} {
		if err := add(files, c); err != nil {
			return nil, fmt.Errorf("storefront: %w", err)
		}
	}
	return s, nil
}

// complete returns the configuration with its defaults and without slashes at the ends of URLs. It
// returns an error if a URL is invalid, or if that of the API is missing.
func (c Config) complete() (Config, error) {
	c.Currency = cmp.Or(c.Currency, "INR")
	c.Internal, c.URL = cmp.Or(c.Internal, c.API), cmp.Or(c.URL, "http://localhost:5173")
	for _, base := range []struct {
		name     string
		url      *string
		required bool
		isFile   bool
	}{
		{name: "API", url: &c.API, required: true},
		{name: "API for this server", url: &c.Internal, required: true},
		{name: "storefront", url: &c.URL, required: true},
		{name: "sandbox for sign-in", url: &c.SignIn},
		{name: "sandbox for checkout", url: &c.Checkout},
		{name: "script of Stripe", url: &c.Stripe, isFile: true},
	} {
		if !base.isFile { // paths are appended to these URLs
			*base.url = strings.TrimRight(*base.url, "/")
		}
		if *base.url == "" && !base.required {
			continue
		}
		if err := checkURL(*base.url); err != nil {
			return c, fmt.Errorf("storefront: the URL of the %s is %q: %w",
				base.name, *base.url, err)
		}
	}
	return c, nil
}

// checkURL returns an error unless a text is an http or https URL to which paths can be appended.
func checkURL(s string) error {
	u, err := url.Parse(s)
	isBase := err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
		u.User == nil && u.RawQuery == "" && u.Fragment == ""
	// These characters end an entry of a Content-Security-Policy, which has the host.
	if !isBase || strings.ContainsAny(u.Host, ";, '\"") {
		return errors.New("it must be an absolute http or https URL, such as http://localhost:3000")
	}
	return nil
}

// addFiles adds the style sheets, the icon and the picture of previews.
func (s *site) addFiles(files fs.FS, _ Config) error {
	first, others, err := joinStyles(files)
	if err != nil {
		return err
	}
	s.assets["/storefront.css"] = newAsset(first, styleType, "")
	s.assets["/pages.css"] = newAsset(others, styleType, "")
	// Pages work without the pictures, which the sites of some tests do not have.
	if icon, err := fs.ReadFile(files, "files/icon.svg"); err == nil {
		s.assets["/icon.svg"] = newAsset(icon, "image/svg+xml",
			"default-src 'none'; style-src 'unsafe-inline'")
	}
	if picture, err := fs.ReadFile(files, "files/preview.png"); err == nil {
		s.assets["/preview.png"] = newAsset(picture, "image/png", "")
	}
	return nil
}

// addModules adds the modules. Those of the program are made once, because they are the same in
// each site.
func (s *site) addModules(files fs.FS, _ Config) error {
	makeModules := embeddedModules
	if files != fs.FS(embedded) {
		makeModules = func() (map[string]*asset, error) { return joinModules(files) }
	}
	made, err := makeModules()
	maps.Copy(s.assets, made)
	return err
}

// joinModules returns the modules by their paths: those that every page needs as one file, and the
// others as a file each.
func joinModules(files fs.FS) (map[string]*asset, error) {
	m, err := newModules(files)
	if err != nil {
		return nil, err
	}
	joined, err := m.join()
	if err != nil {
		return nil, err
	}
	assets := map[string]*asset{joinedPath: newAsset(shortScript(joined), scriptType, "")}
	// All others stay files, and link lets them import the joined one.
	names, err := glob(files, "files/js", ".js")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		if file := strings.TrimPrefix(name, "files"); !m.seen[file] { // it is not joined
			assets[file] = newAsset(shortScript(m.link(file, body)), scriptType, "")
		}
	}
	return assets, nil
}

// glob returns the files in a folder and its subfolders whose names end with ext. It returns none
// if there is no such folder.
func glob(files fs.FS, folder, ext string) (names []string, err error) {
	err = fs.WalkDir(files, folder, func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ext {
			names = append(names, name)
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// firstStyles lists the style sheets that every page and the home page need, in their order: later
// rules win.
var firstStyles = []string{"tokens.css", "base.css", "layout.css", "components.css",
	"pages-visitor.css"}

// joinStyles returns two style sheets: that of firstStyles, and that of all others, by name, which
// the home page does without.
func joinStyles(files fs.FS) (first, others []byte, err error) {
	names, err := glob(files, "files/css", ".css")
	if err != nil {
		return nil, nil, err
	}
	rank := func(name string) int {
		if i := slices.Index(firstStyles, path.Base(name)); i >= 0 {
			return i
		}
		return len(firstStyles)
	}
	slices.SortStableFunc(names,
		func(a, b string) int { return cmp.Or(rank(a)-rank(b), strings.Compare(a, b)) })
	for _, name := range names {
		body, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, nil, err
		}
		sheet := &others
		if rank(name) < len(firstStyles) {
			sheet = &first
		}
		*sheet = fmt.Appendf(*sheet, "/* %s */\n%s", path.Base(name), shortStyle(body))
	}
	return first, others, nil
}

// indexData is the data of index.html.
type indexData struct {
	Config
	Script   string   // path of the module that shows the page
	Preloads []string // paths of the modules that it opens at once
	Home     bool     // whether the page is the home page, which shows the catalogue
	Preview  preview
}

// addIndex adds index.html for the home page and for deep links.
func (s *site) addIndex(files fs.FS, c Config) error {
	page, err := template.ParseFS(files, "files/index.html")
	if err != nil {
		return err
	}
	// The home page is the same for every request.
	home := indexData{Config: c, Script: joinedPath, Preloads: homeModules, Home: true}
	home.Preview = c.general()
	home.Preview.URL = c.URL + "/"
	if s.home, err = newPage(page, home, policy(c)); err != nil {
		return err
	}
	// Deep links differ in their preview.
	render := func(of preview) (*asset, error) {
		return newPage(page, indexData{Config: c, Script: joinedPath, Preview: of}, policy(c))
	}
	s.previews = newPreviews(c, render)
	s.deepLink, err = render(c.general())
	return err
}

// newPage returns the document of a template with its data. policy is its Content-Security-Policy.
func newPage(page *template.Template, data any, policy string) (*asset, error) {
	var body bytes.Buffer
	if err := page.Execute(&body, data); err != nil {
		return nil, err
	}
	return newAsset(body.Bytes(), "text/html; charset=utf-8", policy), nil
}

// policy returns the Content-Security-Policy of the pages. Pictures and videos of courses may come
// from every https origin, because educators link them; blob: is a film that an educator has
// chosen, whose length is read, and frames of the API show PDFs of lectures. The script of Stripe
// asks Stripe's API, and shows its form in a frame.
func policy(c Config) string {
	api, sandbox, script := origins(c.API), origins(c.SignIn, c.Checkout), origins(c.Stripe)
	asked := api + sandbox
	if script == stripeOrigin {
		asked += " https://api.stripe.com"
	}
	return "default-src 'none'; script-src 'self'" + script +
		"; style-src 'self'; img-src 'self' data: " +
		"blob: https:" + api + sandbox +
		"; media-src 'self' blob: https:" + api + "; frame-src 'self' https:" + api +
		"; connect-src 'self'" + asked +
		"; form-action 'self'" + sandbox + "; base-uri 'none'; frame-ancestors 'none'"
}

// stripeOrigin is the origin of Stripe's script, as [origins] returns it.
const stripeOrigin = " https://js.stripe.com"

// origins returns the origins of URLs for a Content-Security-Policy: each once and after a space,
// such as " https://a.example https://b.example". It returns "" if all URLs are empty. The others
// must be accepted by checkURL.
func origins(urls ...string) string {
	all := ""
	for _, s := range urls {
		u, _ := url.Parse(s) // never fails for these
		if origin := " " + u.Scheme + "://" + u.Host; s != "" &&
			!strings.Contains(all+" ", origin+" ") {
			all += origin
		}
	}
	return all
}

// ServeHTTP answers a file or, for the paths of pages, index.html: its script shows the page. It
// also renders Markdown.
func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost && r.URL.Path == markdownPath {
		serveMarkdown(w, r)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w,
			"The storefront serves pages only. Send requests of the API to the server of the API.",
			http.StatusMethodNotAllowed)
		return
	}
	// A file, a page with an address of its own, or a page that the script shows.
	p := r.URL.Path
	known := s.assets[p]
	switch {
	case known != nil:
		known.serve(w, r)
	case p == "/":
		s.home.serve(w, r)
	case strings.HasPrefix(p, "/js/"):
		http.NotFound(w, r)
	case strings.HasPrefix(p, "/lectures/"):
		s.noLecture.serveAs(w, r, http.StatusNotFound)
	default:
		s.servePage(w, r)
	}
}

// servePage answers index.html for the path of a page, with the preview of that page if it has one
// and it could be read in time. The script of index.html shows the page, also if the status says
// that there is none.
func (s *site) servePage(w http.ResponseWriter, r *http.Request) {
	document, err := s.previews.document(r.Context(), r.URL.EscapedPath())
	switch {
	case errors.Is(err, errNoPage):
		s.deepLink.serveAs(w, r, http.StatusNotFound)
	case document != nil:
		document.serve(w, r)
	default:
		s.deepLink.serve(w, r)
	}
}
