package openlectern

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// testNames returns the names of all tests and fuzz targets in the tree.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	tree := os.DirFS(".")
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := fs.ReadFile(tree, path)
		for _, found := range declared.FindAllStringSubmatch(string(text), -1) {
			all[found[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestSecurityPage_NamesTestsOfEveryRisk(t *testing.T) {
	page, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	names, risks := testNames(t), 0
	named := regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*)`")
	for line := range strings.Lines(string(page)) {
		if !strings.HasPrefix(line, "| API") {
			continue
		}
		risks++
		found := named.FindAllStringSubmatch(line, -1)
		if len(found) < 3 {
			t.Errorf("a risk has %d tests: %.60s", len(found), line)
		}
		for _, name := range found {
			if !names[name[1]] {
				t.Errorf("there is no test %s", name[1])
			}
		}
	}
	if risks != 10 {
		t.Errorf("the page has %d of the ten risks", risks)
	}
}
