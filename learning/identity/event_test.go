package identity_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

func TestVerifyWebhook_EventOfASignedBody(t *testing.T) {
	m := newWebhookVerifier(t, padded(key))
	educator, student := core.Educator, core.Student
	for name, test := range map[string]struct {
		body string
		want people.IdentityEvent
		err  error
	}{
		"created": {
			`{"type":"user.created","data":{"id":"ada","first_name":"Ada","last_name":null,"image_url":"https://i.example.org/a",
			"email_addresses":[{"id":"e1","email_address":"ada@example.org"}],"primary_email_address_id":"e1",
			"created_at":1700000000000,"updated_at":"2024-01-02T03:04:05Z","public_metadata":{"role":"educator"}}}`,
			people.IdentityEvent{Type: people.UserCreated,
				User: people.IdentityUser{ID: "ada", FirstName: "Ada",
					ImageURL: "https://i.example.org/a",
					Emails: []people.IdentityEmail{{ID: "e1",
						Address: "ada@example.org"}},
					PrimaryEmailID: "e1",
					CreatedAt:      time.UnixMilli(1700000000000),
					UpdatedAt:      time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC), Role: &educator}},
			nil},
		"no metadata": {
			`{"type":"user.updated","data":{"id":"ada","public_metadata":null}}`,
			people.IdentityEvent{Type: people.UserUpdated,
				User: people.IdentityUser{ID: "ada"}}, nil},
		"no role": {
			`{"type":"user.updated","data":{"id":"ada","public_metadata":{}}}`,
			people.IdentityEvent{Type: people.UserUpdated,
				User: people.IdentityUser{ID: "ada", Role: &student}}, nil},
		"invalid time": {
			`{"type":"user.updated","data":{"id":"ada","updated_at":"soon"}}`,
			people.IdentityEvent{Type: people.UserUpdated,
				User: people.IdentityUser{ID: "ada"}}, nil},
		"addresses of a deleted": {
			`{"type":"user.deleted","data":{"id":"ada","email_addresses":"none"}}`,
			people.IdentityEvent{Type: people.UserDeleted,
				User: people.IdentityUser{ID: "ada"}}, nil},
		"addresses of a created": {
			`{"type":"user.created","data":{"id":"ada","email_addresses":"none"}}`,
			people.IdentityEvent{}, core.ErrMalformedEvent},
		"not JSON": {`user.created`, people.IdentityEvent{},
			core.ErrMalformedEvent},
	} {
		if test.err == nil {
			test.want.SentAt = monday
		}
		msg := message(t, key, "msg_1", monday, test.body)
		got, err := m.VerifyWebhook(msg, monday)
		if diff := cmp.Diff(test.want, got); diff != "" || !errors.Is(err, test.err) {
			t.Errorf("%s: %v, %s", name, err, diff)
		}
		forged := message(t, otherKey, "msg_1", monday, test.body)
		if got, err := m.VerifyWebhook(forged, monday); !cmp.Equal(got, people.IdentityEvent{}) ||
			!errors.Is(err, core.ErrInvalidWebhook) {
			t.Errorf("%s, forged: %+v, %v", name, got, err)
		}
	}
}
