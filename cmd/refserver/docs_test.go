package main

import (
	"encoding/json"
	"io"
	"net/http"
	"regexp"
	"testing"

	"github.com/openlectern/openlectern/learning/httpapi"
)

var docsUsers = regexp.MustCompile(`id="users">(.*)</script>`)

// usersOfDocs returns the users that the reference page offers.
func usersOfDocs(t *testing.T, url string) (users []httpapi.DocsUser) {
	t.Helper()
	answer, err := http.Get(url + "/docs")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := docsUsers.FindSubmatch(page)
	if found == nil {
		t.Fatalf("the page is\n%s", page)
	}
	if err := json.Unmarshal(found[1], &users); err != nil {
		t.Fatal(err)
	}
	return users
}

func TestDocs_DevelopmentOffersDemoUsers(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(shop(t))...)
	s.welcomed(t)
	users := usersOfDocs(t, s.url)
	if len(users) != len(demoUsers) {
		t.Fatalf("the page offers %d users", len(users))
	}
	for i, u := range users {
		r, err := http.NewRequest(http.MethodGet, s.url+"/api/user/data", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+u.Token)
		r.Header.Set("Origin", s.url)
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		var data struct {
			User struct {
				ID string `json:"_id"`
			}
		}
		if err := json.Unmarshal(body, &data); err != nil || data.User.ID != demoUsers[i].ID {
			t.Errorf("%s is signed in as %s", u.Name, body)
		}
	}
}

func TestDocs_ProductionOffersNoUsers(t *testing.T) {
	t.Parallel()
	s := serve(t, configured(providers(t), t.TempDir()))
	if users := usersOfDocs(t, s.url); len(users) != 0 {
		t.Errorf("the page offers %v", users)
	}
}
