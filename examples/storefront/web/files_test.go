package web

import (
	"io/fs"
	"regexp"
	"strings"
	"testing"
)

// embeddedSite is the storefront of the files in this folder.
func embeddedSite(t *testing.T) *site {
	t.Helper()
	s, err := newSite(embedded, local)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A browser loads six files of a host at a time, so that more of them take another round on a
// slow network. The icon is loaded after the others.
func TestFiles_TheHomePageIsSmall(t *testing.T) {
	t.Parallel()
	s := embeddedSite(t)
	files := regexp.MustCompile(
		`(?:rel="(?:modulepreload|stylesheet)" href|script type="module" src)="([^"]+)"`).FindAllSubmatch(s.home.body, -1)
	if n := len(files); n < 2 || n > 6 {
		t.Errorf("the home page loads %d files", n)
	}
	size := len(s.home.compressed()) + len(s.assets["/icon.svg"].compressed())
	for _, file := range files {
		size += len(s.assets[string(file[1])].compressed())
	}
	if size > 90_000 { // with the catalogue it must be below 100 KB
		t.Errorf("the home page has %d bytes", size)
	}
}

// inline matches what the Content-Security-Policy of the pages forbids.
var inline = regexp.MustCompile(
	`(?i)<style|<script[^>]*>[^<]|<[a-z][^>]*\s(?:(?:style|on[a-z]+)\s*=|src\s*=\s*"?https?:|href\s*=\s*"?javascript:)`)

func TestFiles_PagesHaveNothingThatThePolicyForbids(t *testing.T) {
	t.Parallel()
	s := embeddedSite(t)
	pages := map[string]*asset{"/": s.home, "a deep link": s.deepLink, "no lecture": s.noLecture}
	for path, a := range s.assets {
		if strings.HasPrefix(path, "/lectures/") {
			pages[path] = a
		}
	}
	for path, a := range pages {
		if found := inline.Find(a.body); found != nil {
			t.Errorf("%s has %q", path, found)
		}
	}
}

// A reader of the storefront finds the way in files that fit on a few screens.
func TestFiles_AreShort(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"files", "lectures"} {
		err := fs.WalkDir(embedded, folder, func(name string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			body, err := fs.ReadFile(embedded, name)
			// types are generated
			if lines := strings.Count(string(body), "\n"); lines > 250 &&
				!strings.HasSuffix(name, ".d.ts") {
				t.Errorf("%s has %d lines", name, lines)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
