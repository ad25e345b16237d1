package identity_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	webhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
)

var (
	key      = []byte("the key of the webhooks 1") // 25 bytes: its base64 is padded
	otherKey = []byte("the key of the webhooks 2")
)

// message returns a webhook, signed like those of the provider.
func message(t *testing.T, key []byte, id string, at time.Time, body string) people.Webhook {
	t.Helper()
	hook, err := webhooks.NewWebhookRaw(key)
	if err != nil {
		t.Fatal(err)
	}
	signature, err := hook.Sign(id, at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return people.Webhook{ID: id, Timestamp: strconv.FormatInt(at.Unix(), 10),
		Signature: signature, Body: []byte(body)}
}

func newWebhookVerifier(t *testing.T, secrets ...string) *identity.WebhookVerifier {
	t.Helper()
	m, err := identity.NewWebhookVerifier(secrets...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func padded(key []byte) string { return base64.StdEncoding.EncodeToString(key) }

func TestNewWebhookVerifier_FormatsOfSecrets(t *testing.T) {
	msg := message(t, key, "msg_1", monday, `{"type":"user.created"}`)
	for _, prefix := range []string{"", "whsec_"} {
		for _, secret := range []string{padded(key), strings.TrimRight(padded(key), "=")} {
			if _, err := newWebhookVerifier(t, prefix+secret).VerifyWebhook(msg, monday); err !=
				nil {
				t.Errorf("%s%s: %v", prefix, secret, err)
			}
		}
	}
}

// The example is from the reference tests of the specification.
func TestVerifyWebhook_ExampleOfTheSpecification(t *testing.T) {
	msg := people.Webhook{ID: "msg_p5jXN8AQM9LWM0D4loKWxJek", Timestamp: "1614265330",
		Signature: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
		Body:      []byte(`{"test": 2432232314}`)}
	m := newWebhookVerifier(t, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if _, err := m.VerifyWebhook(msg, time.Unix(1614265330, 0)); err != nil {
		t.Error(err)
	}
}

func TestVerifyWebhook_AnySecretOfARotation(t *testing.T) {
	m := newWebhookVerifier(t, padded(key), "whsec_"+padded(otherKey))
	for _, k := range [][]byte{key, otherKey} {
		if _, err := m.VerifyWebhook(message(t, k, "msg_1", monday, "{}"), monday); err != nil {
			t.Error(err)
		}
	}
	both := message(t, []byte("a key of another provider"), "msg_1", monday, "{}")
	both.Signature = "v1a,x v2,y v1,AAAA v1 , " + both.Signature + " " +
		message(t, otherKey, "msg_1", monday, "{}").Signature
	if _, err := m.VerifyWebhook(both, monday); err != nil {
		t.Errorf("one of several signatures: %v", err)
	}
}

func TestVerifyWebhook_ForgedWebhook(t *testing.T) {
	m := newWebhookVerifier(t, padded(key))
	honest := message(t, key, "msg_1", monday, `{"type":"user.deleted"}`)
	for name, change := range map[string]func(*people.Webhook){
		"another key": func(msg *people.Webhook) {
			*msg = message(t, otherKey,
				"msg_1", monday, `{}`)
		},
		"no key at all": func(msg *people.Webhook) {
			*msg = message(t, nil, "msg_1",
				monday, `{}`)
		},
		"another id": func(msg *people.Webhook) { msg.ID = "msg_2" },
		"no id":      func(msg *people.Webhook) { msg.ID = "" },
		"another second": func(msg *people.Webhook) {
			msg.Timestamp = strconv.FormatInt(
				monday.Unix()+1, 10)
		},
		"no timestamp":            func(msg *people.Webhook) { msg.Timestamp = "" },
		"timestamp not a number":  func(msg *people.Webhook) { msg.Timestamp = "now" },
		"timestamp with fraction": func(msg *people.Webhook) { msg.Timestamp += ".5" },
		"timestamp too large": func(
			msg *people.Webhook) {
			msg.Timestamp = "99999999999999999999"
		},
		"timestamp at the end": func(
			msg *people.Webhook) {
			msg.Timestamp = "9223372036854775807"
		},
		"timestamp at the start": func(
			msg *people.Webhook) {
			msg.Timestamp = "-9223372036854775808"
		},
		"no signature":        func(msg *people.Webhook) { msg.Signature = "" },
		"signature of spaces": func(msg *people.Webhook) { msg.Signature = "   " },
		"signature of commas": func(msg *people.Webhook) { msg.Signature = ",,," },
		"empty v1":            func(msg *people.Webhook) { msg.Signature = "v1," },
		"another version": func(msg *people.Webhook) {
			msg.Signature = "v2" +
				strings.TrimPrefix(msg.Signature, "v1")
		},
		"signature cut": func(
			msg *people.Webhook) {
			msg.Signature = msg.Signature[:20]
		},
		"signature longer": func(msg *people.Webhook) { msg.Signature += "A" },
		"one more byte of body": func(msg *people.Webhook) {
			msg.Body = append(
				bytes.Clone(msg.Body), ' ')
		},
		"no body": func(msg *people.Webhook) { msg.Body = nil },
	} {
		msg := honest
		change(&msg)
		if _, err := m.VerifyWebhook(msg, monday); !errors.Is(err, core.ErrInvalidWebhook) ||
			strings.Contains(err.Error(), "v1") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := m.VerifyWebhook(honest, monday); err != nil {
		t.Errorf("the valid one: %v", err)
	}
	for _, part := range []*string{&honest.ID, &honest.Timestamp, &honest.Signature} {
		whole := *part
		*part = ""
		if _, err := m.VerifyWebhook(honest, monday); err == nil ||
			!strings.Contains(err.Error(), "missing") {
			t.Errorf("a part is missing: got %v", err)
		}
		*part = whole
	}
}

func TestVerifyWebhook_TimestampWithinFiveMinutes(t *testing.T) {
	m := newWebhookVerifier(t, padded(key))
	msg := message(t, key, "msg_1", monday, "{}")
	for offset, good := range map[time.Duration]bool{
		0: true, 5 * time.Minute: true, -5 * time.Minute: true, 5*time.Minute + 1: false,
		-5*time.Minute - 1: false,
		6 * time.Minute:    false, 24 * time.Hour: false, -24 * time.Hour: false,
	} {
		_, err := m.VerifyWebhook(msg, monday.Add(offset))
		if (err == nil) != good || (err != nil && !errors.Is(err, core.ErrInvalidWebhook)) {
			t.Errorf("%v after its timestamp: %v", offset, err)
		}
	}
}

// An id may have any characters. A dot has no special meaning.
func TestVerifyWebhook_IDMayHaveAnyCharacters(t *testing.T) {
	m := newWebhookVerifier(t, padded(key))
	for _, id := range []string{"a.b.c", "msg 1", "é", strings.Repeat("x", 500)} {
		if _, err := m.VerifyWebhook(message(t, key, id, monday, "{}"), monday); err != nil {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestNewWebhookVerifier_InvalidSecret(t *testing.T) {
	good := padded(key)
	for name, secrets := range map[string][]string{
		"none":              {},
		"empty":             {good, ""},
		"only the prefix":   {good, "whsec_"},
		"only padding":      {good, "===="},
		"23 bytes":          {good, padded([]byte("sesame sesame sesame 23"))},
		"not base64":        {good, "whsec_sesame sesame sesame sesame!"},
		"base64 of URLs":    {good, "whsec_sesame_-sesame_-sesame_-sesame_-"},
		"a list in one":     {good, good + "," + good},
		"of another scheme": {good, "whpk_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"},
	} {
		_, err := identity.NewWebhookVerifier(secrets...)
		if err == nil || strings.Contains(err.Error(), "sesame") ||
			(len(secrets) > 0 && !strings.Contains(err.Error(), "webhook secret 2")) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
