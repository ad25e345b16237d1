package openlectern_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// namedFile is a Go file as pages and messages of tests name it, from the top folder on.
var namedFile = regexp.MustCompile(`\b(?:learning|internal|cmd|checks|examples)/[a-z0-9_/]+\.go\b`)

// Pages, and what tests tell those whose change they refuse, name files that exist: a file that
// moves takes its mentions along. The changelog tells of the past.
func TestPages_NameFilesThatExist(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" ||
			strings.HasPrefix(entry.Name(), ".") && path != "."):
			return fs.SkipDir
		case path == "CHANGELOG.md" ||
			!strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, name := range namedFile.FindAllString(string(text), -1) {
			seen++
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s names %s, which does not exist", path, name)
			}
		}
		return nil
	})
	if err != nil || seen < 50 {
		t.Errorf("%d files are named: %v", seen, err)
	}
}
