package certify

import (
	"context"
	"sync"
	"time"

	"github.com/openlectern/openlectern/internal/singleflight"
)

// maxSignatures is the maximum number of signatures in the cache. Each has about 3 kB.
const maxSignatures = 1_000

// signatureCache keeps signatures. It bounds the number of signing operations, because
// anyone may request a credential, and the signing key may be in a slow remote service
// that charges for each signature. Concurrent callers share one operation. The zero
// signatureCache is empty and ready for use.
type signatureCache struct {
	calls   singleflight.Group[string, signature]
	mu      sync.Mutex
	entries map[string]signature
}

// signature is a signed document, and for a status list its age.
type signature struct {
	token       string
	at          time.Time
	revocations uint64 // number of revocations by this process before the list was read
}

// get returns the entry of a name if valid reports true for it. Otherwise one caller runs sign, and
// concurrent callers get the same signature, if it is valid for them, or the same error.
func (s *signatureCache) get(ctx context.Context, name string, valid func(signature) bool,
	sign singleflight.Work[signature]) (signature, error) {
	for {
		if kept, ok := s.find(name); ok && valid(kept) {
			return kept, nil
		}
		// Sign once for all callers, unless another call has just done so.
		created, err := s.calls.Do(ctx, name, func(ctx context.Context) (signature, error) {
			if kept, ok := s.find(name); ok && valid(kept) {
				return kept, nil
			}
			created, err := sign(ctx)
			if err == nil {
				s.keep(name, created)
			}
			return created, err
		})
		if err != nil {
			return signature{}, err
		}
		// A call that began long ago may have signed a state that is too old for this caller.
		if valid(created) {
			return created, nil
		}
	}
}

// find returns the entry of a name, valid or not, and whether there is one.
func (s *signatureCache) find(name string) (signature, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, ok := s.entries[name]
	return kept, ok
}

// keep adds a signature to the cache. A full cache is emptied first: that bounds its memory, and an
// entry that is still needed is signed again.
func (s *signatureCache) keep(name string, created signature) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries == nil || len(s.entries) >= maxSignatures {
		s.entries = map[string]signature{}
	}
	s.entries[name] = created
}
