package identity_test

import (
	"context"
	"crypto/elliptic"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/identity"
	"github.com/openlectern/openlectern/learning/people"
)

func (w verifierHarness) mustVerify(token string) {
	w.Helper()
	if _, err := w.VerifyToken(w.Context(), token); err != nil {
		w.Error(err)
	}
}

func (w verifierHarness) mustBeUnavailable(token string) error {
	w.Helper()
	_, err := w.VerifyToken(w.Context(), token)
	if !errors.Is(err, people.ErrIdentityUnavailable) ||
		errors.Is(err, people.ErrInvalidToken) {
		w.Errorf("got %v", err)
	}
	return err
}

func TestKeys_ManyUnknownKeysCauseOneFetch(t *testing.T) {
	w := newVerifierHarness(t)
	for range 1000 {
		refused(t, w, "unknown kid", w.signed("made-up", ecKey, nil))
	}
	w.keys.expectFetches(t, 1)
	w.mustVerify(w.token(nil))
	w.clock.pass(30 * time.Second)
	refused(t, w, "unknown kid", w.signed("made-up", ecKey, nil))
	refused(t, w, "unknown kid", w.signed("made-up", ecKey, nil))
	w.keys.expectFetches(t, 2)
}

// All callers that need the keys during a fetch wait for that fetch.
func TestKeys_ConcurrentCallersShareOneFetch(t *testing.T) {
	w := newVerifierHarness(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	publish := w.keys.answer.Load().(http.HandlerFunc)
	w.keys.does(func(rw http.ResponseWriter,
		r *http.Request) {
		close(arrived)
		<-release
		publish(rw, r)
	})
	var crowd sync.WaitGroup
	token := w.token(nil)
	for range 50 {
		crowd.Go(func() { w.mustVerify(token) })
	}
	<-arrived
	close(release)
	crowd.Wait()
	w.keys.expectFetches(t, 1)
}

func TestKeys_CancelledCallerDoesNotFailTheOthers(t *testing.T) {
	w := newVerifierHarness(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	publish := w.keys.answer.Load().(http.HandlerFunc)
	w.keys.does(func(rw http.ResponseWriter,
		r *http.Request) {
		close(arrived)
		<-release
		publish(rw, r)
	})
	ctx, leave := context.WithCancel(t.Context())
	first, token := make(chan error), w.token(nil)
	go func() { _, err := w.VerifyToken(ctx, token); first <- err }()
	<-arrived
	leave()
	if err := <-first; !errors.Is(err, people.ErrIdentityUnavailable) ||
		!errors.Is(err, context.Canceled) {
		t.Errorf("the caller with the cancelled context got %v", err)
	}
	second := make(chan error)
	go func() { _, err := w.VerifyToken(t.Context(), token); second <- err }()
	close(release)
	if err := <-second; err != nil {
		t.Error(err)
	}
	w.keys.expectFetches(t, 1)
}

func TestKeys_NewKeyIsFoundAfterTheGap(t *testing.T) {
	w := newVerifierHarness(t)
	w.mustVerify(w.token(nil))
	w.keys.publish(rsaJWK("r1", rsaKey), rsaJWK("r2", rsaOther))
	w.clock.pass(30*time.Second - 1)
	refused(t, w, "a new key within the gap", w.signed("r2", rsaOther, nil))
	w.clock.pass(1)
	w.mustVerify(w.signed("r2", rsaOther, nil))
	w.mustVerify(w.token(nil))
	w.keys.expectFetches(t, 2)
}

// A token is rejected after its key was removed, whether it is cached or not.
func TestKeys_RemovedKeyIsRejectedAfterTheMaxAge(t *testing.T) {
	w := newVerifierHarness(t)
	token := w.token(map[string]any{"exp": monday.Add(time.Hour).Unix()})
	w.mustVerify(token)
	w.keys.publish(rsaJWK("r2", rsaOther))
	w.clock.pass(5 * time.Minute)
	w.mustVerify(token)
	w.keys.expectFetches(t, 1)
	w.clock.pass(5*time.Minute + 1)
	refused(t, w, "a key taken back", token)
	w.keys.expectFetches(t, 2)
}

func TestKeys_AreRefreshedInTheBackground(t *testing.T) {
	w := newVerifierHarness(t)
	token := w.token(map[string]any{"exp": monday.Add(time.Hour).Unix()})
	w.mustVerify(token)
	release := make(chan struct{})
	w.keys.does(func(rw http.ResponseWriter, r *http.Request) {
		<-release
		rw.WriteHeader(http.StatusServiceUnavailable)
	})
	w.clock.pass(5*time.Minute + 1)
	w.mustVerify(token) // while the fetch hangs
	w.keys.expectFetches(t, 2)
	w.keys.publish(rsaJWK("r2", rsaOther))
	close(release)
	w.clock.pass(30 * time.Second)
	eventually(t, func() bool { // the failed fetch ends, and the next brings the new set
		_, err := w.VerifyToken(t.Context(), token)
		return errors.Is(err, people.ErrInvalidToken)
	})
	w.keys.expectFetches(t, 3)
}

func TestKeys_StayInUseWhileTheProviderFails(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"status 500": func(w http.ResponseWriter,
			_ *http.Request) {
			w.WriteHeader(http.StatusInternalServerError)
		},
		"status 404": http.NotFound,
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r,
				"/other", http.StatusFound)
		},
		"nothing":       func(http.ResponseWriter, *http.Request) {},
		"HTML":          says("<html>maintenance</html>"),
		"a list":        says("[]"),
		"null":          says("null"),
		"no keys":       says(`{"keys":[]}`),
		"keys null":     says(`{"keys":null}`),
		"keys a string": says(`{"keys":"r1"}`),
		"unusable keys": says(`{"keys":[1,null,{},{"kty":"oct","kid":"r1","k":"AAAA"}]}`),
		"cut off":       says(`{"keys":[{"kty":"RSA"`),
		"too large":     says(`{"keys":[]` + strings.Repeat(" ", 1<<20) + "}"),
		"closed connection": func(http.ResponseWriter,
			*http.Request) {
			panic(http.ErrAbortHandler)
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newVerifierHarness(t)
			token := w.token(map[string]any{"exp": monday.Add(24 * time.Hour).Unix()})
			w.mustVerify(token)
			w.keys.does(answer)
			for range 3 {
				w.clock.pass(time.Hour)
				w.mustVerify(token)
				refused(t, w, "unknown kid", w.signed("r2", rsaOther, nil))
			}
		})
	}
}

