package identity

import (
	"context"
	"crypto"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/openlectern/learning/internal/provider"
	"github.com/openlectern/learning/learning"
)

const (
	maxKeySet = 1 << 20 // bytes of a key set
	coldGap   = time.Second
)

// keyID finds a key. The algorithm is part of it, so that a key can only ever be
// used with the one it was made for.
type keyID struct{ kid, alg string }

// keySet is what one fetch brought, and the tokens that were checked with it:
// these go when it goes, so that no token outlives its key.
type keySet struct {
	keys map[keyID]crypto.PublicKey
	at   time.Time // when its fetch began
	seen *memory
}

// keys has the newest set that could be fetched.
type keys struct {
	url         string
	client      *http.Client
	clock       learning.Clock
	gap, maxAge time.Duration
	memory      int

	state  atomic.Pointer[state] // never nil
	flight singleflight.Group
}

// state is what the last fetch that ended has left.
type state struct {
	set   *keySet   // nil until a fetch has brought keys
	tried time.Time // when the last fetch began; zero before the first
	err   error     // of the last fetch
}

func newKeys(address string, s settings) *keys {
	k := &keys{url: address, client: provider.NewClient(s.transport, s.timeout), clock: s.clock, gap: s.gap, maxAge: s.maxAge, memory: s.memory}
	k.state.Store(&state{})
	return k
}

// find returns a key and the set it is in. One that is not known may be new: then
// the set is fetched, or that which somebody else fetches is waited for.
func (k *keys) find(ctx context.Context, id keyID) (crypto.PublicKey, *keySet, error) {
	if id.kid == "" {
		return nil, nil, errUnknownKey
	}
	if set := k.current(ctx); set != nil && set.keys[id] != nil {
		return set.keys[id], set, nil
	}
	err := k.refetch(ctx)
	set := k.state.Load().set
	if set == nil {
		return nil, nil, fmt.Errorf("%w: %w", learning.ErrIdentityUnavailable, err)
	}
	if set.keys[id] == nil {
		return nil, nil, errUnknownKey
	}
	return set.keys[id], set, nil
}

// current is the set to be believed now, nil when there never was one. A set past
// its age is fetched again first; when that fails it stays, and further attempts
// are made behind the callers' backs, so that a provider which hangs does not
// make everybody wait.
func (k *keys) current(ctx context.Context) *keySet {
	s := k.state.Load()
	if s.set == nil {
		return nil
	}
	old := s.set.at.Add(k.maxAge)
	switch now := k.clock.Now(); {
	case now.After(old) && !s.tried.After(old):
		_ = k.refetch(ctx) // the set that is there then is the answer, either way
	case now.After(s.set.at.Add(k.maxAge/2)) && !k.tooSoon():
		k.fetchOnce()
	}
	return k.state.Load().set
}

// refetch brings the set up to date and waits for it, unless that was tried a
// moment ago: then it tells how that went.
func (k *keys) refetch(ctx context.Context) error {
	select {
	case r := <-k.fetchOnce():
		return r.Err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// tooSoon tells whether the last fetch was too short a time ago for another.
func (k *keys) tooSoon() bool {
	s, gap := k.state.Load(), k.gap
	if s.set == nil {
		gap = min(gap, coldGap)
	}
	return k.clock.Now().Sub(s.tried) < gap
}

// fetchOnce fetches the set once for all who ask meanwhile. It is bound to no
// caller's context: one who goes away must not fail the others.
func (k *keys) fetchOnce() <-chan singleflight.Result {
	return k.flight.DoChan("", func() (any, error) {
		if k.tooSoon() { // asked here, where no other fetch can end in between
			return nil, k.state.Load().err
		}
		next := state{set: k.state.Load().set, tried: k.clock.Now()}
		var found map[keyID]crypto.PublicKey
		if found, next.err = k.fetch(); next.err == nil {
			next.set = &keySet{keys: found, at: next.tried, seen: newMemory(k.memory)}
		}
		k.state.Store(&next)
		return nil, next.err
	})
}

func (k *keys) fetch() (map[keyID]crypto.PublicKey, error) {
	r, err := http.NewRequest(http.MethodGet, k.url, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch the keys: %w", err)
	}
	r.Header.Set("Accept", "application/json")
	body, err := provider.Do(k.client, r, maxKeySet)
	if err != nil {
		return nil, fmt.Errorf("fetch the keys: %w", err)
	}
	return parseKeySet(body)
}
