package identity_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
)

func FuzzVerifyToken(f *testing.F) {
	s := newKeyServer(f, rsaJWK("r1", rsaKey))
	v, err := identity.NewVerifier(s.URL)
	if err != nil {
		f.Fatal(err)
	}
	f.Add("")
	f.Add("a.b.c")
	f.Add(b64([]byte(`{"alg":"RS256","kid":"r1"}`)) + "." + b64([]byte(`{"sub":"x","exp":1e99}`)) +
		".AAAA")
	f.Add(b64([]byte(`{"alg":"none"}`)) + ".e30.")
	f.Fuzz(func(t *testing.T, token string) {
		if claims, err := v.VerifyToken(t.Context(), token); !errors.Is(err,
			people.ErrInvalidToken) {
			t.Errorf("got %+v and %v", claims, err)
		}
	})
}

func FuzzVerifyMessage(f *testing.F) {
	m, err := identity.NewWebhookVerifier(padded(key))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("msg_1", strconv.FormatInt(monday.Unix(), 10), "v1,AAAA", []byte("{}"))
	f.Add("", "-1", ",, ,", []byte(nil))
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte) {
		_, err := m.VerifyWebhook(people.Webhook{ID: id, Timestamp: timestamp,
			Signature: signature, Body: body}, monday)
		if !errors.Is(err, core.ErrInvalidWebhook) {
			t.Errorf("got %v", err)
		}
	})
}