func says(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// If the keys are too old, the first caller waits for a fetch. After that has failed, no
// caller waits for the provider.
func TestKeys_HangingProviderDelaysOneCallerOnly(t *testing.T) {
	w := newVerifierHarness(t, identity.WithKeyTimeout(time.Hour))
	token := w.token(map[string]any{"exp": monday.Add(24 * time.Hour).Unix()})
	w.mustVerify(token)
	w.keys.fail(http.StatusInternalServerError)
	w.clock.pass(time.Hour)
	w.mustVerify(token)
	w.keys.expectFetches(t, 2)
	release := make(chan struct{})
	w.keys.does(func(http.ResponseWriter, *http.Request) { <-release })
	w.clock.pass(time.Hour)
	verified := make(chan struct{})
	go func() { w.mustVerify(token); close(verified) }()
	select {
	case <-verified:
	case <-time.After(20 * time.Second):
		t.Error("VerifyToken waits for the provider")
	}
	w.keys.expectFetches(t, 3)
	close(release)
	<-verified
}

func TestKeys_NoneFetchedReturnsErrIdentityUnavailable(t *testing.T) {
	w := newVerifierHarness(t)
	publish := w.keys.answer.Load().(http.HandlerFunc)
	w.keys.fail(http.StatusBadGateway)
	for range 3 {
		if err := w.mustBeUnavailable(w.token(nil)); !strings.Contains(err.Error(), "502") {
			t.Errorf("the reason is missing: %v", err)
		}
	}
	w.keys.expectFetches(t, 1)
	w.keys.does(publish)
	w.clock.pass(time.Second) // the next attempt is allowed after a second
	w.mustVerify(w.token(nil))
}

func TestKeys_SlowProviderTimesOut(t *testing.T) {
	w := newVerifierHarness(t, identity.WithKeyTimeout(20*time.Millisecond))
	w.keys.does(func(rw http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(rw, `{"keys":[`)
		rw.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	if err := w.mustBeUnavailable(w.token(nil)); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func TestKeys_RedirectIsNotFollowed(t *testing.T) {
	w := newVerifierHarness(t)
	elsewhere := newKeyServer(t, rsaJWK("r1", rsaKey))
	w.keys.does(func(rw http.ResponseWriter, r *http.Request) {
		http.Redirect(rw, r, elsewhere.URL,
			http.StatusFound)
	})
	_ = w.mustBeUnavailable(w.token(nil))
	if n := elsewhere.fetches.Load(); n != 0 {
		t.Errorf("%d fetches from the other address", n)
	}
}

func TestKeys_UnusableKeyIsSkipped(t *testing.T) {
	good := rsaJWK("k", rsaKey)
	ec := ecJWK("k", "P-256", ecKey)
	short := b64(rsaKey.N.Bytes()[:128]) // 1,024 bits
	for name, key := range map[string]map[string]any{
		"RSA of 1,024 bits": with(good, "n", short),
		"RSA of 2,047 bits": with(good, "n",
			b64(append([]byte{0x7f}, rsaKey.N.Bytes()[1:]...))),
		"RSA of 16,384 bits":  with(good, "n", b64(append([]byte{0xff}, make([]byte, 2047)...))),
		"exponent 1":          with(good, "e", "AQ"),
		"even exponent":       with(good, "e", "AQAA"),
		"exponent of 33 bits": with(good, "e", b64([]byte{1, 0, 0, 0, 1})),
		"no modulus":          with(good, "n", nil),
		"modulus not base64":  with(good, "n", "!!!"),
		"modulus a number":    with(good, "n", 5),
		"for encryption":      with(good, "use", "enc"),
		"for RS512":           with(good, "alg", "RS512"),
		"for PS256":           with(good, "alg", "PS256"),
		"for HS256":           with(good, "alg", "HS256"),
		"RSA for ES256":       with(good, "alg", "ES256"),
		"without a kid":       with(good, "kid", nil),
		"P-384":               ecJWK("k", "P-384", newEC(elliptic.P384())),
		"P-384 called P-256":  ecJWK("k", "P-256", newEC(elliptic.P384())),
		"off the curve":       with(ec, "y", b64(make([]byte, 32))),
		"the point at infinity": with(with(ec, "x", b64(make([]byte, 32))), "y",
			b64(make([]byte, 32))),
		"half a point":           with(ec, "y", nil),
		"a symmetric key":        {"kty": "oct", "kid": "k", "k": b64([]byte("secret"))},
		"an unknown kind":        {"kty": "AKP", "kid": "k"},
		"EC coordinates swapped": with(with(ec, "x", ec["y"]), "y", ec["x"]),
	} {
		w := newVerifierHarness(t)
		w.keys.publish(key)
		if err := w.mustBeUnavailable(w.token(nil)); !strings.Contains(err.Error(),
			"none of them") {
			t.Errorf("%s: got %v", name, err)
		}
		w.keys.publish(key, rsaJWK("r1", rsaKey))
		w.clock.pass(time.Second)
		w.mustVerify(w.token(nil)) // the other key of the set is used
		refused(t, w, name, w.signed("k", rsaKey, nil))
	}
}

// Two keys of different types may have the same kid. Some providers write padding, which the
// RFC forbids.
func TestKeys_UnusualFormsAreAccepted(t *testing.T) {
	w := newVerifierHarness(t)
	w.keys.publish(with(rsaJWK("k", rsaKey), "n",
		base64.URLEncoding.EncodeToString(rsaKey.N.Bytes())), ecJWK("k", "P-256", ecKey))
	w.mustVerify(w.signed("k", rsaKey, nil))
	w.mustVerify(w.signed("k", ecKey, nil))
}

func TestNewVerifier_WhileTheProviderIsDown(t *testing.T) {
	s := httptest.NewServer(nil)
	s.Close()
	v, err := identity.NewVerifier(s.URL + "?secret=sesame")
	if err != nil {
		t.Fatal(err)
	}
	_, err = v.VerifyToken(t.Context(), newVerifierHarness(t).token(nil))
	if !errors.Is(err, people.ErrIdentityUnavailable) || strings.Contains(err.Error(), "sesame") {
		t.Errorf("got %v", err)
	}
}

// panickingTransport panics until it is repaired.
type panickingTransport struct{ repaired atomic.Bool }

func (p *panickingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if !p.repaired.Load() {
		panic("no transport")
	}
	return http.DefaultTransport.RoundTrip(r)
}

func TestVerify_PanicOfTheTransportIsAFailedFetch(t *testing.T) {
	transport := &panickingTransport{}
	w := newVerifierHarness(t, identity.WithKeyTransport(transport))
	w.mustBeUnavailable(w.token(nil))
	transport.repaired.Store(true)
	w.clock.pass(time.Minute)
	w.mustVerify(w.token(nil))
}
