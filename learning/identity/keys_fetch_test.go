package identity_test

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/people"
)

func TestFetchKeys_FetchesThemOnce(t *testing.T) {
	w := newVerifierHarness(t)
	w.keys.fail(http.StatusBadGateway)
	if err := w.FetchKeys(t.Context()); !errors.Is(err, people.ErrIdentityUnavailable) {
		t.Errorf("without an answer: %v", err)
	}
	w.keys.publish(rsaJWK("r1", rsaKey))
	w.clock.pass(time.Minute)
	for range 2 {
		if err := w.FetchKeys(t.Context()); err != nil {
			t.Error(err)
		}
	}
	w.mustVerify(w.token(nil))
	w.keys.expectFetches(t, 2)

	w.keys.publish(ecJWK("e1", "P-256", ecKey))
	// at once: only fetches that tokens cause have a pause between them
	w.mustVerify(w.signed("e1", ecKey, nil))
	refused(t, w, "unknown kid", w.signed("made-up", ecKey, nil))
	w.keys.expectFetches(t, 3)
}
