package identity

import (
	"crypto/sha256"
	"strconv"
	"testing"
	"time"

	"github.com/openlectern/openlectern/learning/people"
)

func digest(i int) [sha256.Size]byte { return sha256.Sum256([]byte(strconv.Itoa(i))) }

func TestMemory_SizeIsBounded(t *testing.T) {
	const size = 100
	m, now := newMemory(size), time.Now()
	for i := range 10 * size {
		m.put(digest(i), remembered{people.Claims{UserID: strconv.Itoa(i)}, now.Add(time.Minute)})
		if n := len(m.young) + len(m.old); n > size {
			t.Fatalf("%d tokens are cached after %d", n, i+1)
		}
		if c, ok := m.get(digest(i), now); !ok || c.UserID != strconv.Itoa(i) {
			t.Fatalf("token %d is not cached", i)
		}
	}
	if _, ok := m.get(digest(0), now); ok {
		t.Error("the first token is still cached")
	}
}

func TestMemory_KeepsTokensInUse(t *testing.T) {
	m, now := newMemory(100), time.Now()
	m.put(digest(-1), remembered{people.Claims{UserID: "often"}, now.Add(time.Minute)})
	for i := range 1000 {
		m.put(digest(i), remembered{people.Claims{}, now.Add(time.Minute)})
		if c, ok := m.get(digest(-1), now); !ok || c.UserID != "often" {
			t.Fatalf("not cached after %d others", i+1)
		}
	}
}

func TestMemory_SizeZeroDisablesTheCache(t *testing.T) {
	for _, size := range []int{-1, 0, 1} {
		m, now := newMemory(size), time.Now()
		m.put(digest(1), remembered{people.Claims{}, now.Add(time.Minute)})
		if _, ok := m.get(digest(1), now); ok {
			t.Errorf("size %d: a token is cached", size)
		}
	}
}

func FuzzParseKeySet(f *testing.F) {
	f.Add([]byte(`{"keys":[{"kty":"RSA","kid":"a","n":"AQAB","e":"AQAB"}]}`))
	f.Add([]byte(`{"keys":[{"kty":"EC","crv":"P-256","kid":"a","x":"AA","y":"AA"}]}`))
	f.Add([]byte(`{"keys":[null]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if found, err := parseKeySet(body); (err == nil) != (len(found) > 0) {
			t.Errorf("%d keys and %v", len(found), err)
		}
	})
}
