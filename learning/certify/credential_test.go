package certify_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/openlectern/openlectern/internal/roomtest"
	"github.com/openlectern/openlectern/learning"
	"github.com/openlectern/openlectern/learning/certify"
	"github.com/openlectern/openlectern/learning/learningtest"
)

// fakeSigner is an issuer whose tokens are the signed content as plain text.
type fakeSigner struct {
	signed atomic.Int64
	before func(ctx context.Context) error // if not nil, called before it signs
}

func (n *fakeSigner) SignCredential(ctx context.Context, c certify.Certificate) (string, error) {
	return n.sign(ctx, "credential of "+c.ID)
}

func (n *fakeSigner) SignStatusList(ctx context.Context, l certify.StatusList) (string, error) {
	return n.sign(ctx, fmt.Sprintf("list %d at %s: %v", l.Number, l.At.Format(time.TimeOnly),
		l.Revoked))
}

func (n *fakeSigner) sign(ctx context.Context, what string) (string, error) {
	n.signed.Add(1)
	if n.before != nil {
		if err := n.before(ctx); err != nil {
			return "", err
		}
	}
	return what, nil
}

func (n *fakeSigner) PublicKeys() []certify.PublicKey {
	return []certify.PublicKey{{ID: "now", JWK: []byte(`{"kid":"now"}`)},
		{ID: "before", JWK: []byte(`{"kid":"before"}`)}}
}

// newSignerFixture returns a fixture with a fakeSigner and certificates with these numbers.
func newSignerFixture(t *testing.T, database string, numbers ...int64) (*roomtest.World,
	*fakeSigner) {
	t.Helper()
	n := &fakeSigner{}
	w := roomtest.New(t, database, learningtest.WithPlatform(learning.WithCredentials(n)))
	w.Issued(t, numbers...)
	return w, n
}

// newSQLiteSignerFixture is newSignerFixture on SQLite, for tests that do not depend on
// the engine.
func newSQLiteSignerFixture(t *testing.T, numbers ...int64) (*roomtest.World, *fakeSigner) {
	t.Helper()
	return newSignerFixture(t, "sqlite:"+t.TempDir()+"/learning.db", numbers...)
}

func TestStatusList_ContainsARevocationAtOnce(t *testing.T) {
	roomtest.OnEngines(t, func(t *testing.T, database string) {
		const size = certify.StatusListSize
		w, _ := newSignerFixture(t, database, 0, 1, 2, size-1, size, size+1)
		w.WantList(t, 0, "list 0 at 09:30:00: []")
		w.WantList(t, 1, "list 1 at 09:30:00: []")
		for _, number := range []int64{size - 1, 1, size} {
			w.Revoke(t, number)
			w.Clock.Advance(time.Second)
		}
		w.WantList(t, 0, "list 0 at 09:30:03: [1 131071]")
		w.WantList(t, 1, "list 1 at 09:30:03: [131072]")
		token, err := w.Platform.Certify.Credential(ctx(), roomtest.CertificateID(1))
		if err != nil || token != "credential of "+roomtest.CertificateID(1) {
			t.Errorf("the credential of the revoked certificate: %q, %v", token, err)
		}
	})
}

func TestStatusList_ContainsARevocationWhoseAnswerWasLost(t *testing.T) {
	store := &roomtest.FaultyStore{}
	w := roomtest.New(t, roomtest.SQLite(t), roomtest.WithFaultyStore(store),
		learningtest.WithPlatform(learning.WithCredentials(&fakeSigner{})))
	w.Issued(t, 0, 1)
	w.WantList(t, 0, "list 0 at 09:30:00: []")
	store.FailOn(roomtest.LostAnswer)
	r, err := w.Platform.System().RevokeCertificate(ctx(), roomtest.CertificateID(1), "reason")
	if at := store.Disarm(); at != roomtest.LostAnswer || err != nil || !r.IsNew {
		t.Fatalf("broken at %q: revoked %v, %v", at, r.IsNew, err)
	}
	w.WantList(t, 0, "list 0 at 09:30:00: [1]")
}

func TestStatusList_RevocationByAnotherInstance(t *testing.T) {
	w, n := newSQLiteSignerFixture(t, 0, 1)
	other := w.OtherInstance(t)
	w.WantList(t, 0, "list 0 at 09:30:00: []")
	other.Revoke(t, 1)
	w.Clock.Advance(certify.StatusListFresh - 1)
	w.WantList(t, 0, "list 0 at 09:30:00: []")
	w.Clock.Advance(1)
	w.WantList(t, 0, "list 0 at 09:31:00: [1]")
	if got := n.signed.Load(); got != 2 {
		t.Errorf("%d signatures", got)
	}
}

// A list that is being signed may have been read before a revocation. A request after the
// revocation must not get that list.
func TestStatusList_RevocationDuringSigning(t *testing.T) {
	w, n := newSQLiteSignerFixture(t, 0, 1)
	begun, release := make(chan struct{}, 2), make(chan struct{})
	n.before = func(context.Context) error {
		begun <- struct{}{}
		<-release
		return nil
	}
	var lists sync.WaitGroup
	lists.Go(func() { w.WantList(t, 0, "list 0 at 09:30:00: []") })
	<-begun
	w.Revoke(t, 1)
	lists.Go(func() { w.WantList(t, 0, "list 0 at 09:30:00: [1]") })
	close(release)
	lists.Wait()
}

