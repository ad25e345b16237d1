package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/learningtest"
	"github.com/openlectern/openlectern/learning/sandbox"
)

// hooks sends signed webhooks of the identity provider to a site.
type hooks struct{ *site }

func newHooks(t *testing.T) hooks { return hooks{newSite(t, learningtest.New(t))} }

// send sends a webhook with an id, signed at the time of the site's clock.
func (h hooks) send(id, body string) (status int, answer string) {
	h.tb.Helper()
	signed := h.Sandbox.Identity().SignWebhook([]byte(body), id, h.Clock.Now())
	w := h.do(http.MethodPost, "/idp", body, "Content-Type", "application/json",
		"hook-id", id, "hook-timestamp", signed.Get("hook-timestamp"), "hook-signature",
		signed.Get("hook-signature"))
	return w.Code, w.Body.String()
}

// user returns an event about a user as docs/api.md §4 describes it.
func (h hooks) user(kind, id, firstName string) string {
	return fmt.Sprintf(
		`{"type":%q,"data":{"id":%q,"email_addresses":[{"email_address":"ada@example.com"}],"first_name":%q,"last_name":"Lovelace","image_url":"https://images.example.org/ada.png"}}`,
		kind, id, firstName)
}

// wantUser checks the answer of GET /api/user/data; an empty name means no record.
func (h hooks) wantUser(id, name string) {
	h.tb.Helper()
	want := `{"success":false,"message":"User Not Found"}`
	if name != "" {
		want = fmt.Sprintf(
			`{"success":true,"user":{"_id":%q,"name":%q,"email":"ada@example.com","imageUrl":"https://images.example.org/ada.png","enrolledCourses":[]}}`, id, name)
	}
	if w := h.do(http.MethodGet, "/api/user/data", "", h.as(id)...); w.Code != http.StatusOK ||
		strings.TrimSpace(w.Body.String()) != want {
		h.tb.Errorf("%d %s, want %s", w.Code, w.Body, want)
	}
}

func TestIdentityWebhook_SameHookIDForEveryEvent(t *testing.T) {
	h := newHooks(t)
	h.Person(t, "other", "") // the provider issues tokens only for users that it knows
	h.Person(t, "ada", "")
	h.Clock.Advance(time.Second)
	const deleted = `{"type":"user.deleted","data":{"id":"ada"}}`
	for i, step := range []struct{ body, name string }{
		{h.user("user.created", "ada", "Ada"), "Ada Lovelace"},
		{h.user("user.updated", "ada", "Augusta"), "Augusta Lovelace"},
		{deleted, ""},
		{h.user("user.updated", "ada", "Ada"), ""},
		{h.user("user.created", "ada", "Ada"), "Ada Lovelace"},
		{h.user("user.created", "ada", "Ada"), "Ada Lovelace"},
		{deleted, ""},
	} {
		if status, answer := h.send("msg_1", step.body); status != http.StatusOK || answer != "{}" {
			t.Errorf("step %d: %d %s", i, status, answer)
		}
		h.wantUser("ada", step.name)
	}
}

func TestIdentityWebhook_ReplayedOlderEvent(t *testing.T) {
	h := newHooks(t)
	h.Person(t, "ada", "")
	h.Clock.Advance(time.Second)
	body := h.user("user.updated", "ada", "Ada")
	old := h.Sandbox.Identity().SignWebhook([]byte(body), "msg_1", h.Clock.Now())
	h.Clock.Advance(time.Second)
	h.send("msg_2", h.user("user.updated", "ada", "Augusta"))
	w := h.do(http.MethodPost, "/idp", body, "hook-id", "msg_1", "hook-timestamp",
		old.Get("hook-timestamp"), "hook-signature", old.Get("hook-signature"))
	if w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	h.wantUser("ada", "Augusta Lovelace")
}

// An approval holds for tokens that are issued later too, unless they have metadata.
func TestApproval_LaterTokenWithoutMetadata(t *testing.T) {
	s := newSite(t, learningtest.New(t))
	s.Person(t, "boss", core.Admin)
	s.Person(t, "ada", "")
	if w := s.do(http.MethodPost, "/api/educator/apply",
		`{"professionalTitle":"Engineer","bio":"I teach.","expertise":["Go"]}`,
		s.as("ada")...); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	a, err := s.Platform.Staff.ApplicationOf(t.Context(), learning.Actor{UserID: "ada"})
	check(t, err)
	if w := s.do(http.MethodPatch, "/api/admin/educator-applications/"+a.ID+"/approve", "",
		s.as("boss")...); w.Code != http.StatusOK {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	s.Clock.Advance(time.Hour)
	for metadata, want := range map[string]int{"": http.StatusOK, `null`: http.StatusOK,
		`{}`: http.StatusForbidden, `{"role":"student"}`: http.StatusForbidden,
		`{"role":"educator"}`: http.StatusOK} {
		var claim any
		if metadata != "" {
			claim = json.RawMessage(metadata)
		}
		token, err := s.Sandbox.Identity().Token("ada",
			sandbox.WithClaims(map[string]any{"metadata": claim}))
		check(t, err)
		if w := s.do(http.MethodGet, "/api/educator/courses", "", "Authorization",
			"Bearer "+token); w.Code != want {
			t.Errorf("metadata %s: %d %s, want %d", metadata, w.Code, w.Body, want)
		}
	}
}

func TestToken_ExpiredASecondAgo(t *testing.T) {
	s := newSite(t, learningtest.New(t))
	s.Person(t, "ada", "")
	for ttl, want := range map[time.Duration]int{time.Second: http.StatusOK,
		0: http.StatusUnauthorized, -time.Second: http.StatusUnauthorized} {
		token, err := s.Sandbox.Identity().Token("ada", sandbox.WithTTL(ttl))
		check(t, err)
		if w := s.do(http.MethodGet, "/api/user/data", "", "Authorization",
			"Bearer "+token); w.Code != want {
			t.Errorf("valid for %v: %d %s, want %d", ttl, w.Code, w.Body, want)
		}
	}
}
