package identity

import (
	"crypto/sha256"
	"sync"
	"time"

	"github.com/openlectern/openlectern/learning"
)

// memory remembers verified tokens by their SHA-256, so that none is kept. It
// holds two generations of half its size: when the young one is full it becomes
// the old one, and what was not asked for in the meantime is forgotten.
type memory struct {
	mu         sync.Mutex
	half       int
	young, old map[[sha256.Size]byte]remembered
}

type remembered struct {
	claims  learning.Claims
	expires time.Time
}

// newMemory makes a memory of at most size tokens; below two it keeps none.
func newMemory(size int) *memory {
	return &memory{half: max(size/2, 0), young: map[[sha256.Size]byte]remembered{}}
}

// get returns the claims of a token that was verified and has not expired.
func (m *memory) get(digest [sha256.Size]byte, now time.Time) (learning.Claims, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.young[digest]
	if !ok {
		if r, ok = m.old[digest]; ok {
			m.add(digest, r)
		}
	}
	if !ok || !now.Before(r.expires) {
		return learning.Claims{}, false
	}
	return r.claims, true
}

func (m *memory) put(digest [sha256.Size]byte, r remembered) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.add(digest, r)
}

func (m *memory) add(digest [sha256.Size]byte, r remembered) {
	if m.half == 0 {
		return
	}
	if len(m.young) >= m.half {
		m.old, m.young = m.young, make(map[[sha256.Size]byte]remembered, m.half)
	}
	m.young[digest] = r
}
