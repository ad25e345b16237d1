package main

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// tokenClaims holds the claims that a front end reads in a session token.
type tokenClaims struct {
	jwt.RegisteredClaims
	Metadata struct{ Role string } `json:"metadata"`
}

func claims(t *testing.T, token string) tokenClaims {
	t.Helper()
	var c tokenClaims
	if _, _, err := jwt.NewParser().ParseUnverified(token, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// signIn gets a token at the sandbox as a front end does.
func signIn(t *testing.T, sandbox, user string) (token string) {
	t.Helper()
	status, answer := call(t, http.MethodPost, "http://"+sandbox+"/v1/sign-in", "",
		`{"userId":"`+user+`"}`)
	token, _ = answer["token"].(string)
	if status != http.StatusOK || token == "" {
		t.Fatalf("sign in %s: status %d, %v", user, status, answer)
	}
	return token
}

func TestEducator_ApplicationIsApproved(t *testing.T) {
	t.Parallel()
	s := serve(t, nil, dev(shop(t))...)
	student, admin := s.token(t, demoStudent), s.token(t, demoAdmin)
	want := func(status int, method, path, token, body string) map[string]any {
		t.Helper()
		got, answer := call(t, method, s.url+path, token, body)
		if got != status {
			t.Fatalf("%s %s: status %d, want %d: %v", method, path, got, status, answer)
		}
		return answer
	}
	const wish = `{"professionalTitle":"Baker","bio":"I bake.","expertise":["Bread"]}`
	want(http.StatusForbidden, http.MethodGet, "/api/educator/courses", student, "")
	want(http.StatusOK, http.MethodPost, "/api/educator/apply", student, wish)
	if role := claims(t, signIn(t, s.sandbox(t), demoStudent)).Metadata.Role; role != "student" {
		t.Errorf("an applicant's token has the role %q", role)
	}
	listed := want(http.StatusOK, http.MethodGet, "/api/admin/educator-applications?status=pending",
		admin, "")["applications"].([]any)
	if len(listed) != 1 {
		t.Fatalf("pending applications: %v", listed)
	}
	id, _ := listed[0].(map[string]any)["_id"].(string)
	want(http.StatusForbidden, http.MethodPatch, "/api/admin/educator-applications/"+id+"/approve",
		student, "")
	want(http.StatusOK, http.MethodPatch, "/api/admin/educator-applications/"+id+"/approve", admin,
		"")

	// with the token of before
	want(http.StatusOK, http.MethodGet, "/api/educator/courses", student, "")
	fresh := signIn(t, s.sandbox(t), demoStudent)
	if role := claims(t, fresh).Metadata.Role; role != "educator" {
		t.Errorf("a new token has the role %q", role)
	}
	want(http.StatusOK, http.MethodGet, "/api/educator/courses", fresh, "")
	answer := want(http.StatusOK, http.MethodGet, "/api/educator/application-status", student, "")
	if a, _ := answer["application"].(map[string]any); a["status"] != "approved" {
		b, _ := json.Marshal(answer)
		t.Errorf("the application: %s", b)
	}
	want(http.StatusConflict, http.MethodPost, "/api/educator/apply", student, wish)
}