func TestStatusList_ExistsFromItsFirstCertificate(t *testing.T) {
	w, n := newSQLiteSignerFixture(t, 0)
	w.WantList(t, 0, "list 0 at 09:30:00: []")
	for _, number := range []int64{1, 2, -1, 1 << 46, 1<<63 - 1, -1 << 63} {
		_, err := w.Platform.Certify.StatusList(ctx(), number)
		roomtest.WantError(t, err, certify.ErrStatusListNotFound, "Status list not found")
	}
	w.Exec(t, "UPDATE counters SET counted = ?", certify.StatusListSize)
	_, err := w.Platform.Certify.StatusList(ctx(), 1)
	roomtest.WantError(t, err, certify.ErrStatusListNotFound, "Status list not found")
	w.Exec(t, "UPDATE counters SET counted = ?", certify.StatusListSize+1)
	w.WantList(t, 1, "list 1 at 09:30:00: []")
	if got := n.signed.Load(); got != 2 {
		t.Errorf("%d lists were signed", got)
	}
	empty := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithPlatform(learning.WithCredentials(n)))
	empty.WantList(t, 0, "list 0 at 09:30:00: []")
	_, err = empty.Platform.Certify.StatusList(ctx(), 1)
	roomtest.WantError(t, err, certify.ErrStatusListNotFound, "Status list not found")
}

func TestCredential_ConcurrentCallersShareOneSignature(t *testing.T) {
	w, n := newSQLiteSignerFixture(t, 0, 1)
	release := make(chan struct{})
	n.before = func(context.Context) error { <-release; return nil }
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			want, err := "list 0 at 09:30:00: []", error(nil)
			got := ""
			if i%3 == 0 {
				got, err = w.Platform.Certify.StatusList(ctx(), 0)
			} else {
				want = "credential of " + roomtest.CertificateID(int64(i%3-1))
				got, err = w.Platform.Certify.Credential(ctx(),
					roomtest.CertificateID(int64(i%3-1)))
			}
			if got != want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
	}
	close(release)
	all.Wait()
	if got := n.signed.Load(); got != 3 {
		t.Errorf("%d signatures, want 3", got)
	}
}

func TestCredential_CallerLeaves(t *testing.T) {
	w, n := newSQLiteSignerFixture(t, 0)
	begun, release := make(chan struct{}, 1), make(chan struct{})
	n.before = func(ctx context.Context) error {
		begun <- struct{}{}
		<-release
		return ctx.Err()
	}
	leaving, leave := context.WithCancel(ctx())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := w.Platform.Certify.Credential(leaving,
			roomtest.CertificateID(0)); !errors.Is(err,
			context.Canceled) {
			t.Errorf("the caller who leaves gets %v", err)
		}
	})
	<-begun
	all.Go(func() {
		if _, err := w.Platform.Certify.Credential(ctx(), roomtest.CertificateID(0)); err != nil {
			t.Errorf("the caller who waits gets %v", err)
		}
	})
	leave()
	close(release)
	all.Wait()
}

func TestCredential_SigningTimesOut(t *testing.T) {
	n := &fakeSigner{before: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	w := roomtest.New(t, "sqlite:"+t.TempDir()+"/learning.db",
		learningtest.WithPlatform(learning.WithCredentials(n),
			learning.WithProviderTimeout(10*time.Millisecond)))
	if _, err := w.Platform.Certify.StatusList(ctx(), 0); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

func TestCredential_SigningErrorIsNotCached(t *testing.T) {
	w, n := newSQLiteSignerFixture(t, 0)
	for name, test := range map[string]struct {
		before func(context.Context) error
		says   string
	}{
		"an error": {func(context.Context) error { return errors.New("no route to 10.1.2.3") },
			"no route to 10.1.2.3"},
		// the log has the rest
		"a panic": {func(context.Context) error { panic("no route to 10.1.2.3") }, "panicked"},
	} {
		n.before = test.before
		for what, ask := range map[string]func() (string, error){
			"credential": func() (string, error) {
				return w.Platform.Certify.Credential(ctx(),
					roomtest.CertificateID(0))
			},
			"list": func() (string, error) { return w.Platform.Certify.StatusList(ctx(), 0) },
		} {
			token, err := ask()
			public := (*learning.Error)(nil)
			if token != "" || err == nil || errors.As(err, &public) ||
				!strings.Contains(err.Error(), test.says) {
				t.Errorf("%s of a %s: %q, %v", name, what, token, err)
			}
		}
	}
	n.before = nil
	w.WantList(t, 0, "list 0 at 09:30:00: []")
	if _, err := w.Platform.Certify.Credential(ctx(), roomtest.CertificateID(0)); err != nil {
		t.Error(err)
	}
}

func TestCredential_UnknownID(t *testing.T) {
	w, n := newSQLiteSignerFixture(t, 0)
	for _, id := range []string{"", roomtest.CertificateID(1), roomtest.CertificateID(0) + " ",
		strings.ToUpper(roomtest.CertificateID(0)), "\xff", "' OR 1=1 --"} {
		_, err := w.Platform.Certify.Credential(ctx(), id)
		roomtest.WantError(t, err, certify.ErrCertificateNotFound, "Certificate not found")
	}
	if got := n.signed.Load(); got != 0 {
		t.Errorf("signed %d times", got)
	}
}

func TestPublicKey(t *testing.T) {
	w, _ := newSQLiteSignerFixture(t, 0)
	if k, err := w.Platform.Certify.PublicKey("before"); err != nil || string(k.JWK) != `{"kid":"before"}` {
		t.Errorf("%s, %v", k.JWK, err)
	}
	_, err := w.Platform.Certify.PublicKey("")
	roomtest.WantError(t, err, certify.ErrPublicKeyNotFound, "Public key not found")
}
