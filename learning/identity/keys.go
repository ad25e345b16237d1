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
	"github.com/openlectern/openlectern/learning/core"
	"github.com/openlectern/openlectern/learning/people"
)

const (
	maxKeySet = 1 << 20 // bytes of a key set
	// coldGap is the longest gap between two fetches before one has succeeded, so that a provider
	// that starts late is found soon.
	coldGap = time.Second
)

// keyID identifies a key. It contains the algorithm, so that a key is used with its own
// algorithm only.
type keyID struct{ kid, alg string }

// keySet holds the keys of one fetch and the cache of tokens that they have verified. They
// are replaced together, so that no cached token outlives its key.
type keySet struct {
	keys map[keyID]crypto.PublicKey
	at   time.Time // when its fetch began
	seen *memory
}

// keys holds the newest fetched key set.
type keys struct {
	url         string
	client      *http.Client
	clock       core.Clock
	gap, maxAge time.Duration
	memory      int // how many tokens each set caches

	state atomic.Pointer[state] // never nil
	calls singleflight.Group[struct{}, struct{}]
}

// state is the result of the last fetch.
type state struct {
	set   *keySet   // nil until the first successful fetch
	tried time.Time // when the last fetch began; zero before the first
	err   error     // of the last fetch
}

// newKeys returns the keys published at a URL. It fetches nothing.
func newKeys(address string, s settings) *keys {
	k := &keys{url: address, client: provider.NewClient(s.transport, s.timeout), clock: s.clock,
		gap: s.gap, maxAge: s.maxAge, memory: s.memory}
	k.state.Store(&state{})
	return k
}

// find returns a key and its set. If the key is unknown, it fetches the set, or waits for
// the fetch of another caller, because the key may be new. It returns errUnknownKey if the set does
// not have the key, and an error that wraps [people.ErrIdentityUnavailable] if there is no set.
func (k *keys) find(ctx context.Context, id keyID) (crypto.PublicKey, *keySet, error) {
	if id.kid == "" { // a set has no keys without an id: see parseKeySet
		return nil, nil, errUnknownKey
	}
	// The usual case: the kept set has the key.
	if set := k.current(ctx); set != nil && set.keys[id] != nil {
		return set.keys[id], set, nil
	}
	// The key is unknown, so the provider may have a new one. The gap between fetches bounds what
	// made-up ids can cause. If the fetch fails, the old set is used, if there is one.
	err := k.refetch(ctx)
	set := k.state.Load().set
	if set == nil {
		return nil, nil, fmt.Errorf("%w: %w", people.ErrIdentityUnavailable, err)
	}
	if set.keys[id] == nil {
		return nil, nil, errUnknownKey
	}
	return set.keys[id], set, nil
}

// current returns the set to use now; nil if no fetch has succeeded, and then it fetches nothing:
//
//	age of the set         fetch
//	up to half of maxAge   none
//	up to maxAge           in the background
//	more                   the first one now, for which the caller waits
//	more, and that failed  in the background
//
// If a fetch fails, the old set stays in use. After the first failure no caller waits for a
// provider that hangs. A fetch in the background is left out while the last one is too recent.
func (k *keys) current(ctx context.Context) *keySet {
	s := k.state.Load()
	if s.set == nil {
		return nil
	}
	tooOldAt := s.set.at.Add(k.maxAge)
	switch now := k.clock.Now(); {
	case now.After(tooOldAt) && !s.tried.After(tooOldAt): // no fetch was tried since then
		_ = k.refetch(ctx) // on failure the old set stays in use
	case now.After(s.set.at.Add(k.maxAge/2)) && !k.tooSoon():
		// soon too old, or fetches fail: fetch in the background
		k.calls.Start(ctx, struct{}{}, k.fetchOnce)
	}
	return k.state.Load().set
}

// refetch fetches the set and waits for it. If the last fetch is too recent, it returns the
// error of that one. The fetch runs in a goroutine of its own, so that a caller whose
// context ends does not cancel it for the others.
func (k *keys) refetch(ctx context.Context) error {
	k.calls.Start(ctx, struct{}{}, k.fetchOnce) // unless one is running
	// Do waits for it. If it has ended already, Do calls fetchOnce again, which finds that it is
	// too soon and returns the error of that fetch.
	_, err := k.calls.Do(ctx, struct{}{}, k.fetchOnce)
	return err
}

// fetchFirst fetches the set before any token is verified. The gap does not begin with this fetch,
// because the gap is for fetches that anyone can cause: a key that is published just after it is
// found at once.
func (k *keys) fetchFirst(ctx context.Context) error {
	err := k.refetch(ctx)
	if s := k.state.Load(); err == nil {
		// Forget when the fetch began, unless another fetch has stored a state since.
		k.state.CompareAndSwap(s, &state{set: s.set})
	}
	return err
}

// tooSoon reports whether the last fetch is too recent for another.
func (k *keys) tooSoon() bool {
	s, gap := k.state.Load(), k.gap
	if s.set == nil { // no fetch has succeeded: see coldGap
		gap = min(gap, coldGap)
	}
	return k.clock.Now().Sub(s.tried) < gap
}

// fetchOnce fetches the set, unless it is too soon, and stores it in the state of k, where its
// callers find it; it returns only the error. If it is too soon, that is the error of the last
// fetch. The check is here, because no other fetch can end between the check and the fetch.
func (k *keys) fetchOnce(ctx context.Context) (none struct{}, err error) {
	if k.tooSoon() {
		return none, k.state.Load().err
	}
	// The old set stays in use unless the fetch succeeds. The error stays that of a panic if the
	// host's transport panics.
	next := state{set: k.state.Load().set, tried: k.clock.Now(), err: errFetchPanicked}
	defer func() { k.state.Store(&next) }()
	var found map[keyID]crypto.PublicKey
	// Not cancelled when the last caller leaves, because later callers need the keys, too.
	if found, next.err = k.fetch(context.WithoutCancel(ctx)); next.err == nil {
		next.set = &keySet{keys: found, at: next.tried, seen: newMemory(k.memory)}
	}
	return none, next.err
}

var errFetchPanicked = errors.New("fetch the keys: it panicked")

// fetch requests the keys and returns those that can be used. It stores nothing.
func (k *keys) fetch(ctx context.Context) (map[keyID]crypto.PublicKey, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return nil, fmt.Errorf("fetch the keys: %w", err)
	}
	r.Header.Set("Accept", "application/json")
	body, err := provider.DoAgain(k.client, r, maxKeySet)
	if err != nil {
		return nil, fmt.Errorf("fetch the keys: %w", err)
	}
	return parseKeySet(body)
}
