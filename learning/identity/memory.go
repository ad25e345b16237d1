package identity

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/openlectern/openlectern/learning/people"
)

// memory is a cache of verified tokens, by their SHA-256, so that it holds no token. It has
// two generations of half its size each. When the new generation is full, it replaces the
// old one, and entries that were not read since the last replacement are dropped.
type memory struct {
	mu         sync.Mutex
	half       int // the largest number of tokens of a generation; 0 disables the cache
	young, old map[[sha256.Size]byte]remembered
}

// remembered is what the cache has of a token.
type remembered struct {
	claims  people.Claims
	expires time.Time // of the token
}

// newMemory returns a cache of at most size tokens; it is disabled if size is below two.
func newMemory(size int) *memory {
	return &memory{half: max(size/2, 0), young: map[[sha256.Size]byte]remembered{}}
}

// get returns the claims of a cached token, and whether there is one that has not expired.
func (m *memory) get(digest [sha256.Size]byte, now time.Time) (people.Claims, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.young[digest]
	if !ok {
		if r, ok = m.old[digest]; ok { // it is in use: keep it for another generation
			m.add(digest, r)
		}
	}
	if !ok || !now.Before(r.expires) {
		return people.Claims{}, false
	}
	return r.claims, true
}

// put stores a verified token by its hash.
func (m *memory) put(digest [sha256.Size]byte, r remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(digest, r)
}

// add stores a token in the new generation. The lock must be held.
func (m *memory) add(digest [sha256.Size]byte, r remembered) {
	if m.half == 0 {
		return
	}
	if len(m.young) >= m.half { // full: the present old generation is dropped
		m.old, m.young = m.young, make(map[[sha256.Size]byte]remembered, m.half)
	}
	m.young[digest] = r
}
