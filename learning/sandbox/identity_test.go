package sandbox_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/openlectern/openlectern/learning/sandbox"
)

// verifyWebhook checks an identity webhook with the library of Standard Webhooks, under the
// library's header names.
func verifyWebhook(s *sandbox.Sandbox, h hook) error {
	lib, err := standardwebhooks.NewWebhook(s.Config().IdentityWebhookSecret)
	if err != nil {
		return err
	}
	renamed := http.Header{}
	for _, name := range []string{"id", "timestamp", "signature"} {
		renamed.Set("webhook-"+name, h.header.Get("hook-"+name))
	}
	return lib.Verify(h.body, renamed)
}

func TestPutUser_SendsSignedWebhooks(t *testing.T) {
	p := newPlatform(t)
	now := time.Now()
	s := start(t, sandbox.Config{WebhookURL: p.URL, Clock: func() time.Time { return now }})
	ms := float64(now.UnixMilli())
	whole := map[string]any{
		"id": "user_1", "first_name": "Ada", "last_name": "Byron",
		"image_url":                "https://img.test/a.png",
		"primary_email_address_id": "idn_user_1", "created_at": ms, "updated_at": ms,
		"email_addresses": []any{map[string]any{"id": "idn_user_1",
			"email_address": "ada@example.com"}},
		"public_metadata": map[string]any{"role": "educator"},
	}
	bare := map[string]any{"id": "user_1", "first_name": nil, "last_name": nil,
		"image_url": s.Identity().PictureURL("user_1"), "primary_email_address_id": nil,
		"email_addresses": []any{}, "public_metadata": map[string]any{}, "created_at": ms,
		"updated_at": ms + 1}
	steps := []struct {
		do   func() error
		want map[string]any
	}{
		{func() error {
			return s.Identity().PutUser(sandbox.User{ID: "user_1", FirstName: "Ada",
				LastName: "Byron", Email: "ada@example.com", ImageURL: "https://img.test/a.png",
				Role: "educator"})
		}, map[string]any{"type": "user.created", "data": whole}},
		{func() error { return s.Identity().PutUser(sandbox.User{ID: "user_1"}) },
			map[string]any{"type": "user.updated", "data": bare}},
		{func() error {
			body, err := s.Identity().Event(sandbox.UserDeleted, "user_1")
			return errors.Join(err, s.Identity().SendWebhook(t.Context(), body))
		}, map[string]any{"type": "user.deleted", "data": map[string]any{"id": "user_1"}}},
	}
	for i, step := range steps {
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		waitForWebhooks(t, s)
		got := p.received()
		if len(got) != i+1 {
			t.Fatalf("step %d: %d webhooks in all", i, len(got))
		}
		last := got[i]
		if last.path != "/idp" || last.header.Get("Content-Type") != "application/json" {
			t.Errorf("step %d: %s %s", i, last.path, last.header.Get("Content-Type"))
		}
		if err := verifyWebhook(s, last); err != nil {
			t.Errorf("step %d: %v", i, err)
		}
		if diff := cmp.Diff(step.want, decode[map[string]any](t, last.body)); diff != "" {
			t.Errorf("step %d: %s", i, diff)
		}
	}
}

func TestPutUser_WithoutARoleHasNoMetadata(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	if err := s.Identity().PutUser(sandbox.User{ID: "user_1"}); err != nil {
		t.Fatal(err)
	}
	waitForWebhooks(t, s)
	if body := string(p.only(t).body); strings.Contains(body, "public_metadata") {
		t.Errorf("the body has metadata: %s", body)
	}
}

func TestPutUserQuietly_SendsNoWebhook(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{})
	if err := s.Identity().PutUser(sandbox.User{ID: "user_1"}); err != nil {
		t.Fatal(err)
	}
	s.SetWebhookURL(p.URL)
	if err := s.Identity().PutUserQuietly(sandbox.User{ID: "user_2"}); err != nil {
		t.Fatal(err)
	}
	waitForWebhooks(t, s)
	if got := p.received(); len(got) != 0 {
		t.Errorf("%d webhooks were received", len(got))
	}
	want := []sandbox.User{{ID: "user_1"}, {ID: "user_2"}}
	if diff := cmp.Diff(want, s.Identity().Users()); diff != "" {
		t.Error(diff)
	}
}

