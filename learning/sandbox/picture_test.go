package sandbox_test

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openlectern/openlectern/learning/sandbox"
)

func TestPicture_DrawsInitialsOfUsersWithoutOne(t *testing.T) {
	p := newPlatform(t)
	s := start(t, sandbox.Config{WebhookURL: p.URL})
	for want, u := range map[string]sandbox.User{
		"AB": {ID: "user_1", FirstName: "ada", LastName: "Byron"},
		"Ж":  {ID: "user_2", FirstName: "<\"Жанна"},
		"U":  {ID: "user/3 &<", LastName: "\x00\x01"},
		"":   {ID: "<>"},
	} {
		if err := s.Identity().PutUser(u); err != nil {
			t.Fatal(err)
		}
		status, h, body := call(t, "GET", s.Identity().PictureURL(u.ID), "")
		if status != http.StatusOK || h.Get("Content-Type") != "image/svg+xml" ||
			text(t, body) != want {
			t.Errorf("%q: status %d, %s, want %q:\n%s", u.ID, status, h.Get("Content-Type"), want,
				body)
		}
		for name, value := range map[string]string{"Content-Security-Policy": "default-src 'none'",
			"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "cross-origin"} {
			if !strings.Contains(h.Get(name), value) {
				t.Errorf("%s is %q", name, h.Get(name))
			}
		}
		waitForWebhooks(t, s)
		hooks := p.received()
		told := decode[map[string]map[string]any](t,
			[]byte(strings.Replace(string(hooks[len(hooks)-1].body), `"type":"user.created",`, "",
				1)))
		if got := told["data"]["image_url"]; got != s.Identity().PictureURL(u.ID) {
			t.Errorf("%q: image_url is %v", u.ID, got)
		}
	}
	status, _, _ := call(t, "GET", s.Config().URL+"/pictures/nobody", "")
	if status != http.StatusNotFound {
		t.Errorf("the picture of an unknown user: status %d", status)
	}
}

func TestPicture_DiffersBetweenUsersWithTheSameInitials(t *testing.T) {
	s := start(t, sandbox.Config{})
	drawn := map[string]string{} // ids by picture
	for _, id := range []string{"user_1", "user_2", "user_3"} {
		if err := s.Identity().PutUser(sandbox.User{ID: id, FirstName: "Ada",
			LastName: "Byron"}); err != nil {
			t.Fatal(err)
		}
		_, _, body := call(t, "GET", s.Identity().PictureURL(id), "")
		if other := drawn[body]; other != "" {
			t.Errorf("%s has the picture of %s", id, other)
		}
		drawn[body] = id
	}
}

// text returns the text of a well-formed XML document.
func text(t *testing.T, document string) string {
	t.Helper()
	var text strings.Builder
	for d := xml.NewDecoder(strings.NewReader(document)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return strings.TrimSpace(text.String())
		}
		if err != nil {
			t.Fatalf("%v in %s", err, document)
		}
		if s, ok := token.(xml.CharData); ok {
			text.Write(s)
		}
	}
}
