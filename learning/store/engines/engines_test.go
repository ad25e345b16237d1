package engines

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckURL_TouchesNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "learning.db")
	for _, url := range []string{"sqlite:" + file, "mysql://u:s3cret@db.invalid/learning",
		"mysql://u:s3cret@a.invalid:3307/learning", "postgres://u:s3cret@db.invalid/learning",
		"postgres://u:s3cret@a.invalid:5433,b.invalid/learning?sslmode=require"} {
		if err := CheckURL(url); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("the file was created")
	}
	for _, url := range []string{"", "sqlite:", "sqlite:" + file + "/learning.db",
		"mysql://u:s3cret@a,/learning", "mysql://u:s3%cret@a/learning",
		"postgres://u:s3%cret@a/learning"} {
		if err := CheckURL(url); err == nil || strings.Contains(err.Error(), "cret") {
			t.Errorf("%q: got the error %v", url, err)
		}
	}
}
