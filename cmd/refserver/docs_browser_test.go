package main

import (
	"encoding/json"
	"testing"
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
	c := needChromium(t)
	s := serve(t, nil, dev(t.TempDir())...)
	s.welcomed(t)
	user := usersOfDocs(t, s.url)[0]
	var page shownPage
	c.run(t, "docs.mjs", &page, s.url, user.Name, "/api/user/data")
	for _, problem := range page.Problems {
		t.Error(problem)
	}
	var answer struct {
		Success bool
		User    struct {
			ID string `json:"_id"`
		}
	}
	err := json.Unmarshal([]byte(page.Body), &answer)
	if err != nil || page.Status != "200" || !answer.Success || answer.User.ID != demoStudent ||
		page.Tags < 10 {
		t.Errorf("the page shows %+v, %v", page, err)
	}
}
