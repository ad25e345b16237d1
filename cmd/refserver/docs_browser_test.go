package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/openlectern/openlectern/internal/enginetest"
)

// shownPage is what the reference page shows in a browser (testdata/browser/docs.mjs).
type shownPage struct {
	Tags     int      // groups of operations
	Status   string   // of the executed operation
	Body     string   // its answer
	Problems []string // errors, refusals of the policy, requests to other servers
}

// TestDocs_WorksInABrowser signs in as a demo user on the reference page and executes an
// operation, in a browser.
func TestDocs_WorksInABrowser(t *testing.T) {
	t.Parallel()
	modules, chromium, err := findBrowser()
	enginetest.Need(t, "browser", err)
	s := serve(t, nil, dev(t.TempDir())...)
	s.welcomed(t)
	user := usersOfDocs(t, s.url)[0]
	command := exec.Command("node", "testdata/browser/docs.mjs", modules, chromium, s.url,
		user.Name, "/api/user/data")
	var stderr transcript
	command.Stderr = &stderr
	out, err := command.Output()
	var page shownPage
	if err := cmp.Or(err, json.Unmarshal(out, &page)); err != nil {
		t.Fatalf("%v\n%s%s", err, out, stderr.String())
	}
	for _, problem := range page.Problems {
		t.Error(problem)
	}
	var answer struct {
		Success bool
		User    struct {
			ID string `json:"_id"`
		}
	}
	err = json.Unmarshal([]byte(page.Body), &answer)
	if err != nil || page.Status != "200" || !answer.Success || answer.User.ID != demoStudent ||
		page.Tags < 10 {
		t.Errorf("the page shows %+v, %v", page, err)
	}
}

// findBrowser returns the folder of the npm packages and the path of the browser.
func findBrowser() (modules, chromium string, err error) {
	modules, err = filepath.Abs("../../.cache/browser")
	if err != nil {
		return "", "", err
	}
	_, err = os.Stat(filepath.Join(modules, "node_modules"))
	_, nodeErr := exec.LookPath("node")
	chromium, shellErr := exec.LookPath("chromium-headless-shell")
	if shellErr != nil {
		chromium, shellErr = exec.LookPath("chromium")
	}
	return modules, chromium, errors.Join(err, nodeErr, shellErr)
}