func TestPutUser_InvalidOrUnknown(t *testing.T) {
	s := start(t, sandbox.Config{})
	if err := s.Identity().PutUser(sandbox.User{FirstName: "Nobody"}); err == nil {
		t.Error("a user without an id was accepted")
	}
	if _, err := s.Identity().Event(sandbox.UserUpdated, "user_9"); !errors.Is(err,
		sandbox.ErrUnknownUser) {
		t.Errorf("event: %v", err)
	}
}

func TestSetRole_IsStoredSentAndInNewTokens(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	withUsers(t, s)
	url := s.Config().URL + "/v1/users/user_1"
	status, _, body := call(t, "PATCH", url+"/metadata", `{"public_metadata":{"role":"educator"}}`,
		identityKey(s))
	if status != http.StatusOK || !strings.Contains(body, `"public_metadata":{"role":"educator"}`) {
		t.Fatalf("%d %s", status, body)
	}
	if _, _, got := call(t, "GET", url, "", identityKey(s)); got != body {
		t.Errorf("GET differs from PATCH: %s", got)
	}
	claims, err := verify(t, s, token(t, s, "user_1"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"role": "educator"}, claims["metadata"]); diff != "" {
		t.Error(diff)
	}
	waitForWebhooks(t, s)
	event := decode[struct {
		Type string
		Data map[string]any
	}](t, p.only(t).body)
	if event.Type != "user.updated" ||
		!cmp.Equal(event.Data["public_metadata"], map[string]any{"role": "educator"}) {
		t.Errorf("event: %v", event)
	}
	if n := s.Identity().RoleCalls(); n != 1 {
		t.Errorf("%d role calls", n)
	}
}

func TestSetRole_NullRemovesTheRole(t *testing.T) {
	s := start(t, sandbox.Config{})
	withUsers(t, s)
	for _, step := range []struct{ body, want string }{
		{`{"public_metadata":{}}`, "educator"},
		{`{"public_metadata":{"plan":"gold"}}`, "educator"},
		{`{"public_metadata":{"role":null}}`, ""},
	} {
		if status, _, body := call(t, "PATCH", s.Config().URL+"/v1/users/user_2/metadata",
			step.body, identityKey(s)); status != http.StatusOK {
			t.Fatalf("%s: %d %s", step.body, status, body)
		}
		if u, _ := s.Identity().User("user_2"); u.Role != step.want {
			t.Errorf("%s: role = %q, want %q", step.body, u.Role, step.want)
		}
	}
}

func TestIdentityAPI_InvalidRequestIsRejected(t *testing.T) {
	s := start(t, sandbox.Config{})
	withUsers(t, s)
	good := `{"public_metadata":{"role":"admin"}}`
	for name, test := range map[string]struct {
		method, path, body string
		auth               func(*http.Request)
		want               int
	}{
		"no key": {"PATCH", "/v1/users/user_1/metadata", good, func(*http.Request) {},
			401},
		"wrong key": {"PATCH", "/v1/users/user_1/metadata", good,
			header("Authorization", "Bearer wrong"), 401},
		"key without scheme": {"PATCH", "/v1/users/user_1/metadata", good,
			header("Authorization", s.Config().IdentityAPIKey), 401},
		"wrong key on GET": {"GET", "/v1/users/user_1", "",
			header("Authorization", "Bearer wrong"), 401},
		"unknown user":      {"PATCH", "/v1/users/user_9/metadata", good, identityKey(s), 404},
		"unknown user, GET": {"GET", "/v1/users/user_9", "", identityKey(s), 404},
		"not JSON":          {"PATCH", "/v1/users/user_1/metadata", `{`, identityKey(s), 422},
		"no metadata": {"PATCH", "/v1/users/user_1/metadata", `{"role":"admin"}`,
			identityKey(s), 422},
		"metadata a list": {"PATCH", "/v1/users/user_1/metadata", `{"public_metadata":[]}`,
			identityKey(s), 422},
		"role a number": {"PATCH", "/v1/users/user_1/metadata",
			`{"public_metadata":{"role":1}}`, identityKey(s), 422},
		"body too large": {"PATCH", "/v1/users/user_1/metadata",
			strings.Repeat(" ", 300<<10) + good, identityKey(s), 422},
	} {
		t.Run(name, func(t *testing.T) {
			status, _, body := call(t, test.method, s.Config().URL+test.path, test.body, test.auth)
			if status != test.want || !strings.Contains(body, `"errors":[{"code":`) {
				t.Errorf("%d %s, want %d", status, body, test.want)
			}
		})
	}
	if u, _ := s.Identity().User("user_1"); u.Role != "" {
		t.Errorf("a refused call set the role %q", u.Role)
	}
}

