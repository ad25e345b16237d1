package web

import (
	"io/fs"
	"maps"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// read returns the embedded files in a folder whose names end with ext, by path.
func read(t *testing.T, folder, ext string) map[string]string {
	t.Helper()
	names, err := glob(embedded, folder, ext)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		body, err := fs.ReadFile(embedded, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(body)
	}
	return all
}

var (
	routedModule = regexp.MustCompile(`module: "([^"]+)"`)
	// shown in place of another page
	chosenModule = regexp.MustCompile(`"(sign-in|not-allowed|not-found)"`)
)

// TestRouter_NamesTheModulesOfPages compares the table of routes with the files, in both
// directions.
func TestRouter_NamesTheModulesOfPages(t *testing.T) {
	t.Parallel()
	pages := read(t, "files/js/pages", ".js")
	scripts := read(t, "files/js", ".js")
	named := slices.Concat(
		routedModule.FindAllStringSubmatch(scripts["files/js/routes.js"], -1),
		chosenModule.FindAllStringSubmatch(scripts["files/js/router.js"], -1))
	for _, module := range named {
		if name := "files/js/pages/" + module[1] + ".js"; pages[name] == "" {
			t.Errorf("the router names %s, which does not exist", name)
		}
	}
	imported := strings.Join(slices.Collect(maps.Values(scripts)), "\n")
	for name := range pages {
		module := strings.TrimSuffix(path.Base(name), ".js")
		isNamed := slices.ContainsFunc(named,
			func(found []string) bool { return found[1] == module })
		if !isNamed && !strings.Contains(imported, "/"+module+".js\"") {
			t.Errorf("nothing opens or imports %s", name)
		}
	}
}

func TestModules_ImportFilesThatExist(t *testing.T) {
	t.Parallel()
	modules := read(t, "files/js", ".js")
	for name, body := range modules {
		for _, found := range slices.Concat(staticImport.FindAllStringSubmatch(body, -1),
			dynamicImport.FindAllStringSubmatch(body, -1)) {
			if path.Ext(found[2]) != ".js" || strings.Contains(found[2], "$") {
				continue // a type in a comment, or the module of a page
			}
			if _, exists := modules[path.Join(path.Dir(name), found[2])]; !exists {
				t.Errorf("%s imports %s, which does not exist", name, found[2])
			}
		}
	}
}

// forbidden lists, by the ends of names of files, what they must not contain: what reads text as
// HTML or as code, and addresses of other hosts. A namespace and examples in forms are no requests,
// and players of videos are shown for lectures whose educator has put them there.
var forbidden = map[string]*regexp.Regexp{
	".js": regexp.MustCompile(
		`\b(?:innerHTML|outerHTML|insertAdjacentHTML|document\.write|new Function)\b|\beval\(|https?://\w[\w.-]*`),
	".css": regexp.MustCompile(`@import|url\(\s*["']?(?:https?:|//)`),
}

var harmlessHost = regexp.MustCompile(
	`^https?://(www\.w3\.org|(\w+\.)?example\.(com|org)|www\.youtube-nocookie\.com|player\.vimeo\.com|www\.linkedin\.com|localhost)$`)

func TestModules_AvoidHTMLTextsAndOtherHosts(t *testing.T) {
	t.Parallel()
	for ext, pattern := range forbidden {
		for name, body := range read(t, ".", ext) {
			for _, found := range pattern.FindAllString(body, -1) {
				if !harmlessHost.MatchString(found) {
					t.Errorf("%s contains %q", name, found)
				}
			}
		}
	}
}

func TestModules_ThoseOfEveryPageAreJoined(t *testing.T) {
	t.Parallel()
	url := serve(t, local)
	for path, want := range map[string]string{
		"/js/storefront.js": "export const one = 1, two = 2\n" +
			"export const route = (name) => import(`/js/pages/${name}.js`)\n" +
			"export const s = 1\n" +
			"const late = () => import(\"/js/pages/late.js\");\n" +
			"export const card = () => import('/js/components/tabs.js')\n" +
			"export function d() {}\n",
		"/js/pages/late.js": "import { d } from '/js/storefront.js'\nimport { tabs } from " +
			"'/js/components/tabs.js'\nimport { route } from '/js/storefront.js'\n",
		"/js/pages/home.js": "import { card } from \"/js/storefront.js\";\nconst list = " +
			"import(\"/js/components/catalogue.js\")\n",
	} {
		_, got := get(t, http.MethodGet, url+path)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}
