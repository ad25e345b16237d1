package identity

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/openlectern/openlectern/internal/provider"
	"github.com/openlectern/openlectern/internal/singleflight"
	"github.com/openlectern/openlectern/learning"
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

	state atomic.Pointer[state] // never nil
	calls singleflight.Group[struct{}, struct{}]
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
		k.calls.Start(ctx, struct{}{}, k.fetchOnce)
	}
	return k.state.Load().set
}

// refetch brings the set up to date and waits for it, unless that was tried a
// moment ago: then it tells how that went. The fetch is started, so that callers who
// leave cannot cancel it: the result is kept for all others, and a fetch that was
// cancelled would count as one that was tried.
func (k *keys) refetch(ctx context.Context) error {
	k.calls.Start(ctx, struct{}{}, k.fetchOnce)
	_, err := k.calls.Do(ctx, struct{}{}, k.fetchOnce)
	return err
}

// tooSoon tells whether the last fetch was too short a time ago for another.
func (k *keys) tooSoon() bool {
	s, gap := k.state.Load(), k.gap
	if s.set == nil {
		gap = min(gap, coldGap)
	}
	return k.clock.Now().Sub(s.tried) < gap
}

// fetchOnce is the work of a call: it fetches the set unless it is too soon, which is
// checked here, where no other fetch can end in between.
func (k *keys) fetchOnce(ctx context.Context) (none struct{}, err error) {
	if k.tooSoon() {
		return none, k.state.Load().err
	}
	next := state{set: k.state.Load().set, tried: k.clock.Now(), err: errFetchPanicked}
	defer func() { k.state.Store(&next) }() // also when the host's transport panics
	var found map[keyID]crypto.PublicKey
	if found, next.err = k.fetch(context.WithoutCancel(ctx)); next.err == nil {
		next.set = &keySet{keys: found, at: next.tried, seen: newMemory(k.memory)}
	}
	return none, next.err
}

var errFetchPanicked = errors.New("fetch the keys: it panicked")

func (k *keys) fetch(ctx context.Context) (map[keyID]crypto.PublicKey, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
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