func TestSignIn_ReturnsAValidToken(t *testing.T) {
	now := time.Now()
	s := start(t, sandbox.Config{Clock: func() time.Time { return now }})
	withUsers(t, s)
	url := s.Config().URL + "/v1/sign-in"
	for name, test := range map[string]struct{ body, accept string }{
		"JSON":               {`{"userId":"user_2"}`, "*/*"},
		"form, accepts JSON": {"userId=user_2", "application/json"},
	} {
		status, _, body := call(t, "POST", url, test.body, header("Accept", test.accept),
			header("Content-Type", "application/x-www-form-urlencoded"))
		got := decode[struct{ Token, ExpiresAt string }](t, []byte(body))
		claims, err := verify(t, s, got.Token)
		if status != http.StatusOK || err != nil || claims["sub"] != "user_2" {
			t.Errorf("%s: %d %v %v", name, status, err, claims)
		}
		if want := now.Add(time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")[:19] +
			".000Z"; got.ExpiresAt != want {
			t.Errorf("%s: expiresAt = %s, want %s", name, got.ExpiresAt, want)
		}
	}
	_, _, body := call(t, "POST", url, `{"userId":"user_2","remember":true}`)
	if got := decode[struct{ ExpiresAt string }](t, []byte(body)); got.ExpiresAt !=
		now.Add(12 * time.Hour).UTC().Format("2006-01-02T15:04:05.000Z")[:19]+".000Z" {
		t.Errorf("a remembered user's token: %s", body)
	}
	for body, want := range map[string]int{`{"userId":"user_9"}`: 404, `{"userId":7}`: 422,
		`{"userId":`: 422, ``: 422, `user=1`: 422} {
		if status, _, answer := call(t, "POST", url, body); status != want {
			t.Errorf("%q: %d %s, want %d", body, status, answer, want)
		}
	}
}

func TestIdentitySendWebhook_SignsAndReportsFailure(t *testing.T) {
	p := newPlatform(t, 200, 500)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	withUsers(t, s)
	body, err := s.Identity().Event(sandbox.UserUpdated, "user_2")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Identity().SendWebhook(t.Context(), body); err != nil {
		t.Error(err)
	}
	if err := s.Identity().SendWebhook(t.Context(), body); err == nil {
		t.Error("an answer of 500 is not an error")
	}
	got := p.received()
	if len(got) != 2 {
		t.Fatalf("%d webhooks were received, want 2", len(got))
	}
	ids := map[string]bool{}
	for _, h := range got {
		ids[h.header.Get("hook-id")] = true
		if err := verifyWebhook(s, h); err != nil {
			t.Error(err)
		}
	}
	if len(ids) != 2 {
		t.Error("two messages share an id")
	}
	old := hook{header: s.Identity().SignWebhook(body, "msg_1", time.Now().Add(-6*time.Minute)),
		body: body}
	if err := verifyWebhook(s, old); !errors.Is(err, standardwebhooks.ErrMessageTooOld) {
		t.Errorf("an old message: %v", err)
	}
}
